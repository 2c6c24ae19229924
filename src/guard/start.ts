/**
 * `town up`: lifts the latch, starts the guard detached, waits until the town is ready. Safe to call twice, or at once by two.
 */
import { join } from 'node:path';
import type { Proc } from '../../machines/protocol.ts';
import { codeOf, realDisk, wordsOf } from '../../state/files/disk.ts';
import { mustNotBeGasTown } from '../../state/files/gas-town.ts';
import { FILES, FOLDERS } from '../../state/files/layout.ts';
import { mustTakeStart } from '../../state/folders.ts';
import { runningOf, type Running } from '../../state/process/pid-files.ts';
import { systemClock } from '../ports/clock.ts';
import { mustBeOurs } from '../config/root.ts';
import { createProcesses, type ProcessTable } from '../proc/processes.ts';
import { connectTown, TownNotRunning, TownSilent } from '../socket/client.ts';
import type { StatusView } from '../socket/protocol.ts';
import { awayTo, clearPlaces } from './displace.ts';
import { EXIT } from './exits.ts';
import { lastSaid, sizeOf } from './last-words.ts';
import { guardOrders, launchForStart, townCommand, type Launched, type TownSettings } from './launch.ts';
import { heldText, heldWatch, whoIsThere } from './liveness.ts';
import { patienceOf, type Patience } from './patience.ts';
import type { Predecessors } from './orders.ts';
import { mustBeThere, programFile } from '../package.ts';
import { span } from '../../machines/kernel/span.ts';

export interface Started {
  readonly pid: number;
  /** null = it runs without a guard (`daemon run` by hand). */
  readonly guardPid: number | null;
  readonly epoch: number;
  readonly alreadyRunning: boolean;
}

export interface StartOptions {
  /** Opens the inspector's port, even if the configuration does not. */
  readonly inspect?: boolean;
  /** The town that runs makes way for a new one (`town restart`). */
  readonly anew?: boolean;
  /** The town's program; this package's own unless a test says otherwise. */
  readonly command?: readonly [string, ...string[]];
  /** Told what stood in the way and was put away. */
  readonly say?: (text: string) => void;
}

/** The town did not come up. `exit` is an exit code of the command line (README); the message says why and what to do. */
export class StartFailed extends Error {
  override readonly name = 'StartFailed';
  readonly exit: number;
  /** For programs. */
  readonly code: string;
  constructor(exit: number, message: string, code = 'failed') {
    super(message);
    this.exit = exit;
    this.code = code;
  }
}

/** Resolves when the town is ready. Rejects with `StartFailed`. */
export async function startTown(settings: TownSettings, options: StartOptions = {}): Promise<Started> {
  const { root } = settings;
  const clock = systemClock;
  const patience = patienceOf(settings.process, clock);
  const { running, clear } = await openRoot(root, settings.state.maxRecordBytes, options.say ?? (() => undefined));
  const mustMove = moversOf(settings, running);
  const processes = createProcesses();
  if (options.anew !== true) {
    await mustMove();
    const there = await statusOf(settings);
    if (there !== null && (await running.stopped()) === null) {
      return waitReady(settings, running, patience, started(there, true));
    }
    if (there !== null) await waitGone(settings, clock.now() + settings.process.downMs);
    else while ((await mustMove()).isHeld) await clock.sleep(settings.process.pollEveryMs);
  }
  await mustHaveRoom(settings);
  await running.unlatch();
  await clear();
  const logged = sizeOf(join(root, FILES.guardLog));
  const command = options.command ?? townCommand(root, options.inspect === true ? ['--inspect'] : []);
  mustBeThere(programFile('guard/main'));
  const instead =
    options.anew === true
      ? await whoRuns(settings, running, processes)
      : { town: null, guard: await waitingGuard(running) };
  const guard = launchForStart(guardOrders(settings, command, null, instead));
  const old = (): Proc[] =>
    [instead.guard, instead.town].filter((one): one is Proc => one !== null && processes.alive(one));
  return comeUp(settings, running, { patience, mustMove, guard, logged, old }).finally(() => guard.leave());
}

