/**
 * Kills a real process right before its n-th system call of a kind.
 * 1. With strace: the kernel's own calls, of the process's pool thread, where all durable work is done. Children are let go.
 * 2. Where tracing is denied: a module loaded first counts the same calls on their way into Node. No hook is in the product.
 * 3. All threads of a process count for themselves in strace. The pool has one thread here, and `pad.ts` puts its counters
 *    above those of the main thread, which opens hundreds of files before anything durable happens.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The calls by which anything becomes durable or ends. */
export const CALLS = ['openat', 'write', 'fsync', 'fdatasync', 'rename', 'unlink', 'kill'] as const;
export type Call = (typeof CALLS)[number];

export interface Strike {
  readonly call: Call;
  /** 1 = the first. */
  readonly n: number;
}

/** How a process is killed. `start` runs the town's program with these words; without a strike it is not touched. */
export interface Killer {
  readonly by: 'strace' | 'preload';
  start(words: readonly string[], env: Readonly<Record<string, string>>, strike: Strike | null): ChildProcess;
}

const HERE = import.meta.dirname;
const MAIN = join(HERE, '../../src/main.ts');
const STDIO = ['ignore', 'pipe', 'pipe'] as const;
/** More files than the main thread of any command opens. */
const PAD = '1500';
/** Caches of compiled code are written by the main thread and mean nothing here. */
const COUNTED = { UV_THREADPOOL_SIZE: '1', NODE_DISABLE_COMPILE_CACHE: '1' };

/** Whether this machine lets a process be traced. */
export function mayTrace(): boolean {
  return spawnSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' }).status === 0;
}

const node = (module: string, words: readonly string[]): string[] => ['--import', join(HERE, module), MAIN, ...words];

/** Counts inside the process. */
export const preload: Killer = {
  by: 'preload',
  start: (words, env, strike) =>
    spawn(process.execPath, node('inside.ts', words), {
      env: { ...env, ...COUNTED, ...(strike && { STRIKE: `${strike.call}:${strike.n}` }) },
      stdio: [...STDIO],
    }),
};

/** Counts in the kernel. Measures once how far `pad.ts` puts each counter. */
function withStrace(): Killer {
  const base = baseOf(measured());
  return {
    by: 'strace',
    start: (words, env, strike) => {
      if (strike === null) return spawn(process.execPath, [MAIN, ...words], { env: { ...env }, stdio: [...STDIO] });
      const { call, n } = strike;
      const inject = `inject=${call}:signal=SIGKILL:when=${(base.get(call) ?? 0) + n}`;
      const args = ['-D', '-f', '-b', 'execve', '-o', '/dev/null', '-e', `trace=${call}`, '-e', inject];
      return spawn('strace', [...args, process.execPath, ...node('pad.ts', words)], {
        env: { ...env, ...COUNTED, STRIKE_PAD: PAD },
        stdio: [...STDIO],
      });
    },
  };
}

/** The best there is. */
export const killer = (): Killer => (mayTrace() ? withStrace() : preload);

/** What every thread called until the pad was done: a command that does nothing durable, traced. */
function measured(): string {
  const dir = mkdtempSync(join(tmpdir(), 'town-strike-'));
  const log = join(dir, 'log');
  try {
    const trace = ['-f', '-b', 'execve', '-o', log, '-e', `trace=${CALLS.join(',')}`];
    spawnSync('strace', [...trace, process.execPath, ...node('pad.ts', ['--version'])], {
      env: { PATH: process.env['PATH'] ?? '', ...COUNTED, STRIKE_PAD: PAD },
      stdio: 'ignore',
    });
    return readFileSync(log, 'utf8');
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** The counts of the pool's thread when it came to the mark that `pad.ts` sets. */
function baseOf(log: string): ReadonlyMap<string, number> {
  const lines = log.split('\n').map((line) => /^(\d+) +(\w+)\((.*)$/.exec(line));
  const mark = lines.findIndex((line) => line?.[3]?.includes('/dev/null/pad-done') === true);
  const thread = lines[mark]?.[1];
  if (thread === undefined) throw new Error(`The trace does not show the mark of pad.ts:\n${log.slice(-2_000)}`);
  const counts = new Map<string, number>();
  for (const line of lines.slice(0, mark + 1)) {
    const [, id, call = ''] = line ?? [];
    if (id === thread) counts.set(call, (counts.get(call) ?? 0) + 1);
  }
  return counts;
}
