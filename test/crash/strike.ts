/**
 * Kills a real process right before its n-th system call of a kind.
 * 1. With strace: the kernel's own calls, of the process's pool thread, where all durable work is done. Children are let go.
 * 2. Where tracing is denied, or would cost most of a test's time: a module loaded first (`inside.ts`) counts the same calls on
 *    their way into Node and out. No hook is in the product. `dance.test.ts` compares its counts with the kernel's.
 * 3. All threads of a process count for themselves in strace. The pool has one thread here, and where the main thread makes
 *    the same calls, for nothing durable, `pad.ts` puts the pool's counter above its.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';

/** The calls by which anything becomes durable or ends. */
export const CALLS = ['openat', 'write', 'fsync', 'fdatasync', 'rename', 'unlink', 'kill'] as const;
/** Those after which something is on record, gone or signalled. The longest chains of strikes come first. */
export const DURABLE = ['fsync', 'rename', 'fdatasync', 'kill', 'unlink'] as const;
export type Call = (typeof CALLS)[number];

export interface Strike {
  readonly call: Call;
  /** 1 = the first. Counted inside, each call is two points: before it, and after it. */
  readonly n: number;
}

/** How a process is killed. `start` runs the town's program with these words; without a strike it is not touched. */
export interface Killer {
  readonly by: 'strace' | 'preload';
  start(words: readonly string[], env: Readonly<Record<string, string>>, strike: Strike | null): ChildProcess;
}

/** The file that `pad.ts` opens last; there is no such file. */
const MARK = '/dev/null/pad-done';
const MAIN = inject('main');
const STDIO = ['ignore', 'pipe', 'pipe'] as const;
/** Files that `pad.ts` opens: so that the pool makes more of these calls than the main thread, which loads the program. */
const PADS: Readonly<Partial<Record<Call, number>>> = { openat: 1_500, write: 100 };
/** Caches of compiled code are written by the main thread and mean nothing here. */
const COUNTED = { UV_THREADPOOL_SIZE: '1', NODE_DISABLE_COMPILE_CACHE: '1' };

/** Whether this machine lets a process be traced. */
export function mayTrace(): boolean {
  return spawnSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' }).status === 0;
}

const node = (module: 'inside' | 'pad', words: readonly string[]): string[] => [
  '--import',
  join(inject('programs'), `${module}.mjs`),
  MAIN,
  ...words,
];

/** Counts inside the process. */
export const preload: Killer = {
  by: 'preload',
  start: (words, env, strike) =>
    spawn(process.execPath, strike === null ? [MAIN, ...words] : node('inside', words), {
      env: { ...env, ...(strike && { STRIKE: `${strike.call}:${strike.n}` }) },
      stdio: [...STDIO],
    }),
};

/** Kills nothing: `counts` gets what `inside.ts` counted, and `trace` what the kernel saw. */
export const tracer = (counts: string, trace: string): Killer => ({
  by: 'strace',
  start: (words, env) => {
    const args = ['-D', '-f', '-y', '-b', 'execve', '-o', trace, '-e', `trace=${DURABLE.join(',')}`];
    return spawn('strace', [...args, process.execPath, ...node('inside', words)], {
      env: { ...env, NODE_DISABLE_COMPILE_CACHE: '1', STRIKE: `count:${counts}` },
      stdio: [...STDIO],
    });
  },
});

/** Counts in the kernel. */
function withStrace(): Killer {
  const bases = new Map<Call, number>();
  return {
    by: 'strace',
    start: (words, env, strike) => {
      if (strike === null) return spawn(process.execPath, [MAIN, ...words], { env: { ...env }, stdio: [...STDIO] });
      const { call, n } = strike;
      const pad = PADS[call] ?? 0;
      const base = pad === 0 ? 0 : (bases.get(call) ?? baseOf(measured(call, pad)));
      bases.set(call, base);
      const inject = `inject=${call}:signal=SIGKILL:when=${base + n}`;
      const args = ['-D', '-f', '-b', 'execve', '-o', '/dev/null', '-e', `trace=${call}`, '-e', inject];
      const program = pad === 0 ? [MAIN, ...words] : node('pad', words);
      return spawn('strace', [...args, process.execPath, ...program], {
        env: { ...env, ...COUNTED, STRIKE_PAD: String(pad) },
        stdio: [...STDIO],
      });
    },
  };
}

/** The best there is. */
export const killer = (): Killer => (mayTrace() ? withStrace() : preload);

/** What every thread called until the pad was done and after: a command that does nothing durable, traced. */
function measured(call: Call, pad: number): string {
  const dir = mkdtempSync(join(tmpdir(), 'town-strike-'));
  const log = join(dir, 'log');
  try {
    const trace = ['-f', '-b', 'execve', '-o', log, '-e', `trace=openat,${call}`];
    spawnSync('strace', [...trace, process.execPath, ...node('pad', ['--version'])], {
      env: { PATH: process.env['PATH'] ?? '', ...COUNTED, STRIKE_PAD: String(pad) },
      stdio: 'ignore',
    });
    const calls = readFileSync(log, 'utf8').split('\n');
    return calls.filter((line) => line.includes(` ${call}(`) || line.includes(MARK)).join('\n');
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** How often the pool's thread had made the call when it came to the mark that `pad.ts` sets. */
function baseOf(log: string): number {
  const lines = log.split('\n');
  const mark = lines.findIndex((line) => line.includes(MARK));
  const thread = /^\d+ /.exec(lines[mark] ?? '')?.[0];
  if (thread === undefined) throw new Error(`The trace does not show the mark of pad.ts:\n${log.slice(-2_000)}`);
  const isCall = (line: string, at: number): boolean => at < mark && line.startsWith(thread);
  // The mark itself is a call of the kind where opening is counted.
  return lines.filter(isCall).length + Number(log.includes(' openat(AT_FDCWD, "/dev/null",'));
}

/** Works through items on two lanes, as there are two cores. All have ended when it resolves, or rejects with the first error. */
export async function inLanes<I>(items: readonly I[], work: (item: I) => Promise<void>): Promise<void> {
  const due = [...items];
  const lane = async (): Promise<void> => {
    for (let item = due.shift(); item !== undefined; item = due.shift()) await work(item);
  };
  for (const end of await Promise.allSettled([lane(), lane()])) if (end.status === 'rejected') throw end.reason;
}
