/** `town restart` is carried out by the new guard: however the command itself ends, a town runs afterwards. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Proc } from '../../machines/protocol.ts';
import { PROCESS } from '../../src/ports/policy.ts';
import { guardOrders, launchForStart } from '../../src/guard/launch.ts';
import { parseOrders } from '../../src/guard/orders.ts';
import { startTown, type Started } from '../../src/guard/start.ts';
import { takeOver } from '../../src/guard/takeover.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { STATE } from '../../state/files/policy.ts';
import { realDisk } from '../../state/files/disk.ts';
import { takeGuardLock } from '../../state/process/lock.ts';
import { runningOf } from '../../state/process/pid-files.ts';
import { MAIN, until } from '../cli/town.ts';
import { townWith } from './on-server.ts';
import { isAlive, newYard, WAIT, type Yard } from './yard.ts';

const anew = ({ settings, command }: Yard) => startTown(settings, { command, anew: true });

// Rules: C-12.
test('a restart ends town and guard, and the new ones run', async () => {
  const yard = newYard();
  const first = await yard.up();
  const now = await anew(yard);
  expect(now).toMatchObject({ epoch: first.epoch + 1, alreadyRunning: false });
  expect([first.pid, first.guardPid!].filter(isAlive)).toEqual([]);
  expect(yard.guardLog()).not.toContain('the town fell');
  expect(await yard.status()).toMatchObject({ pid: now.pid, guard_pid: now.guardPid });
});

// Rules: C-12, law 9.
test.each(['SIGKILL', 'SIGHUP', 'SIGINT'] as const)('%s of the command between the two halves', async (signal) => {
  const town = await townWith().up();
  const { epoch, pid, guard_pid: guard } = await town.status();
  const command = spawn(process.execPath, [MAIN, '--root', town.root, 'restart'], { env: town.env(), stdio: 'ignore' });
  await until(() => !isAlive(guard!));
  command.kill(signal);
  await vi.waitFor(async () => expect(await town.status()).toMatchObject({ running: true, epoch: epoch + 1 }), WAIT);
  expect(isAlive(pid)).toBe(false);
});

// Rules: C-12.
test('a town that hangs is replaced by force', async () => {
  const yard = newYard({ downMs: 1_000 });
  const first = await yard.up();
  process.kill(first.pid, 'SIGSTOP');
  process.kill(first.guardPid!, 'SIGSTOP');
  expect(await anew(yard)).toMatchObject({ epoch: first.epoch + 1 });
  expect([first.pid, first.guardPid!].filter(isAlive)).toEqual([]);
});

/** The guard of a root that is none of these; null = there is none yet. */
function otherGuard(root: string, known: readonly number[]): number | null {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && !known.includes(Number(name)));
  const found = pids.find((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return words.includes('guard/main') && words.includes(JSON.stringify(root));
    } catch {
      return false; // It has ended.
    }
  });
  return found === undefined ? null : Number(found);
}

// Rules: C-12, law 9.
test.each<[when: string, isDue: (first: Started) => boolean]>([
  ['before it ended anything', () => true],
  ['between the end of the old guard and that of the old town', ({ guardPid }) => !isAlive(guardPid!)],
  ['after the end of the old town', ({ pid }) => !isAlive(pid)],
])('a new guard that is killed %s is launched again, once', async (_, isDue) => {
  const yard = newYard({ downMs: 2_000 });
  const first = await yard.up();
  // The old town takes its time, so that the kill comes in between.
  process.kill(first.pid, 'SIGSTOP');
  const coming = anew(yard);
  const killed = await vi.waitFor(
    () => {
      const pid = otherGuard(yard.root, [first.guardPid!]);
      if (pid === null || !isDue(first)) throw new Error('not yet');
      return pid;
    },
    { ...WAIT, interval: 5 },
  );
  process.kill(killed, 'SIGKILL');
  const now = await coming;
  // The killed guard may have begun a town that no record named yet: it took an epoch, and gave way.
  expect([1, 2]).toContain(now.epoch - first.epoch);
  expect([first.pid, first.guardPid!, killed].filter(isAlive)).toEqual([]);
  expect(await yard.status()).toMatchObject({ pid: now.pid, guard_pid: now.guardPid });
});

