/** Starts processes that outlive their starter: own session, folder /, scrubbed environment, output into the guard's log. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { FILES, FOLDERS } from '../../state/files/layout.ts';
import { appendPlain } from '../../state/files/regular-file.ts';
import { waysOf } from '../channels/settings.ts';
import type { Settings } from '../config/settings.ts';
import { IS_BUILT, programFile } from '../package.ts';
import { scrubbedEnvironment, type Environment } from '../proc/environment.ts';
import { node } from '../proc/node.ts';
import { resetOomScore } from '../proc/out-of-memory.ts';
import { EXIT } from './exits.ts';
import { NO_PREDECESSORS, type GuardOrders } from './orders.ts';

/** The part of the settings that the processes of the town need. */
export type TownSettings = Pick<Settings, 'root' | 'tmux' | 'notify' | 'channels' | 'hands' | 'state' | 'process'>;

/**
 * A guard does next to nothing, so its memory counts more than its pace: fresh objects are collected at 1 MB, and built
 * files are interpreted (from sources Node needs its compiler to strip the types). It begins with Node's start-up image, which
 * takes a third off its start; the image's 2 MB are pages of Node's file, which the town holds too.
 */
const SMALL = ['--max-semi-space-size=1', ...(IS_BUILT ? ['--jitless'] : [])];

/** A program of ours, as a command of Node's. */
export const ownProgram = (name: string): readonly [string, string] => [node.find(), programFile(name)];

/**
 * A town lives for months and does little at a time: its heap grows in small steps, its code is compiled once and never
 * optimized, and its garbage is collected where it is made. That saves forty megabytes and the handing of work to threads.
 */
const LEAN = [
  '--max-semi-space-size=1',
  '--heap-growing-percent=10',
  '--no-opt',
  '--no-maglev',
  '--single-threaded-gc',
] as const;
/** Node's threads each take an arena of their own otherwise: ten more megabytes. Agents do not inherit it. */
export const ARENAS = { name: 'MALLOC_ARENA_MAX', value: '1' } as const;

/** How the guard starts the town by default. */
export function townCommand(root: string, more: readonly string[]): readonly [string, ...string[]] {
  const [program, main] = ownProgram('main');
  return [program, ...LEAN, main, '--root', root, 'daemon', 'run', '--guarded', ...more];
}

/**
 * How the town starts the process of its channels: it lives as long, and does as little. What a server floods it with is collected in
 * one stop of a few milliseconds: garbage that is looked for bit by bit piles up meanwhile, up to fifteen megabytes more.
 */
export function channelsCommand(): readonly [string, ...string[]] {
  const [program, main] = ownProgram('channels/main');
  return [program, ...LEAN, '--no-incremental-marking', main];
}

/** Orders for a guard of `settings`. */
export function guardOrders(
  settings: TownSettings,
  command: readonly [string, ...string[]],
  adopt: GuardOrders['adopt'],
  instead: GuardOrders['instead'] = NO_PREDECESSORS,
): GuardOrders {
  const { root, process: policy, state } = settings;
  const { command: notify, channels } = waysOf(settings.channels);
  const { maxRecordBytes } = state;
  return { root, command, adopt, instead, notify, channels, policy: { ...policy, maxRecordBytes } };
}

/** Starts a guard; daemon/ must be there. The child's `exit` event reports its exit; it does not hold its starter. */
export function launchGuard(orders: GuardOrders, env: Environment = process.env): ChildProcess {
  const log = logFor(orders.root);
  try {
    const [program, main] = ownProgram('guard/main');
    const child = spawn(program, [...SMALL, main, JSON.stringify(orders)], {
      cwd: '/',
      detached: true,
      env: { NODE_COMPILE_CACHE: compileCache(orders.root), [ARENAS.name]: ARENAS.value, ...scrubbedEnvironment(env) },
      stdio: ['ignore', log ?? 'ignore', log ?? 'ignore'],
    });
    if (env['TOWN_INCARNATION'] !== undefined && child.pid !== undefined) resetOomScore(child.pid);
    child.unref();
    return child;
  } finally {
    if (log !== null) closeSync(log);
  }
}

/** A guard that a start waits for. */
export interface Launched {
  readonly pid: () => number | undefined;
  /** Exit codes; empty = it runs. */
  readonly ends: readonly number[];
  /** The start is over: its town launches the next guard. */
  readonly leave: () => void;
}

/** One that is killed in the middle of a takeover leaves no town. The same orders go on there, once: they end only those that still live. */
export function launchForStart(orders: GuardOrders): Launched {
  const ends: number[] = [];
  let pid: number | undefined;
  let launches = 0;
  const launch = (): void => {
    launches += 1;
    const child = launchGuard(orders);
    ({ pid } = child);
    child.on('error', () => ends.push(EXIT.failed));
    child.on('exit', (code) => {
      if (code === null && launches < MOST_LAUNCHES) launch();
      else ends.push(code ?? EXIT.failed);
    });
  };
  launch();
  return { pid: () => pid, ends, leave: () => (launches = MOST_LAUNCHES) };
}
/** A second kill is no accident. */
const MOST_LAUNCHES = 2;

/** null = there is none to be had: a guard that cannot speak still guards. */
function logFor(root: string): number | null {
  try {
    return appendPlain(join(root, FILES.guardLog));
  } catch {
    return null; // A starter cleared the place, or told that it could not.
  }
}

/** Where Node keeps compiled code for `root`: without it a guard that runs from sources would keep the compiler in memory. */
export function compileCache(root: string): string {
  return join(root, FOLDERS.daemon, 'cache');
}
