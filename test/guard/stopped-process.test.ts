/** A town or a guard that is stopped, and a start that a stop overtakes: each is told with its pid and the way out, and no caller waits for ever. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { stopTown } from '../../src/guard/stop.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { who } from '../../state/process/pid-files.ts';
import { gone, isAlive, newYard, WAIT } from './yard.ts';

/** Stopped until the test is over, or until it is continued. All its threads have to come to a stop. */
async function hold(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, 'SIGCONT');
  });
  await vi.waitFor(() => expect(held(pid)).toBe(true), WAIT);
}

function held(pid: number): boolean {
  const processes = createProcesses();
  const proc = processes.proc(pid);
  return proc !== null && processes.cannotRun(proc);
}

test('up beside a stopped town names it and the way out; continued, it is the town that runs', async () => {
  const yard = newYard({ callMs: 500 });
  const { pid, guardPid, epoch } = await yard.up();
  await hold(pid);
  await expect(yard.up()).rejects.toMatchObject({
    exit: 1,
    code: 'town_held',
    message: `the town (pid ${String(pid)}) is stopped or waits for a disk; \`kill -CONT ${String(pid)}\` continues a stopped one, \`town down\` ends it`,
  });
  process.kill(pid, 'SIGCONT');
  await yard.statusWhen((s) => s.ready);
  // It may answer before the last of its threads runs again.
  await vi.waitFor(() => expect(held(pid)).toBe(false), WAIT);
  expect(await yard.up()).toEqual({ pid, guardPid, epoch, alreadyRunning: true });
});

test('up where the guard is stopped and its town is gone names the guard; continued, it brings the town back', async () => {
  const yard = newYard();
  const { pid, guardPid, epoch } = await yard.up();
  await hold(guardPid!);
  process.kill(pid, 'SIGKILL');
  await gone(pid);
  await expect(yard.up()).rejects.toMatchObject({
    code: 'guard_held',
    message: expect.stringContaining(`the guard (pid ${String(guardPid)}) is stopped`) as string,
  });
  process.kill(guardPid!, 'SIGCONT');
  expect(await yard.statusWhen((s) => s.guard_pid !== null)).toMatchObject({ guard_pid: guardPid, epoch: epoch + 1 });
});

// Rules: I-14, C-12.
test('down ends the town that has the root, and no other process that daemon.pid names', async () => {
  const yard = newYard();
  const { pid } = await yard.up();
  const other = spawn('sleep', ['1000']);
  onTestFinished(() => void other.kill('SIGKILL'));
  const file = join(yard.root, 'daemon/daemon.pid');
  const said = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...said, ...who(createProcesses().proc(other.pid!)!) }));
  expect(await stopTown(yard.settings)).toMatchObject({ pid, forced: [], left: [] });
  expect(isAlive(pid)).toBe(false);
  expect(isAlive(other.pid!)).toBe(true);
});

test('down ends a stopped guard by force, and says that it was stopped', async () => {
  const yard = newYard();
  const { pid, guardPid } = await yard.up();
  await hold(guardPid!);
  expect(await stopTown(yard.settings)).toMatchObject({
    pid,
    guardPid,
    forced: [guardPid],
    held: [guardPid],
    left: [],
  });
});

test('an up that a down overtakes ends at once, says so, and nothing keeps running', async () => {
  const yard = newYard();
  writeFileSync(join(yard.root, 'fail'), 'throw');
  const up = yard.up().catch((error: unknown) => error);
  await vi.waitFor(() => expect(yard.guardLog()).toContain('the town fell'), WAIT);
  const { guardPid, left } = await stopTown(yard.settings);
  expect(left).toEqual([]);
  expect(await up).toMatchObject({
    exit: 1,
    code: 'overtaken',
    message: expect.stringMatching(
      /^the town was ordered to stop while it was started: town down, .*; `town up` starts it again$/,
    ) as string,
  });
  expect(isAlive(guardPid!)).toBe(false);
  rmSync(join(yard.root, 'fail'));
  expect(await yard.up()).toMatchObject({ alreadyRunning: false });
});

test('a down that comes before a town, run by hand, is on record leaves none running', async () => {
  const yard = newYard();
  const [node, ...args] = yard.command.filter((word) => word !== '--guarded');
  const child = spawn(node!, args, { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await vi.waitFor(() => expect(existsSync(join(yard.root, 'daemon', 'lock.db'))).toBe(true), { ...WAIT, interval: 1 });
  await stopTown(yard.settings);
  await gone(child.pid!);
});
