/** The right to kill and the connection, on a real tmux: epoch and owner are asked anew, and what is gone owns nothing. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { loadSettings } from '../../src/config/load.ts';
import type { Host } from '../../src/guard/host.ts';
import { openDoor, type Door } from '../../src/hands/door.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { realDisk } from '../../state/disk.ts';
import { beginEpoch } from '../../state/epoch.ts';
import { makeFolders } from '../../state/folders.ts';
import { Quarantine } from '../../state/quarantine.ts';
import { withServer, type TestServer } from '../tmux/server.ts';

interface Yard {
  readonly door: Door;
  readonly server: TestServer;
  /** A successor starts. */
  newer(): Promise<unknown>;
}

async function yard(): Promise<Yard> {
  const server = await withServer();
  const root = mkdtempSync(join(tmpdir(), 'door-'));
  const disk = realDisk(root, 0);
  const wall = () => systemClock.wall();
  await makeFolders(disk, wall(), 1);
  const quarantine = new Quarantine({ disk, wall, onRefused: () => undefined });
  const settings = loadSettings({ root, set: [`tmux.socket=${server.socketPath}`] });
  const epoch = await beginEpoch(disk, quarantine, wall());
  const logger = pino({ enabled: false });
  const host = { disk, epoch, logger, processes: createProcesses(), clock: systemClock } as unknown as Host;
  const door = openDoor(settings, host, () => undefined);
  onTestFinished(async () => {
    await door.tmux.close();
    await server.close();
    rmSync(root, { recursive: true, force: true });
  });
  return { door, server, newer: () => beginEpoch(disk, quarantine, wall()) };
}

test('a newer epoch takes the right to kill away', async () => {
  const { door, newer } = await yard();
  expect(await door.mayKill()).toBe(true);
  await newer();
  expect(await door.mayKill()).toBe(false);
});

test('with the server gone the rest of an execution still may end: nobody else can own it', async () => {
  const { door, server } = await yard();
  await server.tmux('kill-server');
  // While it ends tmux tells neither, which is no right.
  await expect.poll(() => door.mayKill().catch(() => null)).toBe(true);
});

test('a client that ends while the server is claimed is no connection', async () => {
  const { door, server } = await yard();
  const sequence = door.tmux.sequence.bind(door.tmux);
  door.tmux.sequence = async (commands) => {
    await server.tmux('detach-client', '-a').catch(() => undefined);
    for (const client of (await server.tmux('list-clients', '-F', '#{client_name}')).split('\n').filter(Boolean))
      await server.tmux('detach-client', '-t', client);
    for (let n = 0; door.tmux.connected && n < 100; n++) await systemClock.sleep(10);
    return sequence(commands);
  };
  await expect(door.connect()).rejects.toThrow('the control client ended');
});