interface Coming {
  readonly patience: Patience;
  readonly mustMove: () => Promise<There>;
  readonly guard: Launched;
  /** Size of the guard's log before this start. */
  readonly logged: number;
  /** Those that live of the ones that make way. */
  readonly old: () => readonly Proc[];
}

async function comeUp(settings: TownSettings, running: Running, coming: Coming): Promise<Started> {
  const { patience, mustMove, logged, old } = coming;
  const { ends } = coming.guard;
  for (;;) {
    await mustBeWanted(settings, running, ends);
    const left = old();
    if (left.length > 0) await mustMakeWay(settings, running, coming);
    const status = left.length > 0 ? null : await statusOf(settings);
    const isReady = status?.ready === true;
    if (isReady && status.guard_pid !== null) return started(status, false);
    // 0 = another guard was first: its town is on its way.
    const failed = ends.find((exit) => exit !== EXIT.done);
    if (failed !== undefined) {
      if (left.length > 0) throw stillThere(settings, left, '`town up` starts it');
      throw new StartFailed(failed, `the town could not be started: ${await lastSaid(settings, logged)}`);
    }
    const town = status?.pid ?? (left.length > 0 ? null : (await mustMove()).town);
    const lives = !isReady && (town !== null || ends.length === 0);
    if (patience.isOver(lives ? town : undefined)) break;
    await systemClock.sleep(settings.process.pollEveryMs);
  }
  throw new StartFailed(
    EXIT.failed,
    `the town was not ready within ${span(patience.limitMs())}; its guard goes on trying, \`town down\` ends it; ` +
      `the last that was said: ${await lastSaid(settings, logged)}`,
  );
}

/** Rejects once the new guard keeps an old town, which no kill ends while it waits for a disk. */
async function mustMakeWay(settings: TownSettings, running: Running, { guard, old }: Coming): Promise<void> {
  const post = await running.guard();
  const left = post !== null && post.pid === guard.pid() ? old() : [];
  if (left.length > 0) throw stillThere(settings, left, 'its guard starts the town anew');
}

function stillThere({ root }: TownSettings, left: readonly Proc[], next: string): StartFailed {
  const pids = left.map(({ pid }) => pid).join(',');
  const text = `pids ${pids} did not end; see \`ps -p ${pids}\` and ${join(root, FILES.guardLog)}; once they are gone, ${next}`;
  return new StartFailed(EXIT.failed, text, 'still_there');
}

/** So many of its guard's looks a town may wait for a disk before `up` calls it held; one that only opens its records goes on. */
const HELD_LOOKS = 3;

interface There {
  /** Town or guard cannot run just now. */
  readonly isHeld: boolean;
  /** The pid of the living town; null = there is none. */
  readonly town: number | null;
}

/** Rejects once town or guard stays held: then there is nothing to wait for. */
function moversOf(settings: TownSettings, running: Running): () => Promise<There> {
  const processes = createProcesses();
  const watch = heldWatch(systemClock, processes, settings.process.watchEveryMs * HELD_LOOKS);
  return async () => {
    const { town, guard, came } = await whoIsThere(settings.root, running, processes);
    if (came !== null) throw new StartFailed(EXIT.refused, came, 'moved');
    const look = (what: 'town' | 'guard', proc: Proc | null): 'free' | 'held' => {
      if (proc === null) return 'free';
      const found = watch(proc);
      if (found !== 'stays') return found;
      throw new StartFailed(EXIT.failed, `${heldText(what, proc.pid)}, \`town down\` ends it`, `${what}_held`);
    };
    const isHeld = [look('town', town), look('guard', guard)].includes('held');
    return { isHeld, town: town?.pid ?? null };
  };
}

/** Rejects when `town down` came meanwhile, once the guard that was launched is gone: its town goes with it, or never came. */
async function mustBeWanted(
  { process: limits }: TownSettings,
  running: Running,
  ends?: readonly number[],
): Promise<void> {
  const stopped = await running.stopped();
  if (stopped === null) return;
  const until = systemClock.now() + limits.downMs;
  while (ends?.length === 0 && systemClock.now() < until) await systemClock.sleep(limits.pollEveryMs);
  throw new StartFailed(EXIT.failed, `the town was ordered to stop while it was started: ${stopped}`, 'overtaken');
}

