/**
 * One run of the test runner. All that its tests put on the machine lies in a temporary folder of the run or has it in its
 * environment, so that any end of the run (Ctrl-C, SIGTERM, a closed terminal, a test that hangs up) leaves no process, socket or
 * folder: a test that is interrupted cannot clean up itself. Only SIGKILL of this very process leaves something.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { execa } from 'execa';
import { platformSource, standingIn } from '../src/proc/processes.ts';
import { codeOf } from '../state/files/disk.ts';
import { temporaryFolder } from './temporary.ts';

const ROOT = join(import.meta.dirname, '..');
/** Where a run of the live tests puts what it builds (test/bundle.ts): below node_modules, where that finds the packaged Node. */
export const BUILDS = join(ROOT, 'node_modules/.cache');
/** The variable with the name of the run's folder in `BUILDS`. */
export const BUILD = 'TEST_RUN_BUILD';
/** Its value where no test of the run starts the town. */
export const NO_BUILD = '-';
/** The test runner prints what it has by then, and ends. */
const GRACE_MS = 2_000;
const PAUSE_MS = 20;
/** As nice(1) takes it: what other tests leave of the processor. */
const LOWER = '10';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

type Signal = (typeof SIGNALS)[number];

export interface TestRun {
  /** Runs the test runner with these words; true when all its tests passed. False at once, when the run was ended by a signal. */
  passes(...words: readonly string[]): Promise<boolean>;
  /** The same for tests that compute while others wait: at a lower priority, and printed once it has ended. */
  passesBehind(...words: readonly string[]): Promise<boolean>;
}

/** Does all that `play` runs, clears up, and returns the exit code. */
export async function inTestRun(play: (run: TestRun) => Promise<boolean>): Promise<number> {
  const folder = mkdtempSync(join(temporaryFolder(), 'tests-'));
  // Tests run programs as another user, too.
  chmodSync(folder, 0o755);
  const env = {
    TMPDIR: folder,
    [BUILD]: basename(folder),
    // Compiled code serves the next run, too.
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'node-compile-cache'),
  };
  const ended = new AbortController();
  for (const signal of SIGNALS) process.on(signal, () => ended.abort(signal));
  const options = {
    cwd: ROOT,
    preferLocal: true,
    localDir: ROOT,
    reject: false,
    env,
    cancelSignal: ended.signal,
    forceKillAfterDelay: GRACE_MS,
  } as const;
  const passes = async (...words: readonly string[]): Promise<boolean> => {
    if (ended.signal.aborted) return false;
    const { exitCode } = await execa('vitest', ['run', ...words], { ...options, stdio: 'inherit' });
    return exitCode === 0;
  };
  const passesBehind = async (...words: readonly string[]): Promise<boolean> => {
    const { exitCode, all } = await execa('nice', ['-n', LOWER, 'vitest', 'run', ...words], {
      ...options,
      stdin: 'ignore',
      all: true,
    });
    process.stdout.write(`${all}\n`);
    return exitCode === 0;
  };
  const isGood = await play({ passes, passesBehind });
  await endAll(folder);
  const remove = { recursive: true, force: true, maxRetries: 20, retryDelay: PAUSE_MS } as const;
  for (const place of [folder, join(BUILDS, basename(folder))]) rmSync(place, remove);
  const signal = ended.signal.reason as Signal | undefined;
  return signal === undefined ? Number(!isGood) : 128 + constants.signals[signal];
}

/** Ends what the tests started and left, until a look finds none: a guard may start its town again meanwhile. */
async function endAll(folder: string): Promise<void> {
  for (let pids = await pidsOf(folder); pids.length > 0; pids = await pidsOf(folder)) {
    for (const pid of pids) endHard(pid);
    await pause(PAUSE_MS);
  }
}

function endHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error; // It ended by itself.
  }
}

/** Living processes that have the folder as their home or temporary folder, or stand in it. */
async function pidsOf(folder: string): Promise<readonly number[]> {
  const source = platformSource();
  const isBelow = (path: string | null): boolean => path === folder || path?.startsWith(`${folder}/`) === true;
  const rows = (await source.rows()).filter(({ zombie, pid }) => !zombie && pid !== process.pid);
  const own = rows.filter((row) => ['TMPDIR', 'HOME'].some((name) => isBelow(source.valueOf(row, name))));
  const standing = await standingIn(folder, source);
  return [...new Set([...own, ...standing].map(({ pid }) => pid))];
}
