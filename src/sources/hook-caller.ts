/**
 * Whose hook calls, where no token of a life says it: the hooks that a person installed for every Claude Code of theirs. The process
 * proves it, never its words (law 11).
 * 1. The hook's command gives itself a random mark in its environment, and sends its pid and that mark. Only a process that the kernel
 *    shows with this mark counts, and only once: its mark can be read by others of the same user while it runs.
 * 2. It speaks for the nearest agent of a living life above it. Only an adopted one: the town gave the others hooks of their own.
 *    An agent program that this agent runs itself (`claude -p` in its shell) has the same hooks, and is not heard as that agent.
 * 3. What cannot be looked up is not proved (law 1).
 */
import type { Incarnation, Proc } from '../../machines/protocol.ts';
import { orNull } from '../../state/files/or-null.ts';
import type { ProcessTable } from '../proc/processes.ts';
import type { Packs } from '../screen/packs.ts';
import { SOURCES } from './policy.ts';

/** The variable with the mark of a hook's process. */
export const MARK = 'TOWN_HOOK';
export const CALLER_HEADERS = { process: 'x-town-process', mark: 'x-town-mark' } as const;

/** What a hook's command says of itself. */
export interface Claim {
  readonly pid: number;
  readonly mark: string;
}

export type HookCaller =
  | { readonly is: 'adopted'; readonly uuid: string }
  /** `started`: of an agent that the town started. `unwatched`: of no life. `unproved`: no such process was found. */
  | { readonly is: 'started' | 'unwatched' | 'unproved' };

type Processes = Pick<ProcessTable, 'alive' | 'commandOf' | 'describe' | 'proc' | 'variableOf'>;

export interface HookCallerDeps {
  readonly processes: Processes;
  readonly packs: Pick<Packs, 'kindOf'>;
  /** Lives that are not known to have ended. */
  readonly living: () => Promise<readonly Incarnation[]>;
}

/** A uuid: anything shorter could be guessed, or stand in an environment by chance. */
const RANDOM = /^[0-9a-f-]{36}$/;

/** null = it claims nothing. */
export function claimIn(headers: Readonly<Record<string, unknown>>): Claim | null {
  const { [CALLER_HEADERS.process]: pid, [CALLER_HEADERS.mark]: mark } = headers;
  return typeof mark === 'string' && RANDOM.test(mark) ? { pid: Number(pid), mark } : null;
}

/** Rejects as `living` does. */
export function hookCallers({
  processes,
  packs,
  living,
}: HookCallerDeps): (claim: Claim | null) => Promise<HookCaller> {
  const spent = new Map<string, Proc>();
  return async (claim) => {
    const proc = claim && orNull(() => markedBy(processes, claim));
    if (proc === null || spent.has(nameOf(proc))) return { is: 'unproved' };
    if (spent.size >= SOURCES.maxHeldConnections)
      for (const [name, one] of spent) if (orNull(() => processes.alive(one)) === false) spent.delete(name);
    spent.set(nameOf(proc), proc);
    const lives = await living();
    return orNull(() => callerAbove({ processes, packs }, proc, lives)) ?? { is: 'unproved' };
  };
}

const nameOf = ({ pid, started }: Proc): string => `${pid} ${started}`;

function markedBy(processes: Processes, { pid, mark }: Claim): Proc | null {
  const proc = processes.proc(pid);
  return proc !== null && processes.variableOf(proc, MARK) === mark ? proc : null;
}

type Looks = Pick<HookCallerDeps, 'processes' | 'packs'>;

function callerAbove(looks: Looks, proc: Proc, lives: readonly Incarnation[]): HookCaller {
  const { processes } = looks;
  const above = new Set<number>();
  for (let pid = proc.pid; pid > 1 && !above.has(pid); pid = processes.describe(pid)?.ppid ?? 0) {
    above.add(pid);
    const life = lives.find(({ agent }) => agent.pid === pid && processes.alive(agent));
    if (life === undefined) continue;
    if (life.origin !== 'adopted') return { is: 'started' };
    return isNested(looks, [...above].reverse()) ? { is: 'unwatched' } : { is: 'adopted', uuid: life.uuid };
  }
  return { is: 'unwatched' };
}

/** Whether another agent program stands below the topmost one, with something that is none between them. `pids`: from the top down. */
function isNested({ processes, packs }: Looks, pids: readonly number[]): boolean {
  const areAgents = pids.map((pid) => {
    const command = processes.commandOf(pid);
    return command !== null && packs.kindOf(command) !== null;
  });
  const first = areAgents.indexOf(true);
  // A program may start itself once more.
  const end = areAgents.indexOf(false, first);
  return first >= 0 && end >= 0 && areAgents.indexOf(true, end) >= 0;
}
