import { once } from 'node:events';
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PROCESS } from '../../src/ports/policy.ts';
import type { Request } from '../../machines/protocol.ts';
import { connectTown, TownNotRunning, TownSilent } from '../../src/socket/client.ts';
import { socketPath } from '../../state/process/socket-path.ts';
import { LETTERS, openTown, STATUS, TOKEN, WAIT } from './town.ts';
import { freshFolder } from '../world/over.ts';

const START: Request = {
  verb: 'startSession',
  spec: { name: 'a', command: ['sleep', '1'], dir: '/tmp', tags: [], restart: 'transient', process: null },
};

test('a caller learns the status over a socket that only its owner may open', async () => {
  const { root, server } = await openTown();
  const client = await connectTown(root);
  expect(await client.status()).toEqual(STATUS);
  client.close();
  expect(statSync(server.path).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(server.path)).mode & 0o777).toBe(0o700);
});

// Rules: law 11.
test('a caller with a token is shown how many letters wait for the operator, and none of them', async () => {
  const { root } = await openTown();
  for (const [token, mail] of [
    [undefined, LETTERS],
    [TOKEN, []],
    ['a token of none', []],
  ] as const) {
    const client = await connectTown(root, PROCESS, token);
    expect(await client.overview()).toMatchObject({ mail, mail_count: 1 });
    client.close();
  }
});

test('a request becomes news, and the reply order answers exactly its caller', async () => {
  const { root, desk, news } = await openTown();
  const [one, two] = [await connectTown(root), await connectTown(root)];
  const first = one.request(START);
  await vi.waitFor(() => expect(news).toHaveLength(1), WAIT);
  const second = two.request({ verb: 'cancelWarrant', id: 'w-1', by: 'operator' });
  await vi.waitFor(() => expect(news).toHaveLength(2), WAIT);
  const rpcs = news.map((body) => (body.type === 'REQUESTED' ? body.rpc : ''));
  const reply = { type: 'reply', id: { name: 'x' }, to: rpcs[1]!, reply: { ok: true, value: 'second' } } as const;
  await desk.reply(reply, new AbortController().signal);
  expect(await second).toEqual({ ok: true, value: 'second' });
  await desk.reply({ ...reply, to: rpcs[0]!, reply: { ok: true, value: 'first' } }, new AbortController().signal);
  expect(await first).toEqual({ ok: true, value: 'first' });
  // Performed twice, and for a caller who left: harmless.
  await desk.reply({ ...reply, to: 'nobody' }, new AbortController().signal);
  one.close();
  two.close();
});

test('twenty calls at once over one connection are answered each, or learn each that the town hung up, without a warning', async () => {
  const warnings: Error[] = [];
  const warned = (warning: Error): void => void warnings.push(warning);
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  const { root, news, server } = await openTown();
  const client = await connectTown(root);
  const twenty = Array.from({ length: 20 });
  expect(await Promise.all(twenty.map(() => client.status()))).toEqual(twenty.map(() => STATUS));
  const waiting = Promise.allSettled(twenty.slice(8).map(() => client.request(START)));
  await vi.waitFor(() => expect(news).toHaveLength(12), WAIT);
  await server.close();
  for (const one of await waiting) expect(one).toMatchObject({ reason: expect.any(TownSilent) as TownSilent });
  expect(warnings).toEqual([]);
});

test('a request that the town never comes to is answered all the same', async () => {
  const { root, desk } = await openTown({ orderMs: 50 });
  const client = await connectTown(root);
  expect(await client.request(START)).toMatchObject({ ok: false, exit: 1, code: 'not_answered' });
  const ending = await openTown();
  const other = await connectTown(ending.root);
  const waits = other.request(START);
  await vi.waitFor(() => expect(ending.news).toHaveLength(1), WAIT);
  ending.desk.close();
  expect(await waits).toMatchObject({ ok: false, exit: 3, code: 'town_ending' });
  desk.close();
});

