/** Answers by Telegram: who pressed a button, what comes twice, and up to where it was heard. */
import { expect, test, vi } from 'vitest';
import { channelOf } from '../../../src/channels/make.ts';
import { proofOf } from '../../../src/channels/proof.ts';
import { Listener } from '../listen.ts';
import { ask, channelsWith, message } from '../make.ts';
import { WebServer } from '../server.ts';
import { TelegramServer } from '../telegram.ts';

const WAIT = { timeout: 20_000, interval: 10 };
const KEY = 'ef'.repeat(32);
const rules = ['telegram:7', 'telegram:8'].map((from, nth) => {
  return { from, kinds: ['permission'], options: nth === 0 ? ['yes', 'no'] : ['no'], tag: null };
});
const settingsAt = (url: string) => channelsWith({ telegram: { url, chat: '42', token: '1:secret' } });

const listen = (url: string, root?: string): Listener =>
  new Listener({ settings: settingsAt(url), rules, key: KEY }, root);

test('a message has a button for each answer that one of its users may choose', async () => {
  const server = await TelegramServer.start();
  await channelOf('telegram', settingsAt(server.url), { rules, key: KEY }).send(
    message({ ask: { ...ask(), shows: [] } }),
    AbortSignal.timeout(5_000),
  );
  const words = (word: string): string => `q3 ${proofOf(KEY, 'telegram', 3)} ${word}`;
  expect(server.buttons).toEqual([
    { text: 'Yes', callback_data: words('yes') },
    { text: 'No', callback_data: words('no') },
  ]);
  expect(server.buttons.every(({ callback_data: data }) => Buffer.byteLength(data) <= 64)).toBe(true);
});

// Rules: A-3.
test('a reply has the id of its user; one without the secret of the message, or with that of ntfy, is none', async () => {
  const server = await TelegramServer.start();
  const { heard, root, stop } = listen(server.url);
  const data = `3 ${proofOf(KEY, 'telegram', 3)} yes`;
  for (const words of ['3 yes', `3 ${proofOf(KEY, 'ntfy', 3)} yes`, '', 'x'.repeat(4_000)]) server.press(7, words);
  server.press(9, data);
  server.press(7, data);
  await vi.waitFor(() => expect(heard.map(({ from }) => from)).toEqual(['telegram:9', 'telegram:7']), WAIT);
  await vi.waitFor(() => expect(server.confirmed).toHaveLength(6), WAIT);
  stop.abort();
  // What was heard is not asked for again.
  const next = listen(server.url, root);
  server.press(8, data);
  await vi.waitFor(() => expect(next.heard).toMatchObject([{ from: 'telegram:8', word: 'yes', number: 3 }]), WAIT);
  expect(server.offsets.at(-1)).toBeGreaterThan(700);
});

// Rules: A-3.
test('an answer in words is a message, with the secret of what it answers; other messages are none', async () => {
  const server = await TelegramServer.start();
  const options = [{ word: 'reply', label: 'reply', text: 'must' as const }];
  const all = rules.map((one) => ({ ...one, kinds: ['letter'], options: ['*'] }));
  await channelOf('telegram', settingsAt(server.url), { rules: all, key: KEY }).send(
    message({ ask: { ...ask({ kind: 'letter', options }), shows: [] } }),
    AbortSignal.timeout(5_000),
  );
  const line = `3 ${proofOf(KEY, 'telegram', 3)} reply`;
  expect(server.sent[0]?.text).toContain(`${line} <your text>`);
  expect(server.buttons).toEqual([]);
  const { heard } = listen(server.url);
  server.say(7, 'reply hello');
  server.say(7, `${line} Staging, please`);
  await vi.waitFor(() => expect(heard).toHaveLength(1), WAIT);
  expect(heard).toMatchObject([{ from: 'telegram:7', number: 3, word: 'reply', text: 'Staging, please' }]);
  expect(server.confirmed).toEqual([]);
});

test('a server that refuses is a trouble, whose words hold no token', async () => {
  const server = await WebServer.start({ status: 409, body: 'another one asks with bot1:secret' });
  const { replies } = listen(server.url);
  await vi.waitFor(() => expect(replies.troubles()[0]?.why).toContain('HTTP 409'), WAIT);
  expect(replies.troubles()[0]?.why).not.toContain('1:secret');
});
