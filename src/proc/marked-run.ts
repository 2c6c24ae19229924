/**
 * A program that may hang, flood its pipes or leave children behind: a child in a session of its own, without a terminal, that is ended with
 * everything it started once its time is over, and whose leavings are ended when it ends by itself. What it prints is kept up to a
 * bound and decides nothing.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Ms, Proc } from '../../machines/protocol.ts';
import type { ProcessTable } from './processes.ts';

/** Rounds of KILL, each over who is there then. */
const MAX_ROUNDS = 5;
const LOOK_MS = 50;

export interface RunLimits {
  /** Between TERM and KILL, once its time is over or it has ended and left something behind. */
  readonly killGraceMs: Ms;
  /** Bytes of what it prints that are kept; it may print more. */
  readonly maxOutputBytes: number;
}

/** By which its processes are known: each has this in its environment. */
export interface RunMark {
  readonly name: string;
  readonly id: string;
}

export interface RunWanted {
  readonly mark: RunMark;
  readonly command: readonly string[];
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly deadlineMs: Ms;
  /** Whoever waits for it gives up. */
  readonly cancelled: AbortSignal;
  readonly policy: RunLimits;
  readonly processes: Pick<ProcessTable, 'carrying' | 'signal'>;
}

export interface RunEnded {
  /** `late`: it was ended. `failed`: it could not be started, or says itself that it failed. */
  readonly is: 'done' | 'failed' | 'late';
  readonly text: string;
  /** The last of what it printed. */
  readonly output: string;
  /** Ended with it, or left behind by it. */
  readonly ended: number;
}

export async function runMarked(wanted: RunWanted): Promise<RunEnded> {
  const { execa } = await import('execa'); // the patrols' thread loads this file, and most towns run none of it
  const [program = '', ...args] = wanted.command;
  const output = new Tail(wanted.policy.maxOutputBytes);
  const child = execa(program, args, {
    ...{
      cwd: wanted.dir,
      env: { ...wanted.env, [wanted.mark.name]: wanted.mark.id },
      extendEnv: false,
      reject: false,
      buffer: false,
    },
    ...{ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', detached: true },
  });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.add(chunk));
  const over = new AbortController();
  const giveUp = (): void => over.abort();
  wanted.cancelled.addEventListener('abort', giveUp, { once: true });
  const exited = new Promise<void>((resolve) => {
    child.nodeChildProcess.once('exit', () => resolve());
    child.nodeChildProcess.once('error', () => resolve());
  });
  const late = pause(wanted.deadlineMs, 'late' as const, { signal: over.signal }).catch(() => 'late' as const);
  const first = await Promise.race([exited.then(() => 'ended' as const), late]);
  wanted.cancelled.removeEventListener('abort', giveUp);
  over.abort();
  const ended = await endMarked(wanted.mark, wanted);
  // Whoever holds the pipes open is gone by now, or none of ours: its end is not waited for.
  const result = await Promise.race([child, pause(wanted.policy.killGraceMs, null)]);
  [child.stdout, child.stderr].forEach((stream) => stream.destroy());
  const told = { output: output.text(), ended };
  if (first === 'late')
    return { is: 'late', text: `it was ended: its time of ${wanted.deadlineMs} ms was over`, ...told };
  if (result === null || !result.failed) return { is: 'done', text: 'it ended by itself', ...told };
  return { is: 'failed', text: result.shortMessage ?? 'it failed', ...told };
}

/** TERM, a grace, then KILL until nobody of the run is left. How many there were. */
export async function endMarked(
  { name, id }: RunMark,
  { processes, policy }: Pick<RunWanted, 'processes'> & { readonly policy: Pick<RunLimits, 'killGraceMs'> },
): Promise<number> {
  const known = new Map<string, Proc>();
  const left = async (): Promise<Proc[]> => {
    const found = await processes.carrying(`${name}=${id}`);
    for (const one of found) known.set(`${one.pid} ${one.started}`, one);
    return found;
  };
  for (const one of await left()) processes.signal(one, 'TERM');
  for (const until = performance.now() + policy.killGraceMs; performance.now() < until;) {
    if ((await left()).length === 0) return known.size;
    await pause(LOOK_MS);
  }
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = await left();
    if (found.length === 0) break;
    for (const one of found) processes.signal(one, 'KILL');
    await pause(LOOK_MS);
  }
  return known.size;
}

/** The last bytes of a stream. */
class Tail {
  readonly #most: number;
  #bytes = Buffer.alloc(0);

  constructor(most: number) {
    this.#most = most;
  }

  add(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]).subarray(-this.#most);
  }

  text(): string {
    return this.#bytes.toString('utf8');
  }
}