/** By the records and the lock; if these name no process, by the town's own answer. */
export async function whoRuns(
  settings: TownSettings,
  running: Running,
  processes: ProcessTable,
): Promise<Predecessors> {
  const recorded = await whoIsThere(settings.root, running, processes);
  if (recorded.town !== null && recorded.guard !== null) return recorded;
  const status = await statusOf(settings).catch(() => null); // who cannot be asked is known by nothing else either
  if (status === null) return recorded;
  const { pid, guard_pid: guardPid } = status;
  return {
    town: recorded.town ?? processes.proc(pid),
    guard: recorded.guard ?? (guardPid === null ? null : processes.proc(guardPid)),
  };
}

/** A guard that waits for its next try makes way: its own Node or package may be gone. One whose town lives is left alone. */
async function waitingGuard(running: Running): Promise<Proc | null> {
  const guard = await running.guard();
  return guard === null || guard.nextTryAt === null || guard.town !== null ? null : guard;
}

/** The town's status; null = it does not answer. */
export async function statusOf({ root, process: limits }: TownSettings): Promise<StatusView | null> {
  try {
    const client = await connectTown(root, limits);
    try {
      return await client.status();
    } finally {
      client.close();
    }
  } catch (error) {
    if (error instanceof TownNotRunning || error instanceof TownSilent) return null;
    throw error;
  }
}

/** No space, and no space for this user. */
const FULL = new Set(['ENOSPC', 'EDQUOT']);

const noRoom = (root: string, error: unknown): StartFailed =>
  new StartFailed(
    EXIT.failed,
    `the disk of ${root} is full (${codeOf(error)}); free some space and try again`,
    codeOf(error).toLowerCase(),
  );

/** On a full disk guard and town cannot even say why they end. Rejects with `StartFailed`. */
async function mustHaveRoom({ root, state }: TownSettings): Promise<void> {
  try {
    await mustTakeStart(realDisk(root, systemClock.now()), state.startBytes);
  } catch (error) {
    throw FULL.has(codeOf(error)) ? noRoom(root, error) : error;
  }
}

interface OpenRoot {
  readonly running: Running;
  /** Makes room for the guard's log. */
  clear(): Promise<void>;
}

async function openRoot(root: string, maxBytes: number, say: (text: string) => void): Promise<OpenRoot> {
  mustNotBeGasTown(root);
  const disk = realDisk(root, systemClock.now());
  try {
    await disk.mkdir(FOLDERS.daemon);
  } catch (error) {
    throw FULL.has(codeOf(error))
      ? noRoom(root, error)
      : new StartFailed(EXIT.usage, `${root} cannot be written: ${wordsOf(error)}; choose another root with --root`);
  }
  // A folder that was missing at the first look may have been made by another user meanwhile.
  mustBeOurs(root, [root, join(root, FOLDERS.daemon)]);
  const away = awayTo(disk, say);
  return {
    running: runningOf(disk, maxBytes, away),
    clear: () => clearPlaces(root, disk, away, [FILES.guardLog]),
  };
}

function started({ pid, guard_pid: guardPid, epoch }: StatusView, alreadyRunning: boolean): Started {
  return { pid, guardPid, epoch, alreadyRunning };
}

async function waitReady(
  settings: TownSettings,
  running: Running,
  patience: Patience,
  found: Started,
): Promise<Started> {
  for (;;) {
    await mustBeWanted(settings, running);
    const status = await statusOf(settings);
    if (status?.ready === true) return started(status, true);
    if (patience.isOver(status?.pid)) break;
    await systemClock.sleep(settings.process.pollEveryMs);
  }
  throw new StartFailed(
    EXIT.failed,
    `the town of pid ${String(found.pid)} runs but was not ready within ${span(patience.limitMs())}; see \`town status\``,
  );
}

async function waitGone(settings: TownSettings, until: number): Promise<void> {
  while ((await statusOf(settings)) !== null) {
    if (systemClock.now() > until) {
      throw new StartFailed(EXIT.failed, 'a town that was ordered to stop still runs; end it with `town down` first');
    }
    await systemClock.sleep(settings.process.pollEveryMs);
  }
}
