/** A built town in a temporary root with its own tmux socket, as a user has it: for measuring, ended by its own means. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionSpec } from '../../machines/protocol.ts';
import { connectTown, type TownClient } from '../../src/socket/client.ts';
import type { StatusView } from '../../src/socket/protocol.ts';
import { writeConfig } from '../world/config.ts';
import { specOf } from '../world/records.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'dist', 'main.cjs');

type Started = (name: string, pid: number) => unknown;

export interface BenchTown {
  readonly root: string;
  /** How the built command is run with these words, and in which environment. */
  argv(args: readonly string[]): readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Runs the built command; returns how long it took. Throws when it ends otherwise than `exits` allows. */
  town(args: readonly string[], exits?: readonly number[]): { ms: number; stdout: string };
  tmux(...args: string[]): string;
  client(): Promise<TownClient>;
  /** Starts agents that sleep, one after the other, each in a session of its own. `then` is given each one's pid. */
  start(names: readonly string[], more: Partial<SessionSpec>, then?: Started): Promise<void>;
  /** Polls the status until it is as wished; returns it, or throws after a while. */
  statusWhen(wish: (status: StatusView) => boolean): Promise<StatusView>;
  close(): void;
}

const environment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(TOWN_|TMUX|npm_|NODE_OPTIONS)/.test(name)));

export const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** Measures something of one, and ends it. */
export async function withTown<T>(config: string, measure: (town: BenchTown) => Promise<T> | T): Promise<T> {
  const town = benchTown(config);
  try {
    return await measure(town);
  } finally {
    town.close();
  }
}

/** `what-0`, `what-1` … */
export const namesOf = (what: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${what}-${n}`);

export function benchTown(more: string): BenchTown {
  const root = mkdtempSync(join(tmpdir(), 'town-bench-'));
  const socket = join(root, 'tmux.sock');
  const config = `[tmux]\nsocket = "${socket}"\n${more}`;
  const env = { ...environment(), ...writeConfig(join(root, 'town.toml'), config, join(root, 'numbers.toml')) };
  const argv: BenchTown['argv'] = (args) => [process.execPath, MAIN, '--root', root, ...args];
  const town: BenchTown['town'] = (args, exits = [0]) => {
    const began = performance.now();
    const [node = '', ...words] = argv(args);
    const done = spawnSync(node, words, { encoding: 'utf8', env });
    const ms = performance.now() - began;
    if (!exits.includes(done.status ?? -1)) throw new Error(`town ${args.join(' ')}: ${done.stderr || done.stdout}`);
    return { ms, stdout: done.stdout };
  };
  const tmux = (...args: string[]) => spawnSync('tmux', ['-S', socket, ...args], { encoding: 'utf8', env }).stdout;
  return {
    root,
    argv,
    env,
    town,
    tmux,
    client: () => connectTown(root),
    start: async (names, more, then) => {
      const client = await connectTown(root);
      for (const name of names) {
        const spec = specOf(name, { command: ['sleep', '1000000'], ...more });
        const reply = await client.request({ verb: 'startSession', spec });
        if (!reply.ok) throw new Error(reply.text);
        await then?.(name, (reply.value as { pid: number }).pid);
      }
      client.close();
    },
    statusWhen: async (wish) => {
      for (let tries = 0; tries < 3_000; tries += 1) {
        const status = await connectTown(root)
          .then(async (client) => {
            try {
              return await client.status();
            } finally {
              client.close();
            }
          })
          .catch(() => null);
        if (status !== null && wish(status)) return status;
        await pause(10);
      }
      throw new Error('the town never became as wished');
    },
    close: () => {
      town(['down'], [0, 1, 3]);
      tmux('kill-server');
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** How long something took, and Node's own start right before it, in ms: a busy machine is slow at both. */
export interface Paired {
  readonly ms: number;
  readonly node: number;
}

/** The round in the middle, by the ratio of the two. */
export function besideNode(rounds: number, run: (round: number) => number): Paired {
  const all = Array.from({ length: rounds }, (_, round): Paired => {
    const began = performance.now();
    spawnSync(process.execPath, ['-e', '0'], { env: environment() });
    return { node: performance.now() - began, ms: run(round) };
  });
  const sorted = all.sort((one, other) => one.ms / one.node - other.ms / other.node);
  return sorted[Math.floor(rounds / 2)] ?? { ms: NaN, node: NaN };
}

/** Resident memory in MB of 1,024 kB. */
export function residentMb(pid: number): number {
  const kb = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 'NaN';
  return Number(kb) / 1_024;
}

/**
 * What shows every program that a process started and saw end: the page faults that the kernel adds to it at the child's end.
 * A program makes some hundred before its first line, so the same number twice means that none ended between.
 */
export function childFaults(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(')').at(-1)?.trim().split(' ') ?? [];
  return Number(fields[8]);
}

/** Programs that it has started and that run now. */
export function childrenOf(pid: number): string {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')).join('');
}

/** User + system time of one process so far, in ms. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(')').at(-1)?.trim().split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The same of its living threads, to the nanosecond: for what takes less than the system's tick of 10 ms. */
export function fineCpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const ns = threads.map((id) => readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]);
  return ns.reduce((sum, one) => sum + Number(one), 0) / 1e6;
}

export const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;
