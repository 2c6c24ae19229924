/**
 * Agents without tmux (C-7): each is a process of its own session that outlives the town and writes its output into a file itself.
 * 1. Same order, same life: an agent that carries this uuid's mark is found, not started a second time.
 * 2. Its exit status is known as long as this process is its parent; after a restart of the town it is unknown.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { HandsPolicy, ProcessPolicy } from '../../ports/policy.ts';
import type {
  Exit,
  Incarnation,
  OutcomeBody,
  Proc,
  ProgramFile,
  SessionSpec,
  WaitingStart,
} from '../../../machines/protocol.ts';
import { cutOutput, openOutput } from '../../../state/sessions/output.ts';
import { orNull } from '../../../state/files/or-null.ts';
import { hashOf } from '../../../state/sessions/tokens.ts';
import type { OrderOf, Processes } from '../../ports/ports.ts';
import { programFile, runningProgram, type ProgramSource } from '../program-file.ts';
import { missingProgram } from '../../proc/find-program.ts';
import { agentEnvironment, type Environment } from '../../proc/environment.ts';
import { raiseOomScore } from '../../proc/out-of-memory.ts';
import { marksOf } from '../agent-marks.ts';
import type { Values } from '../../../state/sessions/environment.ts';
import { missingVariables, namedValues, type EnvironmentOf } from '../environment.ts';
import { noFolder, shortOfMemory, type HeldBack } from '../obstacle.ts';
import { mistakeIn } from '../start.ts';

export interface DirectDeps {
  /** Absolute. */
  readonly root: string;
  readonly processes: Pick<Processes, 'alive' | 'proc' | 'treeOf'> & ProgramSource;
  readonly tokenFor: (uuid: string) => string;
  readonly environmentOf: EnvironmentOf;
  readonly heldBack: HeldBack;
  readonly policy: Pick<HandsPolicy, 'maxRemembered' | 'minFreeMemoryBytes'> & Pick<ProcessPolicy, 'logBytes'>;
  /** Called when an agent of ours ended. */
  readonly ended: () => void;
  readonly env?: Environment;
}

type NotStarted = Extract<OutcomeBody, { type: 'SESSION_NOT_STARTED' }>;
type Started = Extract<OutcomeBody, { type: 'SESSION_STARTED' }> | NotStarted;
type Start = OrderOf<'startSession'>;

/** Start time of an agent that ended before it could be read: equal to no other. */
const ENDED = 'ended';

const notStarted = (why: string, taken = false): NotStarted => ({ type: 'SESSION_NOT_STARTED', why, taken });

export const isDetached = ({ origin }: Pick<Incarnation, 'origin'>): boolean => origin === 'detached';

/** Starts agents, and keeps how those that it started ended. */
export class DirectStarter {
  readonly #deps: DirectDeps;
  /** null = a child whose end was not told yet: the kernel shows it gone a moment before. */
  readonly #exits = new Map<string, Exit | null>();

  constructor(deps: DirectDeps) {
    this.#deps = deps;
  }

  /** How the agent of this life ended; unknown when it was no child of this process, null when that is not known yet. */
  exitOf(uuid: string): Exit | null {
    const exit = this.#exits.get(uuid);
    return exit === undefined ? { kind: 'unknown' } : exit;
  }

