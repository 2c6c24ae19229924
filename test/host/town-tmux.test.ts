/** The right to kill and the connection, on a real tmux: epoch and owner are asked anew, and what is gone owns nothing. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import type { Proc } from '../../machines/protocol.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { loadSettings } from '../../src/config/load.ts';
import type { Host } from '../../src/host/host.ts';
import { Packs } from '../../src/screen/packs.ts';
import { createTownTmux, type TownTmux } from '../../src/host/town-tmux.ts';
import { createHands } from '../../src/town/hands.ts';
import type { HandsNeeds } from '../../src/host/hands-needs.ts';
import { SocketHold } from '../../src/tmux/socket-hold.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { realDisk } from '../../state/files/disk.ts';
import { beginEpoch } from '../../state/process/epoch.ts';
import { makeFolders } from '../../state/folders.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { Store } from '../../state/store.ts';
import { incarnation } from '../world/drive.ts';
import { withServer, type TestServer } from '../tmux/server.ts';
import { freshFolder } from '../world/over.ts';

interface Yard extends Omit<HandsNeeds, 'announce' | 'broken'> {
  readonly door: TownTmux;
  readonly server: TestServer;
  /** A successor starts. */
  newer(): Promise<unknown>;
}

async function yard(): Promise<Yard> {
  const server = await withServer();
  const root = freshFolder();
  const disk = realDisk(root, 0);
  const wall = () => systemClock.wall();
  await makeFolders(disk, wall(), 1);
  const quarantine = new Quarantine({ disk, wall, onRefused: () => undefined });
  const settings = loadSettings({ root, set: [`tmux.socket=${server.socketPath}`] });
  const epoch = await beginEpoch(disk, quarantine, wall());
  const logger = pino({ enabled: false });
  const self = { pid: process.pid, started: '1@boot' };
  const host = {
    disk,
    epoch,
    logger,
    self,
    processes: createProcesses(),
    packs: new Packs(),
    clock: systemClock,
  } as unknown as Host;
  const { processes } = host;
  const hold = new SocketHold({ socketPath: server.socketPath, root, self, processes });
  const door = createTownTmux(settings, host, () => undefined, hold);
  onTestFinished(async () => {
    await door.tmux.close();
    await hold.release();
    await server.close();
    rmSync(root, { recursive: true, force: true });
  });
  const store = new Store({ disk, policy: settings.state, heardWithinMs: 0, wall, onRefused: () => undefined });
  return { door, server, host, settings, store, quarantine, hold, newer: () => beginEpoch(disk, quarantine, wall()) };
}

test('a newer epoch takes the right to kill away', async () => {
  const { door, newer } = await yard();
  expect(await door.mayKill()).toBe(true);
  await newer();
  expect(await door.mayKill()).toBe(false);
});

test('with the server gone the rest of an execution still may end: no other town can own it', async () => {
  const { door, server } = await yard();
  await server.tmux('kill-server');
  // While it ends tmux tells neither, which is no right.
  await expect.poll(() => door.mayKill().catch(() => null), { timeout: 120_000 }).toBe(true);
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

test('a server that another root owns is kept out of, not absent: what lives and ends in it is told by tmux', async () => {
  const { server, host, settings, store, quarantine, hold } = await yard();
  const announce = (): void => undefined;
  await store.readRecords();
  const hands = await createHands({ settings, broken: null, host, store, quarantine, announce, hold });
  onTestFinished(() => hands.close());
  const other = freshFolder();
  mkdirSync(join(other, 'daemon'));
  writeFileSync(join(other, 'daemon', 'daemon.pid'), String(process.pid));
  await server.tmux('set-option', '-s', '@town_owner', `0123456789abcdef-7 ${other}`);
  await server.tmux('new-session', '-d', '-s', 'one', 'sh', '-c', 'read line');
  await server.tmux('set-option', '-t', '=one:', 'remain-on-exit', 'on');
  const format = '#{pid} #{session_id} #{pane_id} #{pane_pid}';
  const [serverPid, sessionId = '', paneId = '', pid] = (
    await server.tmux('display-message', '-p', '-t', '=one:', format)
  ).split(' ');
  const proc = (text = ''): Proc => host.processes.proc(Number(text)) ?? { pid: Number(text), started: 'gone' };
  const one = incarnation('one', { session: 'one', server: proc(serverPid), sessionId, paneId, agent: proc(pid) });
  await server.tmux('send-keys', '-t', paneId, 'Enter');
  // tmux may not have noticed yet: the scan makes it.
  await expect.poll(() => host.processes.alive(one.agent), { timeout: 120_000 }).toBe(false);

  const order = { id: { name: 'connect' }, type: 'connect', what: 'tmux' } as const;
  await expect(hands.perform.connect(order, new AbortController().signal)).rejects.toThrow(other);
  expect(hands.degradedBy()).toContain(other);
  const scan = { id: { name: 'sessions/scan' }, type: 'scan', known: [one] } as const;
  expect(await hands.perform.scan(scan, new AbortController().signal)).toMatchObject({
    server: 'up',
    seen: [{ name: 'one', life: 'dead', exit: { kind: 'code', code: 0 } }],
  });
});
