/**
 * The guard's process: own session, folder `/`, output into daemon/guard.log. Imports nothing heavy (50 MB resident).
 * One guard a root: it holds a lock of its own, so that two starters at once leave one guard.
 */
import { spawn } from 'node:child_process';
import { existsSync, ftruncateSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { realDisk, textOf, type Disk } from '../../state/files/disk.ts';
import { FILES } from '../../state/files/layout.ts';
import { readEpoch } from '../../state/process/epoch.ts';
import { LockRefused, takeGuardLock } from '../../state/process/lock.ts';
import { runningOf } from '../../state/process/pid-files.ts';
// Loaded from the start: another version may be installed meanwhile, and then an alarm would find its file no more.
import { tellerOf } from './teller.ts';
import { systemClock } from '../ports/clock.ts';
import { node } from '../proc/node.ts';
import { createProcesses, killTown } from '../proc/processes.ts';
import { print } from '../terminal/streams.ts';
import { awayTo, clearPlaces } from './displace.ts';
import { EXIT, type End } from './exits.ts';
import { launchGuard } from './launch.ts';
import { Guard, type GuardNeeds } from './guard.ts';
import { NO_PREDECESSORS, parseOrders, type GuardOrders } from './orders.ts';
import { whoIsThere } from './liveness.ts';
import { takeOver } from './takeover.ts';
import { isoOf } from '../../machines/kernel/iso-time.ts';

const STDOUT = 1;

function say(text: string): void {
  print(`${isoOf(systemClock.wall())} guard ${String(process.pid)} ${text}\n`);
}

/** The log is for the last words of processes that cannot log any more: it is emptied, not rotated. */
function trimLog({ root, policy }: GuardOrders): void {
  const log = statSync(join(root, FILES.guardLog), { throwIfNoEntry: false });
  if (log !== undefined && log.size > policy.logBytes) ftruncateSync(STDOUT);
}

/** In a session and group of its own: what is sent to the guard's group does not reach it. */
function spawnTown(command: readonly [string, ...string[]], ended: (end: End) => void): number | null {
  const [named, ...args] = command;
  // The Node that it was started with may be gone by now.
  const program = named === process.execPath || !existsSync(named) ? node.find() : named;
  const child = spawn(program, args, { cwd: '/', detached: true, stdio: ['ignore', 'inherit', 'inherit'] });
  child.on('error', (error) => {
    say(`the town could not be started: ${error.message}`);
    ended({ kind: 'exit', code: EXIT.failed });
  });
  child.on('exit', (code, signal) =>
    ended(code === null ? { kind: 'signal', signal: signal ?? 'a signal' } : { kind: 'exit', code }),
  );
  return child.pid ?? null;
}

/** An unreadable epoch is unknown, and supersedes no guard. */
const newestEpoch = (disk: Disk): Promise<number | null> => readEpoch(disk).catch(() => null);

async function main(): Promise<number> {
  const orders = parseOrders(process.argv[2]);
  const disk = realDisk(orders.root, systemClock.now());
  const away = awayTo(disk, say);
  const running = runningOf(disk, orders.policy.maxRecordBytes, away);
  const processes = createProcesses();
  const take = () => takeGuardLock({ root: orders.root, disk });
  const townNow = async () => (await whoIsThere(orders.root, running, processes)).town;
  if (!(await takeOver(orders.instead, { processes, running, policy: orders.policy, take, townNow }))) {
    say('ends: another guard has this root');
    return EXIT.done;
  }
  const tellPerson = tellerOf(orders, disk, say);
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort());
  // It has no terminal. The town takes up its configuration at this signal, and then has a new guard.
  process.on('SIGHUP', () => undefined);
  await clearPlaces(orders.root, disk, away, [FILES.guardSocket]);
  const needs: GuardNeeds = {
    clock: systemClock,
    processes,
    kill: (town) => killTown(town),
    running,
    epoch: () => newestEpoch(disk),
    spawn: (command, ended) => {
      trimLog(orders);
      return spawnTown(command, ended);
    },
    succeed: (adopt) => {
      const successor = launchGuard({ ...orders, adopt, instead: NO_PREDECESSORS });
      successor.on('error', (error) => say(`a guard could not be started: ${error.message}`));
    },
    say,
    alarm: (text) => {
      say(`ALARM ${text}`);
      tellPerson(text).catch((error: unknown) => say(`[notify] command was not run: ${textOf(error)}`));
    },
    stop: stop.signal,
  };
  return new Guard(orders, needs).run();
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    const isRefused = error instanceof LockRefused;
    say(
      `failed: ${isRefused ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    process.exit(isRefused ? EXIT.refused : EXIT.failed);
  },
);
