/**
 * A program that may hang, flood its pipes or leave children behind. It runs as a child in a session of its own,
 * without a terminal. Once its time is over it is ended with everything it started; if it ends by itself, its leftovers
 * are ended. Its output is kept up to a bound and decides nothing.
 * Its processes are those with its mark, and those seen in its tree while it lived, even if they changed their
 * environment (family.ts). A process that leaves both behind between two looks (`env -i`, forked twice) cannot be
 * attributed.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Incarnation, Ms, Proc } from '../../machines/protocol.ts';
import type { ProcessTable } from './processes.ts';
import { span } from '../../machines/kernel/span.ts';
import { raiseOomScore } from './out-of-memory.ts';

/** Rounds of KILL, each over who is there then. */
const MAX_ROUNDS = 5;
const LOOK_MS = 50;
/** Between looks at its tree while it runs: a pass over all processes takes 10 ms. */
const SEEN_EVERY_MS = 500;

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
  /** Its waiter gives up. */
  readonly cancelled: AbortSignal;
  readonly policy: RunLimits;
  readonly processes: Pick<ProcessTable, 'carrying' | 'proc' | 'signal' | 'treeOf'>;
}

export interface RunEnded {
  /** `late`: it was ended. `failed`: it could not be started, or says itself that it failed. */
  readonly is: 'done' | 'failed' | 'late';
  readonly text: string;
  /** null = it did not exit: it could not be started, or a signal ended it. */
  readonly exitCode: number | null;
  /** The last of what it printed. */
  readonly output: string;
  /** Ended with it, or left behind by it. */
  readonly ended: number;
}

export async function runMarked(wanted: RunWanted): Promise<RunEnded> {
  const { execa } = await import('execa'); // the patrols' thread loads this file, and most towns run none of it
  const [program = '', ...args] = wanted.command;
  let output = Buffer.alloc(0);
  const child = execa(program, args, {
    cwd: wanted.dir,
    env: { ...wanted.env, [wanted.mark.name]: wanted.mark.id },
    extendEnv: false,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    detached: true,
    reject: false,
    buffer: false,
  });
  if (child.pid !== undefined) raiseOomScore(child.pid);
  const { processes } = wanted;
  const lead = child.pid === undefined ? null : processes.proc(child.pid);
  const kin = new Kin(wanted.mark, processes, lead);
  const keep = (chunk: Buffer): void => {
    output = Buffer.concat([output, chunk]).subarray(-wanted.policy.maxOutputBytes);
  };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', keep);
  const over = new AbortController();
  const giveUp = (): void => over.abort();
  wanted.cancelled.addEventListener('abort', giveUp, { once: true });
  const exited = new Promise<number | null>((resolve) => {
    child.nodeChildProcess.once('exit', (code) => resolve(code));
    child.nodeChildProcess.once('error', () => resolve(null));
  });
  const late = pause(wanted.deadlineMs, 'late' as const, { signal: over.signal }).catch(() => 'late' as const);
  const watched = kin.watch(over.signal);
  const first = await Promise.race([exited.then(() => 'ended' as const), late]);
  wanted.cancelled.removeEventListener('abort', giveUp);
  over.abort();
  await watched;
  const ended = await end(kin, wanted);
  // A holder of the open pipes has ended by now, or is not ours: its end is not waited for.
  const result = await Promise.race([child, pause(wanted.policy.killGraceMs, null)]);
  [child.stdout, child.stderr].forEach((stream) => stream.destroy());
  const told = { output: output.toString('utf8'), ended };
  if (first === 'late')
    return {
      is: 'late',
      text: `it was ended: its time of ${span(wanted.deadlineMs)} was over`,
      exitCode: null,
      ...told,
    };
  const exitCode = await exited;
  if (exitCode === 0) return { is: 'done', text: 'it ended by itself', exitCode, ...told };
  return { is: 'failed', text: result?.shortMessage ?? 'it failed', exitCode, ...told };
}

type EndNeeds = Pick<RunWanted, 'processes'> & { readonly policy: Pick<RunLimits, 'killGraceMs'> };

/** What a run left behind whose starter is gone, and with it what was seen of its tree. How many there were. */
export const endMarked = (mark: RunMark, needs: EndNeeds): Promise<number> =>
  end(new Kin(mark, needs.processes, null), needs);

/** TERM, a grace, then KILL until no process of the run is left. Returns how many there were. */
async function end(kin: Kin, { processes, policy }: EndNeeds): Promise<number> {
  for (const one of await kin.now()) processes.signal(one, 'TERM');
  for (const until = performance.now() + policy.killGraceMs; performance.now() < until;) {
    if ((await kin.now()).length === 0) return kin.count;
    await pause(LOOK_MS);
  }
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = await kin.now();
    if (found.length === 0) break;
    for (const one of found) processes.signal(one, 'KILL');
    await pause(LOOK_MS);
  }
  return kin.count;
}

const keyOf = ({ pid, started }: Proc): string => `${pid} ${started}`;

/** The processes of a run: once found, a process stays one of them. */
class Kin {
  readonly #mark: RunMark;
  readonly #processes: RunWanted['processes'];
  /** null = it has ended, or is unknown. */
  readonly #lead: Proc | null;
  readonly #known = new Map<string, Proc>();

  constructor(mark: RunMark, processes: RunWanted['processes'], lead: Proc | null) {
    this.#mark = mark;
    this.#processes = processes;
    this.#lead = lead;
  }

  get count(): number {
    return this.#known.size;
  }

  /** Who of them lives. */
  async now(): Promise<readonly Proc[]> {
    const { name, id } = this.#mark;
    const marked = await this.#processes.carrying(`${name}=${id}`);
    const agent = this.#lead ?? marked[0];
    if (agent === undefined) return [];
    // A run is like a life without a pane: a process on its own, with all below it.
    const life: Incarnation = {
      uuid: id,
      session: id,
      origin: 'detached',
      agent,
      server: agent,
      sessionId: '',
      paneId: '',
    };
    const tree = await this.#processes.treeOf(life, null, [...this.#known.values(), ...marked]);
    const all = new Map([...marked, ...tree].map((one) => [keyOf(one), one]));
    for (const [key, one] of all) this.#known.set(key, one);
    return [...all.values()];
  }

  /** Until `over`. A look that cannot be had is one less. */
  async watch(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await this.now().catch(() => []);
      await pause(SEEN_EVERY_MS, null, { signal: over }).catch(() => null);
    }
  }
}