// Rules: C-12, law 9.
test('a guard that is launched again guards the town that the killed one had started', async () => {
  const yard = newYard();
  const first = await yard.up();
  const processes = createProcesses();
  const instead = { town: processes.proc(first.pid), guard: processes.proc(first.guardPid!) };
  const guard = launchForStart(guardOrders(yard.settings, yard.command, null, instead));
  const fresh = await yard.statusWhen(
    ({ ready, pid, guard_pid: by }) => ready && pid !== first.pid && by === guard.pid(),
  );
  process.kill(fresh.guard_pid!, 'SIGKILL');
  const now = await yard.statusWhen(({ guard_pid: by }) => by !== null && by !== fresh.guard_pid);
  guard.leave();
  expect(now).toMatchObject({ pid: fresh.pid, epoch: first.epoch + 1 });
});

// Rules: C-12, law 9.
test.each<[whose: string, isOld: boolean]>([
  ['that the old guard started in its last moment ends', true],
  ['that a guard after the old one started is kept', false],
])('a town %s', async (_, isOld) => {
  const { root, settings } = newYard({ downMs: 2_000 });
  const disk = realDisk(root, 0);
  const running = runningOf(disk, STATE.maxRecordBytes);
  const processes = createProcesses();
  const self = processes.proc(process.pid)!;
  const gone = { town: { pid: self.pid, started: 'before' }, guard: { pid: self.pid, started: 'earlier' } };
  const child = spawn('sleep', ['1000'], { stdio: 'ignore', detached: true });
  onTestFinished(() => void child.kill('SIGKILL'));
  const town = processes.proc(child.pid!)!;
  const by = isOld ? gone.guard : { pid: self.pid, started: 'later' };
  const calm = { hears: true, falls: 0, lastExit: null, nextTryAt: null };
  await running.putGuard({ ...by, epoch: null, town, ...calm });
  await running.putTown({ ...town, epoch: 2, version: '0', root, socket: 'none', ports: { inspect: null } });
  const lock = await takeGuardLock({ root, disk });
  onTestFinished(() => lock?.release());
  const needs = { processes, running, policy: settings.process, townNow: () => Promise.resolve(town) };
  expect(await takeOver(gone, { ...needs, take: () => Promise.resolve(lock) })).toBe(true);
  expect(processes.alive(town)).toBe(!isOld);
});

// Rules: C-12, law 9.
test('an old town that no kill ends is left to the new guard', async () => {
  const yard = newYard({ downMs: 200 });
  const processes = createProcesses();
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const town = processes.proc(child.pid!)!;
  // As the kernel does with a process that waits for a disk: signals are taken, and nothing follows.
  const held = { alive: (proc: Proc) => processes.alive(proc), signal: () => true };
  const running = runningOf(realDisk(yard.root, 0), STATE.maxRecordBytes);
  const needs = { processes: held, running, policy: yard.settings.process, townNow: () => Promise.resolve(town) };
  const other = join(yard.root, 'other');
  mkdirSync(join(other, 'daemon'), { recursive: true });
  const take = () => takeGuardLock({ root: other, disk: realDisk(other, 0) });
  expect(await takeOver({ town, guard: null }, { ...needs, take })).toBe(true);
  expect(processes.alive(town)).toBe(true);
});

// Rules: C-13.
test('two restarts at once leave one town, and `down` ends it', async () => {
  const yard = newYard({ downMs: PROCESS.downMs });
  const first = await yard.up();
  const [one, other] = await Promise.all([anew(yard), anew(yard)]);
  expect(one.epoch).toBeGreaterThan(first.epoch);
  expect(isAlive(first.pid)).toBe(false);
  expect([one.pid, other.pid]).toContain((await yard.status())?.pid);
});

// Rules: law 9.
test('a guard whose orders an earlier version wrote, which names no predecessors, takes the place of none', () => {
  const { instead, ...earlier } = guardOrders(newYard().settings, ['town'], null, { town: null, guard: null });
  expect(parseOrders(JSON.stringify(earlier)).instead).toEqual(instead);
});
