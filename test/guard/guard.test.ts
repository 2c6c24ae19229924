import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { STATE } from '../../state/files/policy.ts';
import { EXIT } from '../../src/guard/exits.ts';
import { guardOrders, launchGuard } from '../../src/guard/launch.ts';
import { connectTown } from '../../src/socket/client.ts';
import { StartFailed } from '../../src/guard/start.ts';
import { stopTown } from '../../src/guard/stop.ts';
import { realDisk } from '../../state/files/disk.ts';
import { runningOf } from '../../state/process/pid-files.ts';
import { channelsWith } from '../channels/make.ts';
import { WebServer } from '../channels/server.ts';
import { tempFolder } from '../world/over.ts';
import { gone, isAlive, newYard, WAIT } from './yard.ts';

test('up starts guard and town detached; a second up says that it runs; down ends both and latches', async () => {
  const yard = newYard();
  const first = await yard.up();
  expect(first).toMatchObject({ alreadyRunning: false });
  expect(await yard.up()).toEqual({ ...first, alreadyRunning: true });
  // stat: pid (comm) state ppid pgrp session
  for (const pid of [first.pid, first.guardPid!]) {
    const fields = readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
      .split(') ')[1]!
      .split(' ');
    expect(fields[3]).toBe(String(pid));
  }
  const stopped = await stopTown(yard.settings);
  expect(stopped).toEqual({
    pid: first.pid,
    guardPid: first.guardPid,
    forced: [],
    held: [],
    left: [],
    unlatched: null,
  });
  expect(isAlive(first.pid) || isAlive(first.guardPid!)).toBe(false);
  expect(existsSync(join(yard.root, 'daemon', 'daemon.pid'))).toBe(false);
  expect(existsSync(join(yard.root, 'daemon', 'guard.json'))).toBe(false);
  expect(existsSync(join(yard.root, 'daemon', 'stopped'))).toBe(true);
  const again = await yard.up();
  expect(again).toMatchObject({ epoch: first.epoch + 1, alreadyRunning: false });
});

// Rules: C-12.
test('kill -9 of the town brings it back; its guard stays', async () => {
  const yard = newYard();
  const { pid, guardPid, epoch } = await yard.up();
  process.kill(pid, 'SIGKILL');
  const status = await yard.statusWhen((s) => s.epoch === epoch + 1 && s.guard_pid !== null);
  expect(status.pid).not.toBe(pid);
  expect(status.guard_pid).toBe(guardPid);
});

// Rules: C-12.
test('kill -9 of the guard brings it back; its town stays, and the new guard guards it', async () => {
  const yard = newYard();
  const { pid, guardPid, epoch } = await yard.up();
  process.kill(guardPid!, 'SIGKILL');
  const status = await yard.statusWhen((s) => s.guard_pid !== null && s.guard_pid !== guardPid);
  expect(status).toMatchObject({ pid, epoch });
  await vi.waitFor(() => expect(yard.guardLog()).toContain(`adopts the town of pid ${String(pid)}`), WAIT);
  process.kill(pid, 'SIGKILL');
  const last = await yard.statusWhen((s) => s.epoch === epoch + 1 && s.guard_pid !== null);
  expect(last.guard_pid).toBe(status.guard_pid);
  // A removed record is no orderly end.
  process.kill(last.guard_pid!, 'SIGKILL');
  const adopted = await yard.statusWhen((s) => s.guard_pid !== null && s.guard_pid !== last.guard_pid);
  rmSync(join(yard.root, 'daemon', 'daemon.pid'));
  process.kill(adopted.pid, 'SIGKILL');
  const back = await yard.statusWhen((s) => s.epoch === epoch + 2 && s.guard_pid !== null);
  // An adopted town that ends in order is not brought back.
  process.kill(back.guard_pid!, 'SIGKILL');
  const kept = await yard.statusWhen((s) => s.guard_pid !== null && s.guard_pid !== back.guard_pid);
  rmSync(join(yard.root, 'daemon', 'daemon.pid'));
  process.kill(kept.pid, 'SIGTERM');
  await vi.waitFor(() => expect(isAlive(kept.guard_pid!), yard.guardLog()).toBe(false), WAIT);
  expect(isAlive(kept.pid)).toBe(false);
});

test('a guard that comes too late brings back a town that fell, and none that ended in order', async () => {
  const yard = newYard();
  const { pid, guardPid, epoch } = await yard.up();
  const file = join(yard.root, 'daemon', 'daemon.pid');
  const record = readFileSync(file, 'utf8');
  const said = await runningOf(realDisk(yard.root, 0), STATE.maxRecordBytes).town();
  const orders = guardOrders(yard.settings, yard.command, said.kind === 'town' ? said.town : null);
  process.kill(pid, 'SIGTERM');
  await gone(guardPid!);
  expect([isAlive(pid), existsSync(file)]).toEqual([false, false]);
  const [code] = (await once(launchGuard(orders), 'exit')) as [number];
  expect([code, existsSync(file)]).toEqual([EXIT.done, false]);
  expect(yard.guardLog()).toContain('it ended in order');

  // As a fall leaves it.
  rmSync(join(yard.root, 'daemon', 'ended.json'));
  writeFileSync(file, record);
  launchGuard(orders);
  await yard.statusWhen((s) => s.epoch === epoch + 1 && s.guard_pid !== null);
});

