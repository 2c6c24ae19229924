/** Delivery over real files and a real server: who is slow, floods, lies or is away. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CHANNELS } from '../../../machines/channels/policy.ts';
import { channelOf, signatureOf } from '../../../src/channels/make.ts';
import { Undelivered, type Channel } from '../../../src/channels/port.ts';
import { Spool } from '../../../state/channels/spool.ts';
import { realDisk } from '../../../state/files/disk.ts';
import { goOn, noteRestored } from '../../../state/process/restored.ts';
import { channelsWith, message, told } from '../make.ts';
import { systemClock } from '../../../src/ports/clock.ts';
import { Fake, Office } from '../office.ts';
import { tempFolder } from '../../world/over.ts';
import { WebServer } from '../server.ts';

const LONG = 20_000;

test('a reader who is away or at work is no fault: nothing is told of it, and the message goes out later', async () => {
  const office = new Office();
  const [pane, other] = [new Fake(), new Fake()];
  let isAway = true;
  pane.answer = () =>
    isAway ? Promise.reject(new Undelivered('it works', { isWaiting: true })) : Promise.resolve('typed');
  const to = ['pane', 'other'];
  const routes = [{ severity: 'low', tag: null, to, quiet: null, digest: null } as const];
  const delivery = office.deliver({ pane, other }, { routes });
  await office.add('a');
  await vi.waitFor(() => expect([other.sent, delivery.isGood()]).toEqual([['a'], true]), LONG);
  expect([delivery.troubles(), office.logged, (await office.spool.waiting()).length]).toEqual([[], [], 1]);
  isAway = false;
  await vi.waitFor(() => expect(pane.sent).toEqual(['a']), LONG);
});

test('each service gets the message in its own shape', async () => {
  const office = new Office();
  const [ntfy, webhook] = [await WebServer.start(), await WebServer.start()];
  const [discord, telegram] = [await WebServer.start(), await WebServer.start()];
  const slack = await WebServer.start({ body: 'ok' });
  office.configured(
    channelsWith({
      ntfy: { url: ntfy.url, topic: 'town', token: 'tk_1' },
      webhook: { url: `${webhook.url}/hook`, secret: 'key' },
      slack: { url: slack.url },
      discord: { url: discord.url },
      telegram: { url: telegram.url, chat: '42', token: '1:a' },
    }),
  );
  await office.add('builder <asks> @everyone [Yes](http://x) `````');
  await vi.waitFor(async () => expect(await office.spool.waiting()).toEqual([]), LONG);
  expect(ntfy.bodies).toMatchObject([
    { topic: 'town', priority: 4, message: 'builder <asks> @everyone [Yes](http://x) `````\n$ town answer 12 yes' },
  ]);
  expect(ntfy.got[0]?.headers.authorization).toBe('Bearer tk_1');
  expect(slack.bodies[0]?.['text']).toContain('&lt;asks&gt;');
  expect(discord.bodies[0]).toMatchObject({
    content:
      '**town needs you**\n```\nbuilder <asks> @everyone [Yes](http://x) `\u200b`\u200b`\u200b`\u200b`\n$ town answer 12 yes\n```',
    allowed_mentions: { parse: [] },
  });
  expect(telegram.got[0]?.url).toBe('/bot1:a/sendMessage');
  const { body = '', headers = {} } = webhook.got[0] ?? {};
  expect(headers['x-town-signature']).toBe(signatureOf('key', String(headers['x-town-timestamp']), body));
  const [sent] = await office.spool.sent();
  expect(Object.keys(sent?.receipts ?? {}).sort()).toEqual(['discord', 'ntfy', 'slack', 'telegram', 'webhook']);
  expect(Object.values(sent?.receipts ?? {}).every(({ isDelivered }) => isDelivered)).toBe(true);
});

test('the desktop gets each sign as it stands: no markup, and no escape of C', async () => {
  const folder = tempFolder('notify');
  const got = join(folder, 'got');
  writeFileSync(join(folder, 'notify-send'), `#!/bin/sh\nprintf '%s\\n' "$@" >'${got}'\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}:${process.env['PATH'] ?? ''}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const office = new Office();
  office.configured(channelsWith({ desktop: { enabled: true } }));
  await office.add(String.raw`cat <<EOF && printf '\n' <a href="http://x">Yes</a>`);
  await vi.waitFor(async () => expect(await office.spool.waiting()).toEqual([]), LONG);
  expect(readFileSync(got, 'utf8')).toContain(
    String.raw`cat &lt;&lt;EOF &amp;&amp; printf '\\n' &lt;a href="http://x"&gt;Yes&lt;/a&gt;`,
  );
});

test('a notice is in the spool once, also after it was sent', async () => {
  const office = new Office();
  const fake = new Fake();
  office.deliver({ fake });
  const add = (): Promise<void> => office.spool.add(told('x', { at: '2026-01-01T00:00:00.000Z' }), 'same', 0);
  await add();
  await add();
  await vi.waitFor(async () => expect(await office.spool.waiting()).toEqual([]), LONG);
  await add();
  expect(await office.spool.waiting()).toEqual([]);
  expect(fake.sent).toEqual(['x']);
});

test('what came back from a copy waits for a person; what is told since goes out', async () => {
  const office = new Office();
  const disk = realDisk(office.root, 2);
  await office.add('sent last night', { at: '2026-01-01T00:00:00.000Z' });
  await disk.mkdir('daemon');
  await noteRestored(disk);
  const fake = new Fake();
  const delivery = office.deliver({ fake });
  await office.add('the question', { at: '2999-01-01T00:00:00.000Z' });
  delivery.wake();
  await vi.waitFor(() => expect(fake.sent).toEqual(['the question']), LONG);
  await goOn(disk);
  delivery.wake();
  await vi.waitFor(() => expect(fake.sent).toEqual(['the question', 'sent last night']), LONG);
});

test('a channel that hangs delays no other, and is a trouble before its time is over', async () => {
  const office = new Office();
  const hangs = new Fake();
  let tries = 0;
  hangs.answer = () => {
    tries += 1;
    return new Promise(() => undefined);
  };
  const fake = new Fake();
  let passedMs = 0;
  const delivery = office.deliver(
    { hangs, fake },
    { clock: { ...systemClock, now: () => systemClock.now() + passedMs } },
  );
  await office.add('x');
  delivery.wake();
  await vi.waitFor(() => expect([fake.sent, tries]).toEqual([['x'], 1]), LONG);
  expect(delivery.troubles()).toEqual([]);
  passedMs = CHANNELS.silentMs;
  expect(delivery.troubles()).toMatchObject([{ channel: 'hangs', why: 'its server has not answered yet' }]);
});

test('where the disk takes no receipt nothing is sent again; what can be moved away is', async () => {
  const office = new Office();
  const spool = new Spool(realDisk(office.root, 1));
  const refused = vi.spyOn(spool, 'receive').mockRejectedValue(new Error('ENOSPC'));
  const fake = new Fake();
  await office.add('x');
  const delivery = office.deliver({ fake }, { spool });
  const look = async (): Promise<void> => {
    const before = refused.mock.calls.length;
    delivery.wake();
    await vi.waitFor(() => expect(refused.mock.calls.length).toBeGreaterThan(before), LONG);
  };
  await vi.waitFor(() => expect(fake.sent).toEqual(['x']), LONG);
  await look();
  await office.add('y');
  await look();
  await vi.waitFor(() => expect(fake.sent).toEqual(['x', 'y']), LONG);
  await look();
  expect(fake.sent).toEqual(['x', 'y']);
  expect(delivery.troubles()).toMatchObject([{ channel: 'fake (daemon/spool)', why: 'ENOSPC' }]);
  refused.mockRestore();
  const finish = vi.spyOn(spool, 'finish').mockRejectedValueOnce(new Error('EACCES'));
  await office.add('z');
  delivery.wake();
  await vi.waitFor(async () => expect(await office.spool.waiting()).toEqual([]), LONG);
  expect(finish).toHaveBeenCalled();
  expect(fake.sent).toEqual(['x', 'y', 'z']);
  await vi.waitFor(() => expect(delivery.troubles()).toEqual([]), LONG);
});

test('where what was sent cannot be read, messages go out all the same, and that is a trouble until it can', async () => {
  const office = new Office();
  const spool = new Spool(realDisk(office.root, 1));
  const unread = vi.spyOn(spool, 'sent').mockRejectedValue(new Error('EIO'));
  const fake = new Fake();
  const delivery = office.deliver({ fake }, { spool, perHour: 4 });
  for (const text of ['x', 'y', 'beyond the budget']) {
    await office.add(text);
    delivery.wake();
    if (text.length === 1) await vi.waitFor(() => expect(fake.sent).toContain(text), LONG);
  }
  expect(delivery.troubles()).toMatchObject([{ channel: 'fake (daemon/sent)', why: 'EIO' }]);
  unread.mockRestore();
  delivery.wake();
  await vi.waitFor(() => expect(delivery.troubles()).toEqual([]), LONG);
  expect(fake.sent).toEqual(['x', 'y']);
});

test('200 that waited go out as one, and each has its receipt', async () => {
  const office = new Office();
  for (let nth = 0; nth < 200; nth += 1) await office.add(`alert ${nth}`);
  const fake = new Fake();
  office.deliver({ fake });
  await vi.waitFor(async () => expect(await office.spool.waiting()).toEqual([]), LONG);
  expect(fake.sent).toHaveLength(1);
  expect(fake.sent[0]).toMatch(/^200 messages waited/);
  expect(await office.spool.messages(0, Date.now())).toEqual({ count: 1, notices: 200 });
  expect(await office.spool.messages(Date.now() + LONG, Infinity)).toEqual({ count: 0, notices: 0 });
});

test('another process goes on where one was killed: what has a receipt is not sent again', async () => {
  const office = new Office();
  await office.add('x');
  const [one] = await office.spool.waiting();
  await office.spool.receive(one?.id ?? '', 'first', { at: '', said: 'ok', isDelivered: true });
  const [first, second] = [new Fake(), new Fake()];
  office.deliver({ first, second });
  await vi.waitFor(async () => expect(await office.spool.waiting()).toEqual([]), LONG);
  expect([first.sent, second.sent]).toEqual([[], ['x']]);
});

test('quiet hours hold a message back, and send it at their end', async () => {
  const office = new Office();
  const fake = new Fake();
  let minute = 0;
  const routes = [{ severity: 'low', tag: null, to: ['fake'], digest: null, quiet: '23:00-07:00' } as const];
  await office.add('x');
  const delivery = office.deliver({ fake }, { routes, minute: () => minute });
  await vi.waitFor(async () => expect(await office.spool.waiting()).toHaveLength(1), LONG);
  expect(fake.sent).toEqual([]);
  minute = 480;
  delivery.wake();
  await vi.waitFor(() => expect(fake.sent).toEqual(['x']), LONG);
});

const ntfyAt = (url: string): Channel =>
  channelOf('ntfy', channelsWith({ ntfy: { url, topic: 'town', token: 'tk_secret' } }));
const sendTo = async (url: string, limitMs = 2_000): Promise<Undelivered> => {
  const failure: unknown = await ntfyAt(url)
    .send(message(), AbortSignal.timeout(limitMs))
    .catch((error: unknown) => error);
  if (!(failure instanceof Undelivered)) throw new Error(`it took the message: ${String(failure)}`);
  return failure;
};

test('a server that is not there, is silent, lies, floods or sends elsewhere has taken nothing', async () => {
  const away = await sendTo('http://127.0.0.1:1');
  expect(away.message).toMatch(/cannot be reached \(ECONNREFUSED\)|request failed/);
  // No name ends with it (RFC 6761, 6.4).
  const unknown = await sendTo('http://town.invalid');
  const silent = await WebServer.start({ afterMs: LONG });
  const late = await sendTo(silent.url, 200);
  expect(late.message).toContain('did not answer');
  expect([away, unknown, late].map(({ isUnsure }) => isUnsure)).toEqual([false, false, true]);
  const lies = await WebServer.start({ body: '<html>welcome</html>' });
  expect((await sendTo(lies.url)).message).toContain('not as this service does');
  const floods = await WebServer.start({ status: 500, body: 'x'.repeat(10_000_000) });
  expect((await sendTo(floods.url)).message.length).toBeLessThanOrEqual(CHANNELS.maxSaid);
  const elsewhere = await WebServer.start();
  const sends = await WebServer.start({ status: 307, headers: { location: elsewhere.url } });
  expect((await sendTo(sends.url)).message).toContain('HTTP 307');
  expect(elsewhere.got).toEqual([]);
});

test('what a server says of a message decides whether it is tried again', async () => {
  const server = await WebServer.start({ status: 429, headers: { 'retry-after': '7' } });
  expect(await sendTo(server.url)).toMatchObject({ isFinal: false, retryMs: 7_000 });
  server.answer = { status: 413 };
  expect(await sendTo(server.url)).toMatchObject({ isFinal: true });
  server.answer = { status: 422 };
  expect(await sendTo(server.url)).toMatchObject({ isFinal: true });
  for (const status of [400, 404, 405, 407, 410]) {
    server.answer = { status };
    expect(await sendTo(server.url)).toMatchObject({ isFinal: false });
  }
  server.answer = { status: 401, body: 'token tk_secret is wrong' };
  const refused = await sendTo(server.url);
  expect(refused).toMatchObject({ isFinal: false });
  expect(refused.message).toBe('HTTP 401: token (a secret) is wrong');
});

test.each(['slack', 'discord', 'webhook'] as const)(
  'the address of %s, and its path alone, are in no sentence',
  async (name) => {
    const server = await WebServer.start();
    const url = `${server.url}/services/T0/${'s'.repeat(40)}`;
    const channel = channelOf(name, channelsWith({ [name]: { url } }));
    const path = new URL(url).pathname;
    // Also where the sentence is cut in the middle of it.
    for (const body of [url, `no ${path}`, `${'x'.repeat(CHANNELS.maxSaid - 30)}${path}`]) {
      server.answer = { status: 500, body };
      const failure = await channel.send(message(), AbortSignal.timeout(LONG)).catch(String);
      expect(failure).toContain('HTTP 500');
      expect(failure).not.toContain('ssss');
    }
  },
);
