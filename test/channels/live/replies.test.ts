/** Replies on ntfy: who publishes on the topic, what comes twice, and what a kill between two steps costs. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { AskOption } from '../../../machines/channels/answers.ts';
import { ANSWERS, CHANNELS } from '../../../machines/channels/policy.ts';
import { channelOf } from '../../../src/channels/make.ts';
import { proofOf } from '../../../src/channels/proof.ts';
import { Listener } from '../listen.ts';
import { ask, channelsWith, message } from '../make.ts';
import { NtfyServer } from '../ntfy.ts';
import { WebServer } from '../server.ts';

const WAIT = { timeout: 20_000, interval: 10 };
const KEY = 'cd'.repeat(32);
const RULES = [{ from: 'ntfy', kinds: ['permission'], options: ['*'], tag: null }];
const answer = (number: number, word: string): string => `q${number} ${proofOf(KEY, 'ntfy', number)} ${word}`;

const listens = (url: string) => ({
  settings: channelsWith({ ntfy: { url, topic: 'town', replyTopic: 'answers' } }),
  rules: RULES,
  key: KEY,
});

async function listening() {
  const server = await NtfyServer.start();
  const listener = new Listener(listens(server.url));
  await vi.waitFor(() => expect([server.streams, listener.replies.isHearing()]).toEqual([1, true]), WAIT);
  return { server, root: listener.root, listener };
}

test('who read the message is heard; who only knows the topic is not', async () => {
  const { server, listener } = await listening();
  const stranger = [
    '3 yes',
    `3 ${'a'.repeat(15)} yes`,
    answer(3, 'yes').replace(/^q3/, 'q4'),
    '{"number":3}',
    '\u001b[2J',
    'x'.repeat(100_000),
  ];
  for (const words of stranger) server.publish('answers', words);
  server.publish('town', answer(3, 'yes')); // The topic of the messages is not the one of the answers.
  server.publish('answers', answer(3, 'yes').toUpperCase());
  await vi.waitFor(() => expect(listener.words).toEqual(['3 yes']), WAIT);
  server.publish('answers', `${answer(4, 'Reply')} The one in Staging.\nNot \u001b[31mthe other. `);
  const text = 'The one in Staging.\nNot the other.';
  await vi.waitFor(() => expect(listener.heard).toMatchObject([{ text: '' }, { word: 'reply', text }]), WAIT);
});

test('what was said while the connection was down comes once, and what was heard not again', async () => {
  const { server, root, listener } = await listening();
  server.publish('answers', answer(3, 'yes'));
  await vi.waitFor(() => expect(listener.words).toEqual(['3 yes']), WAIT);
  server.hangUp();
  server.publish('answers', answer(4, 'no'));
  await vi.waitFor(() => expect(listener.words).toEqual(['3 yes', '4 no']), WAIT);
  // One that has no mark yet comes once more, and the town knows it by its id.
  await vi.waitFor(async () => expect(await listener.marks.of('ntfy')).toBe('m000002'), WAIT);
  listener.stop.abort();
  server.hangUp();
  server.publish('answers', answer(5, 'no'));
  const next = new Listener(listens(server.url), root);
  await vi.waitFor(() => expect(next.words).toEqual(['5 no']), WAIT);
});

test('the first answers are heard also where the clock of the server is an hour behind', async () => {
  const server = await NtfyServer.start();
  server.aheadMs = -3_600_000;
  server.publish('answers', answer(3, 'yes'));
  const listener = new Listener(listens(server.url));
  await vi.waitFor(() => expect(listener.words).toEqual(['3 yes']), WAIT);
});

test('what the town did not put on record comes again under the same id', async () => {
  const { server, listener } = await listening();
  let isFull = true;
  listener.take = () => (isFull ? Promise.reject(new Error('the disk is full')) : Promise.resolve());
  server.publish('answers', answer(3, 'yes'));
  await vi.waitFor(() => expect(listener.replies.troubles()).toMatchObject([{ why: 'the disk is full' }]), WAIT);
  isFull = false;
  await vi.waitFor(() => expect(listener.heard).toMatchObject([{ id: 'ntfy/m000001' }]), WAIT);
  expect(listener.replies.troubles()).toEqual([]);
});

test('ten megabytes without an end are cut off unread, and the answer behind them is heard', async () => {
  const server = await NtfyServer.start();
  const filler = `{"event":"message","id":"big","message":"${'x'.repeat(10_000_000)}"}\n`;
  server.first = `${filler}not json\n\u0000\n`;
  const before = process.memoryUsage().arrayBuffers;
  const listener = new Listener(listens(server.url));
  await vi.waitFor(() => expect(server.streams).toBe(1), WAIT);
  server.publish('answers', answer(3, 'yes'));
  await vi.waitFor(() => expect(listener.words).toEqual(['3 yes']), WAIT);
  expect(listener.heard).toHaveLength(1);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40_000_000);
});

test('a server that refuses is a trouble, and is asked again after a while', async () => {
  const server = await WebServer.start({ status: 403, body: 'forbidden' });
  const listener = new Listener(listens(server.url));
  const trouble = { channel: 'ntfy', why: 'HTTP 403 for the replies', isDeaf: true };
  await vi.waitFor(() => expect(listener.replies.troubles()).toMatchObject([trouble]), WAIT);
  await pause(CHANNELS.backoffMs / 2);
  expect([server.got.length, listener.replies.isHearing()]).toEqual([1, false]);
});

test('a message has a button for each of three options, and a line to publish for the others', async () => {
  const server = await NtfyServer.start();
  const settings = channelsWith({ ntfy: { url: server.url, topic: 'town', replyTopic: 'answers' } });
  const options: AskOption[] = ['1', '2', '3', '4'].map((word) => ({ word, label: `Choice ${word}` }));
  const rules = [{ from: 'ntfy', kinds: ['permission'], options: ['1', '2', '4', '3'], tag: null }];
  const send = (some: typeof rules) =>
    channelOf('ntfy', settings, { rules: some, key: KEY }).send(
      message({ ask: { ...ask({ options }), shows: [] } }),
      AbortSignal.timeout(5_000),
    );
  await send(rules);
  const [sent] = server.on('town');
  expect(sent?.actions?.map(({ label, body }) => [label, body])).toEqual(
    ['1', '2', '3'].map((word) => [`Choice ${word}`, answer(3, word)]),
  );
  expect(sent?.actions).toHaveLength(ANSWERS.buttons);
  expect(sent?.message).toBe(`x\nTo choose another, publish on answers:\n${answer(3, '4')} = Choice 4`);
  await send([{ ...rules[0]!, from: 'telegram:1' }]);
  expect(server.on('town')[1]).toMatchObject({ message: 'x' });
  expect(server.on('town')[1]?.actions).toBeUndefined();
  // A button holds no words of the person's.
  options.splice(0, options.length, { word: '1', label: 'reply', text: 'must' }, { word: '2', label: 'seen' });
  await send(rules);
  expect(server.on('town')[2]?.actions?.map(({ label }) => label)).toEqual(['seen']);
  expect(server.on('town')[2]?.message).toContain(`${answer(3, '1')} <your text>`);
});