  /** Keeps the file of a running agent from growing for ever. Never throws: where that fails, as on a full disk, a later scan tries again. */
  cutOutput(session: string): void {
    orNull(() => cutOutput(this.#deps.root, session, this.#deps.policy.logBytes));
  }

  /** Rejects when the process table cannot find out whether it was started before. */
  async start({ spec, uuid, previous }: Start, signal: AbortSignal): Promise<Started> {
    const { root, processes } = this.#deps;
    const wrong = mistakeIn(spec, root);
    if (wrong !== null) return notStarted(wrong);
    const [found] = await processes.treeOf(lifeOf(spec.name, uuid, UNKNOWN_AGENT), null);
    if (found !== undefined) return this.#started(spec, uuid, found, runningProgram(processes, found, spec));
    const kept = await this.#deps.environmentOf(spec.name);
    const obstacle = (await this.#deps.heldBack(spec)) ?? this.#obstacleTo({ spec, previous }, kept);
    if (obstacle !== null) return { ...obstacle, waits: true };
    signal.throwIfAborted(); // its issuer may have given it again
    const program = programFile(spec, this.#pathOf(spec, kept));
    const child = await this.#spawn(spec, uuid, { again: previous !== null, values: namedValues(spec, kept) });
    if (typeof child === 'string') return notStarted(child);
    const { pid } = child;
    if (pid === undefined) return notStarted(`${spec.command[0]} got no process`);
    return this.#started(spec, uuid, processes.proc(pid) ?? { pid, started: ENDED }, program);
  }

  /** Names of those that nothing keeps from being started any more. Never rejects: a start that cannot be judged waits on. */
  async free(all: readonly WaitingStart[]): Promise<readonly string[]> {
    const isFree = async (start: WaitingStart): Promise<boolean> =>
      (await this.#deps.heldBack(start.spec)) === null &&
      this.#obstacleTo(start, await this.#deps.environmentOf(start.spec.name)) === null;
    const found = await Promise.all(all.map((start) => isFree(start).catch(() => false)));
    return all.filter((_, at) => found[at]).map(({ spec }) => spec.name);
  }

  /** What keeps it from being started, and passes by itself; null = nothing. */
  #obstacleTo({ spec, previous }: WaitingStart, kept: Values): NotStarted | null {
    const obstacle = noFolder(spec) ?? shortOfMemory(this.#deps.policy) ?? missingVariables(spec, kept);
    if (obstacle !== null) return notStarted(obstacle);
    const missing = missingProgram(spec.command[0] ?? '', spec.dir, this.#pathOf(spec, kept));
    if (missing !== null) return { ...notStarted(missing), missing: true };
    if (previous === null || previous.origin === 'adopted' || !this.#deps.processes.alive(previous.agent)) return null;
    return notStarted(`its last life still runs as pid ${previous.agent.pid}; end it or adopt it`, true);
  }

  #pathOf(spec: SessionSpec, kept: Values): string | null {
    return namedValues(spec, kept)['PATH'] ?? agentEnvironment(this.#deps.env ?? process.env)['PATH'] ?? null;
  }

  #started({ name }: SessionSpec, uuid: string, agent: Proc, program: ProgramFile | null): Started {
    const tokenHash = hashOf(this.#deps.tokenFor(uuid));
    const incarnation = lifeOf(name, uuid, agent);
    return { type: 'SESSION_STARTED', incarnation, tokenHash, ...(program !== null && { program }) };
  }

  /** The running child, or why there is none. */
  async #spawn(
    spec: SessionSpec,
    uuid: string,
    { again, values }: { readonly again: boolean; readonly values: Values },
  ): Promise<ChildProcess | string> {
    const { root, tokenFor, env = process.env, policy } = this.#deps;
    const [program = '', ...args] = spec.command;
    const marks = marksOf(root, spec, { uuid, token: tokenFor(uuid) });
    const output = openOutput(root, spec.name, { maxBytes: policy.logBytes, again });
    try {
      const child = spawn(program, args, {
        cwd: spec.dir,
        detached: true,
        env: { ...agentEnvironment(env), ...values, ...marks },
        stdio: ['ignore', output.fd, output.fd],
      });
      child.on('exit', (code, signal) => this.#ended(uuid, code, signal));
      const why = await new Promise<string | null>((resolve) => {
        child.once('spawn', () => {
          this.#exits.set(uuid, null);
          if (child.pid !== undefined) raiseOomScore(child.pid);
          resolve(null);
        });
        child.once('error', (error) => resolve(`${JSON.stringify(program)} cannot be run: ${error.message}`));
      });
      child.unref();
      return why ?? child;
    } finally {
      output.close();
    }
  }

  #ended(uuid: string, code: number | null, signal: NodeJS.Signals | null): void {
    this.#exits.set(uuid, signal === null ? { kind: 'code', code: code ?? 0 } : { kind: 'signal', signal });
    for (const [oldest, exit] of this.#exits) {
      if (this.#exits.size <= this.#deps.policy.maxRemembered) break;
      if (exit !== null) this.#exits.delete(oldest);
    }
    this.#deps.ended();
  }
}

/** The agent of a life of which only the mark is known. */
const UNKNOWN_AGENT: Proc = { pid: 0, started: '' };
const lifeOf = (session: string, uuid: string, agent: Proc): Incarnation => {
  return { uuid, session, server: agent, sessionId: '', paneId: '', agent, origin: 'detached' };
};