test.each([
  [{ verb: 'startSession', spec: { ...START.spec, name: '-t=x' } }, 'spec.name is no session name'],
  [{ verb: 'startSession', spec: { ...START.spec, command: [] } }, 'spec.command is empty'],
  [{ verb: 'startSession', spec: { ...START.spec, command: ['a\0b'] } }, 'spec.command.0 contains a NUL'],
  [{ verb: 'startSession', spec: { ...START.spec, dir: 'here' } }, 'spec.dir is no absolute path'],
  [{ verb: 'startSession', spec: { ...START.spec, extra: 1 } }, 'spec has "extra", which this message does not have'],
  [{ verb: 'startSession', spec: { ...START.spec, tags: 'x' } }, 'spec.tags is missing, or is no list'],
  [{ verb: 'startSession', spec: { ...START.spec, restart: 'often' } }, 'spec.restart is none of "permanent"'],
  [{ verb: 'dance' }, 'verb is missing, or is none of startSession, '],
])('a malformed request %j is refused in a sentence about its field', async (request, sentence) => {
  const { root, news } = await openTown();
  const client = await connectTown(root);
  const reply = await client.request(request as unknown as Request);
  expect(reply).toMatchObject({ ok: false, exit: 2, code: 'malformed_request' });
  expect(reply.ok || reply.text).toContain(sentence);
  expect(reply.ok || reply.text).not.toMatch(/expected|Invalid|Unrecognized/);
  expect(news).toEqual([]);
});

test('wakes and answers become news; many wakes of one folder are few', async () => {
  const { root, news } = await openTown();
  const client = await connectTown(root);
  await client.alive('K73F', 'uuid-1');
  for (let n = 0; n < 200; n += 1) await client.wake('warrants');
  await client.wake('sessions');
  await vi.waitFor(() => expect(news).toContainEqual({ type: 'CHANGED', what: 'sessions' }), WAIT);
  expect(news).toContainEqual({ type: 'ALIVE_ANSWERED', code: 'K73F', uuid: 'uuid-1' });
  expect(news.filter((body) => body.type === 'CHANGED' && body.what === 'warrants').length).toBeLessThan(200);
});

test('stop is passed on and answered with the pid', async () => {
  const town = await openTown();
  const client = await connectTown(town.root);
  expect(await client.stop()).toEqual({ pid: process.pid });
  expect(town.stops()).toBe(1);
});

test('no listener: not running; one that does not answer: silent', async () => {
  await expect(connectTown(freshFolder())).rejects.toThrow(TownNotRunning);
  const root = freshFolder();
  mkdirSync(join(root, 'daemon'));
  const mute = createServer(() => {}).listen(socketPath(root, PROCESS.maxSocketPathBytes));
  onTestFinished(() => void mute.close());
  const client = await connectTown(root, { ...PROCESS, callMs: 50 });
  await expect(client.status()).rejects.toThrow(TownSilent);
  client.close();
});

test('a town that dies with a caller still in its queue hung up: that is no other kind of failure', async () => {
  const root = freshFolder();
  mkdirSync(join(root, 'daemon'));
  const dying = createServer().listen(socketPath(root, PROCESS.maxSocketPathBytes));
  await once(dying, 'listening');
  // The kernel connects at once; the town goes before it accepts.
  const connecting = connectTown(root);
  dying.close();
  await expect(connecting.then((client) => client.status())).rejects.toThrow(TownSilent);
});

test('a town that ended hung up, whenever one asks', async () => {
  const town = await openTown();
  const client = await connectTown(town.root);
  await client.status();
  await town.server.close();
  await vi.waitFor(() => expect(client.status()).rejects.toThrow('hung up'), WAIT);
  await expect(client.wake('warrants')).rejects.toThrow(TownSilent);
});

test('a stale socket is replaced, anything else in its place is refused, and a successor keeps its own', async () => {
  const root = freshFolder();
  const first = await openTown({}, root);
  const second = await openTown({}, root);
  await first.server.close();
  const client = await connectTown(root);
  expect(await client.status()).toEqual(STATUS);
  await second.server.close();
  await expect(connectTown(root)).rejects.toThrow(TownNotRunning);

  const other = freshFolder();
  mkdirSync(join(other, 'daemon'), { mode: 0o700 });
  writeFileSync(join(other, 'daemon', 'town.sock'), 'mine');
  await expect(openTown({}, other)).rejects.toThrow('is not a socket');
});

test('a long root gets a short socket in a private folder', async () => {
  const root = join(freshFolder(), 'deep'.repeat(30));
  mkdirSync(root, { recursive: true });
  const { server } = await openTown({}, root);
  expect(Buffer.byteLength(server.path)).toBeLessThanOrEqual(PROCESS.maxSocketPathBytes);
  expect(server.path.startsWith(tmpdir())).toBe(true);
  expect(statSync(dirname(server.path)).mode & 0o777).toBe(0o700);
  const client = await connectTown(root);
  expect(await client.status()).toEqual(STATUS);
  client.close();
});

test('a folder that is a symlink is no place for the socket', async () => {
  const root = freshFolder();
  symlinkSync(freshFolder(), join(root, 'daemon'));
  await expect(openTown({}, root)).rejects.toThrow('not a folder of this user');
});
