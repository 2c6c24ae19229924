/**
 * One run of the reasoner: a child in a session of its own, without a terminal, that is ended with everything it started once its time is
 * over, and whose leavings are ended when it ends by itself. What it prints is kept up to a bound and decides nothing.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Ms, Proc } from '../../machines/protocol.ts';
import { agentEnvironment } from '../proc/environment.ts';
import type { ProcessTable } from '../proc/processes.ts';
import type { TriageHandsPolicy } from './policy.ts';

/** Every process of a run has it in its environment. */
const MARK = 'TOWN_REASONER';
/** Rounds of KILL, each over who is there then. */
const MAX_ROUNDS = 5;
const LOOK_MS = 50;

export interface ReasonerWanted {
  readonly id: string;
  readonly command: readonly string[];
  /** Where it runs, and the town's root. */
  readonly dir: string;
  readonly root: string;
  /** Files, absolute. */
  readonly prompt: string;
  readonly mcp: string;
  readonly token: string;
  readonly deadlineMs: Ms;
  /** Whoever waits for it gives up. */
  readonly cancelled: AbortSignal;
  readonly policy: Pick<TriageHandsPolicy, 'killGraceMs' | 'maxOutputBytes'>;
  readonly processes: Pick<ProcessTable, 'carrying' | 'signal' | 'alive'>;
}

export interface ReasonerEnded {
  /** `late`: it was ended. `failed`: it could not be started, or says itself that it failed. */
  readonly is: 'done' | 'failed' | 'late';
  readonly text: string;
  /** The last of what it printed. */
  readonly output: string;
  /** Ended with it, or left behind by it. */
  readonly ended: number;
}

export async function runReasoner(wanted: ReasonerWanted): Promise<ReasonerEnded> {
  const { execa } = await import('execa'); // the patrols' thread loads this file, and most towns run no reasoner
  const [program = '', ...args] = wanted.command;
  const output = new Tail(wanted.policy.maxOutputBytes);
  const child = execa(program, args, {
    ...{ cwd: wanted.dir, env: environmentOf(wanted), extendEnv: false, reject: false, buffer: false },
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
  const ended = await endAll(wanted.id, wanted);
  // Whoever holds the pipes open is gone by now, or none of ours: its end is not waited for.
  const result = await Promise.race([child, pause(wanted.policy.killGraceMs, null)]);
  [child.stdout, child.stderr].forEach((stream) => stream.destroy());
  const told = { output: output.text(), ended };
  if (first === 'late')
    return { is: 'late', text: `it was ended: its time of ${wanted.deadlineMs} ms was over`, ...told };
  if (result === null || !result.failed) return { is: 'done', text: 'it ended by itself', ...told };
  return { is: 'failed', text: result.shortMessage ?? 'it failed', ...told };
}

function environmentOf({ id, root, prompt, mcp, token }: ReasonerWanted): Record<string, string> {
  const own = {
    TOWN_ROOT: root,
    TOWN_ROLE: 'triage',
    TOWN_TOKEN: token,
    TOWN_PROMPT_FILE: prompt,
    TOWN_MCP_CONFIG: mcp,
  };
  return { ...agentEnvironment(process.env), ...own, [MARK]: id };
}

/** TERM, a grace, then KILL until nobody of the run is left. How many there were. */
export async function endAll(
  id: string,
  { processes, policy }: Pick<ReasonerWanted, 'processes' | 'policy'>,
): Promise<number> {
  const known = new Map<string, Proc>();
  const left = async (): Promise<Proc[]> => {
    const found = await processes.carrying(`${MARK}=${id}`);
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