// Rules: C-12.
test('a town that is stopped is not hung, however long, and is told once; one whose loop blocks is replaced', async () => {
  const yard = newYard({ hangMs: 2_000, heldMs: 3_000 });
  const { pid, epoch } = await yard.up();
  process.kill(pid, 'SIGSTOP');
  const held = `ALARM the town of pid ${String(pid)} is stopped or waits for a disk, 3 s by now`;
  await vi.waitFor(() => expect(yard.guardLog()).toContain(held), WAIT);
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  process.kill(pid, 'SIGCONT');
  expect(await yard.statusWhen(() => true)).toMatchObject({ pid, epoch });
  expect(yard.guardLog().split('ALARM')).toHaveLength(2);
  const client = await connectTown(yard.root, yard.settings.process);
  await client.wake('sessions');
  client.close();
  const status = await yard.statusWhen((s) => s.pid !== pid);
  expect(status.epoch).toBe(epoch + 1);
  expect(yard.guardLog()).toContain('hangs: no progress');
});

// Rules: C-12.
test('a guard that its town started ends that town once it hangs, and brings it back', async () => {
  const yard = newYard({ hangMs: 2_000, startMs: 30_000 });
  const { pid, guardPid, epoch } = await yard.up();
  process.kill(guardPid!, 'SIGKILL');
  const { guard_pid: own } = await yard.statusWhen((s) => s.guard_pid !== null && s.guard_pid !== guardPid);
  await vi.waitFor(() => expect(yard.guardLog()).toContain(`hears the town of pid ${String(pid)}`), WAIT);
  const [, parent] = readFileSync(`/proc/${String(own)}/stat`, 'utf8')
    .split(') ')[1]!
    .split(' ');
  expect(Number(parent)).toBe(pid);
  const client = await connectTown(yard.root, yard.settings.process);
  await client.wake('sessions');
  client.close();
  const back = await yard.statusWhen((s) => s.epoch === epoch + 1 && s.guard_pid !== null);
  expect(back.guard_pid).toBe(own);
  expect(isAlive(pid)).toBe(false);
});

test('a save that does not end is no hang', async () => {
  const yard = newYard({ hangMs: 1_500 });
  const { pid } = await yard.up();
  const client = await connectTown(yard.root, yard.settings.process);
  await client.wake('warrants');
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  expect((await client.status()).pid).toBe(pid);
  client.close();
  expect(yard.guardLog()).not.toContain('hangs');
});

// Rules: law 9.
test('a town that falls again and again is tried for ever, with an alarm, and a hung start does not stop down', async () => {
  const yard = newYard({ maxFalls: 2, readyMs: 8_000 });
  writeFileSync(join(yard.root, 'fail'), 'throw');
  await expect(yard.up()).rejects.toThrow(/not ready within 8 s; its guard goes on trying[\s\S]*the engine is broken/);
  await vi.waitFor(() => expect(yard.guardLog()).toMatch(/ALARM the town fell: .* exit code 1; fall 3 in a row/), WAIT);
  const stopped = await stopTown(yard.settings);
  expect(stopped.guardPid).not.toBe(null);
  expect(stopped.left).toEqual([]);
});

// Rules: law 9, C-7.
test('a machine that is slower than the wait of `up` fails no start while the first town lives', async () => {
  const yard = newYard({ readyMs: 300 });
  const { pid, alreadyRunning } = await yard.up();
  expect(alreadyRunning).toBe(false);
  expect((await yard.statusWhen(({ ready }) => ready)).pid).toBe(pid);
  expect(yard.guardLog()).not.toContain('fall');
});

// Rules: law 9.
test('the alarm of a town that does not come up goes out on channels', async () => {
  const server = await WebServer.start();
  const yard = newYard({ maxFalls: 2, readyMs: 8_000 }, tempFolder('guard'), channelsWith({ ntfy: { topic: 'town' } }));
  writeFileSync(join(yard.root, 'town.toml'), `[ntfy]\nurl = "${server.url}"\ntopic = "town"\n`);
  writeFileSync(join(yard.root, 'fail'), 'throw');
  await expect(yard.up()).rejects.toThrow(/not ready within 8 s/);
  await vi.waitFor(() => expect(server.bodies[0]?.['message']).toMatch(/^the town fell: .* fall 3 in a row/), WAIT);
  await stopTown(yard.settings);
});

test('a town that is refused at its first start leaves nothing behind and says why', async () => {
  const yard = newYard();
  writeFileSync(join(yard.root, 'fail'), '5');
  const failed = await yard.up().catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(StartFailed);
  expect(failed).toMatchObject({ exit: 5, message: expect.stringContaining('belongs to /other/town') as string });
  expect(await yard.status()).toBe(null);
});

// Rules: I-3.
test('two ups at once start one town', async () => {
  const yard = newYard();
  const [one, two] = await Promise.all([yard.up(), yard.up()]);
  expect(two.pid).toBe(one.pid);
  const { epoch, guard_pid: guard } = await yard.statusWhen((s) => s.guard_pid !== null);
  expect(epoch).toBe(one.epoch);
  // Who found the town there already may be answered before its guard has said its pid.
  const guards = [one.guardPid, two.guardPid].filter((pid) => pid !== null);
  expect(guards.length).toBeGreaterThan(0);
  expect([...new Set(guards)]).toEqual([guard]);
});

test('a root whose path is too long for a socket works all the same', async () => {
  const short = newYard();
  const yard = newYard({}, join(short.root, 'deep'.repeat(30)));
  const { pid } = await yard.up();
  expect(await yard.status()).toMatchObject({ pid, ready: true });
});
