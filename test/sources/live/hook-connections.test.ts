/** Many connections at the socket of hooks: those that say nothing end, and a question that is held stays. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { hooksSocket } from '../../../src/sources/claude-hooks.ts';
import { SOURCES } from '../../../src/sources/policy.ts';
import { whenOver } from '../../world/over.ts';
import { hook, LIFE, town } from './hooked.ts';

const SLOW = { timeout: 60_000 };

test('connections that say nothing end, and one line says that there were too many; a held question stays', async () => {
  const it = await town();
  const held = hook(it, {});
  await expect.poll(async () => (await it.server.of(LIFE)).length, SLOW).toBe(1);
  const open = new Set<Socket>();
  for (let at = 0; at < SOURCES.maxHeldConnections + 20; at += 1) {
    const socket = connect(hooksSocket(it.settings)).on('error', () => undefined);
    open.add(socket.on('close', () => open.delete(socket)).resume());
    // The kernel's queue is shorter than what the server takes.
    if (at % 10 === 0) await once(socket, 'connect');
    if (at % 2 === 0) socket.write('POST /hook HTTP/1.1\r\nHost: town\r\nContent-Length: 500\r\n\r\n{"half"');
  }
  whenOver(() => open.forEach((socket) => socket.destroy()));
  await expect.poll(() => open.size, SLOW).toBe(0);
  expect(it.complaints).toEqual([expect.stringMatching(/^hooks: more than 512 connections, the newest was refused/)]);
  const [question] = await it.server.of(LIFE);
  expect(question?.isAnswered).toBe(false);
  expect(it.server.answer(question!.key, { behavior: 'allow' })).toBe('taken');
  expect((await held.ended).printed).toContain('allow');
});
