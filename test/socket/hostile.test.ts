import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FrameError, FrameReader, toFrame } from '../../src/socket/frames.ts';
import { connectTown } from '../../src/socket/client.ts';
import { METHODS } from '../../src/socket/protocol.ts';
import { openTown, STATUS, WAIT, type FakeTown } from './town.ts';

const LIMITS = { maxHeaderBytes: 64, maxMessageBytes: 1_000 };

function raw(town: FakeTown): Promise<Socket> {
  const socket = connect(town.server.path).on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  return new Promise((resolve) => socket.once('connect', () => resolve(socket)));
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.resume();
    if (socket.destroyed) resolve();
    else socket.once('close', () => resolve());
  });
}

async function stillServes(town: FakeTown): Promise<void> {
  const client = await connectTown(town.root);
  expect(await client.status()).toEqual(STATUS);
  client.close();
}

test('frames survive being cut anywhere', () => {
  const messages = [
    { jsonrpc: '2.0', method: 'a', params: { text: 'ä\r\n\r\n' } },
    { jsonrpc: '2.0', id: 1, result: null },
  ];
  const bytes = Buffer.concat(messages.map(toFrame));
  for (let at = 0; at <= bytes.length; at += 1) {
    const reader = new FrameReader(LIMITS);
    expect([...reader.take(bytes.subarray(0, at)), ...reader.take(bytes.subarray(at))]).toEqual(messages);
  }
});

test.each([
  ['no header', 'x'.repeat(64)],
  ['a header without a length', 'Content-Type: x\r\n\r\n{}'],
  ['two lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
  ['a negative length', 'Content-Length: -5\r\n\r\n{}'],
  ['a length that is no number', 'Content-Length: 12abc\r\n\r\n{}'],
  ['a huge length', 'Content-Length: 1001\r\n\r\n'],
  ['a body that is no JSON', 'Content-Length: 2\r\n\r\n{x'],
  ['a batch', 'Content-Length: 2\r\n\r\n[]'],
  ['a null', 'Content-Length: 4\r\n\r\nnull'],
  ['another protocol', 'Content-Length: 2\r\n\r\n{}'],
])('%s is an error', (_what, text) => {
  expect(() => new FrameReader(LIMITS).take(Buffer.from(text))).toThrow(FrameError);
});

test('garbage ends its connection and nothing else', async () => {
  const town = await openTown();
  const garbage = ['GET / HTTP/1.1\r\nHost: x\r\n\r\n', 'x'.repeat(1_000_000), 'Content-Length: 99999999999\r\n\r\n'];
  for (const text of garbage) {
    const socket = await raw(town);
    socket.write(text);
    await closed(socket);
  }
  const odd = await raw(town);
  odd.write(toFrame({ jsonrpc: '2.0' }));
  odd.write(toFrame({ jsonrpc: '2.0', id: {}, method: 'status', params: 'x' }));
  odd.write(toFrame({ jsonrpc: '2.0', method: '__proto__', params: { __proto__: { polluted: 1 } } }));
  odd.write(toFrame({ jsonrpc: '2.0', method: METHODS.wake, params: { what: 'everything' } }));
  odd.write(toFrame({ jsonrpc: '2.0', method: METHODS.alive, params: [1, 2] }));
  odd.write(toFrame({ jsonrpc: '2.0', id: 7, method: METHODS.request }));
  await stillServes(town);
  await vi.waitFor(() => expect(town.complaints.filter((text) => text.includes('ignored'))).toHaveLength(2), WAIT);
  expect(town.news).toEqual([]);
});

test('a connection that says nothing, or half a message, is closed; one that waits for its answer is not', async () => {
  const town = await openTown({ silentMs: 2_000 });
  const client = await connectTown(town.root);
  const waits = client.request({ verb: 'cancelWarrant', id: 'w', by: 'me' });
  const [mute, half] = [await raw(town), await raw(town)];
  half.write('Content-Length: 500\r\n\r\n{"jsonrpc"');
  await Promise.all([closed(mute), closed(half)]);
  const asked = town.news[0];
  if (asked?.type !== 'REQUESTED') throw new Error('the request did not arrive');
  const order = { type: 'reply', id: { name: 'r' }, to: asked.rpc, reply: { ok: true, value: 1 } } as const;
  await town.desk.reply(order, new AbortController().signal);
  expect(await waits).toEqual({ ok: true, value: 1 });
});

test('200 callers at once are all served', async () => {
  const town = await openTown();
  const clients = await Promise.all(Array.from({ length: 200 }, () => connectTown(town.root)));
  const answers = await Promise.all(clients.map((client) => client.status()));
  expect(answers).toEqual(clients.map(() => STATUS));
  for (const client of clients) client.close();
});

test('of more connections than allowed the oldest that asks nothing ends; a caller is served, and the log has one line', async () => {
  const town = await openTown({ maxClients: 3 });
  const held: Socket[] = [];
  for (let at = 0; at < 20; at += 1) held.push(await raw(town));
  await Promise.all(held.slice(0, 17).map(closed));
  await stillServes(town);
  expect(town.complaints).toEqual(['control socket: more than 3 connections, one was ended']);
});

test('where all connections wait for answers the newest is told why it is refused', async () => {
  const town = await openTown({ maxClients: 3 });
  const clients = await Promise.all([0, 1, 2].map(() => connectTown(town.root)));
  for (const client of clients) client.request({ verb: 'cancelWarrant', id: 'w', by: 'me' }).catch(() => undefined);
  await vi.waitFor(() => expect(town.news).toHaveLength(3), WAIT);
  const late = await connectTown(town.root);
  await expect(late.status()).rejects.toMatchObject({
    isOwnWord: true,
    message: expect.stringContaining('the town takes 3 connections at once') as string,
  });
  clients[0]!.close();
  await vi.waitFor(() => stillServes(town), WAIT);
  clients.forEach((client) => client.close());
});

test('more open requests than allowed end their connection', async () => {
  const town = await openTown({ maxOpenRequests: 4 });
  const socket = await raw(town);
  const params = { verb: 'cancelWarrant', id: 'w', by: 'me' };
  for (let id = 0; id < 5; id += 1) socket.write(toFrame({ jsonrpc: '2.0', id, method: METHODS.request, params }));
  await closed(socket);
  expect(town.news).toHaveLength(4);
  await stillServes(town);
});

test('a caller that asks and never reads is cut off', async () => {
  const town = await openTown({ maxUnreadBytes: 10_000 });
  const socket = await raw(town);
  socket.pause();
  const question = toFrame({ jsonrpc: '2.0', id: 1, method: METHODS.status, params: {} });
  const flood = Buffer.concat(Array.from({ length: 500 }, () => question));
  const gone = new Promise((resolve) => socket.once('error', resolve));
  const pump = (): void => {
    if (!socket.destroyed) socket.write(flood, () => setImmediate(pump));
  };
  pump();
  await gone;
  await stillServes(town);
});

test('an answer that is too large for its caller comes as an error that says so, and the connection stays', async () => {
  const town = await openTown({ maxMessageBytes: 200 });
  const client = await connectTown(town.root);
  onTestFinished(() => client.close());
  await expect(client.status()).rejects.toThrow(/^the town's answer has \d+ bytes, and a message takes 200$/);
  expect(await client.costs(null)).toEqual([]);
});
