/**
 * Passing obstacles of a start: a missing folder or program, a name that another session has, a person at the keys of
 * its dead pane, a root that came back from a copy. The start asks this function, and the scan asks it again for waiting starts: so a wait ends with its
 * cause.
 */
import type { OutcomeBody, SessionSpec, WaitingStart } from '../../machines/protocol.ts';
import { REFINERY } from '../../machines/witness/refinery.ts';
import type { Disk } from '../../state/files/disk.ts';
import { AFTER_COPY, restoredAt } from '../../state/process/restored.ts';
import type { HandsPolicy } from '../ports/policy.ts';
import type { OrderOf, Processes } from '../ports/ports.ts';
import { missingProgram } from '../proc/find-program.ts';
import { unfitFolder } from '../proc/start-folder.ts';
import { sizeText } from '../../machines/kernel/span.ts';
import { agentEnvironment, environmentBelow } from '../proc/environment.ts';
import type { Packs } from '../screen/packs.ts';
import type { TmuxClient } from '../tmux/client.ts';
import { isFault } from '../tmux/errors.ts';
import { accountOfStart } from './account.ts';
import { loginMark } from './login-mark.ts';
import type { Owner } from '../tmux/owner.ts';
import { readPanesIfAny, rootKey, type PaneRow } from '../tmux/panes.ts';
import { missingVariables, namedValues, pathOf, type EnvironmentOf } from './environment.ts';
import { sessionsOf, type PersonIn } from './clear.ts';

export type NotStarted = Extract<OutcomeBody, { type: 'SESSION_NOT_STARTED' }>;
type Start = WaitingStart & Pick<OrderOf<'startSession'>, 'byHand'>;

export interface ObstacleDeps {
  readonly tmux: TmuxClient;
  readonly owner: Owner;
  readonly processes: Pick<Processes, 'alive' | 'proc'>;
  readonly personIn: PersonIn;
  readonly environmentOf: EnvironmentOf;
  readonly packs: Pick<Packs, 'kindOf'>;
  readonly heldBack: HeldBack;
  readonly policy: Pick<HandsPolicy, 'personWithinMs' | 'minFreeMemoryBytes'>;
}

export function notStarted(why: string, taken = false): NotStarted {
  return { type: 'SESSION_NOT_STARTED', why, taken };
}
const waits = (why: NotStarted): NotStarted => ({ ...why, waits: true });

/** Why it is not started before a person's word; null = it is. Rejects where that is unknown. */
export type HeldBack = (spec: Pick<SessionSpec, 'tags'>) => Promise<NotStarted | null>;

/** A refinery merges, pushes and deletes by a program of its own, and may do twice what was done since the copy was made (law 1). */
export const heldAfterCopy =
  (disk: Pick<Disk, 'stat'>): HeldBack =>
  async ({ tags }) =>
    tags.includes(REFINERY) && (await restoredAt(disk)) !== null
      ? waits({ ...notStarted(AFTER_COPY), heldBack: true })
      : null;

/** Why nothing can be started there now, as a sentence; null = it can. A running session needs its folder no more. */
export function noFolder({ dir }: SessionSpec): string | null {
  const why = unfitFolder(dir);
  return why === null ? null : `the folder ${JSON.stringify(dir)} ${why}; make it or give another --dir`;
}

/** Why the machine takes no further agent now, as a sentence; null = it does. */
export function shortOfMemory({ minFreeMemoryBytes: least }: Pick<HandsPolicy, 'minFreeMemoryBytes'>): string | null {
  const left = process.availableMemory();
  if (left >= least) return null;
  return `it waits for memory: the machine has ${sizeText(left)} left, and [sessions] min_free_memory wants ${sizeText(least)}`;
}

/** null = none. `rows`: the panes of the server by this name. Rejects when tmux or a process gives no answer. */
export async function obstacleTo(
  deps: ObstacleDeps,
  start: Start,
  rows: readonly PaneRow[],
): Promise<NotStarted | null> {
  const heldBack = await deps.heldBack(start.spec);
  if (heldBack !== null) return heldBack;
  const folder = noFolder(start.spec);
  if (folder !== null) return waits(notStarted(folder));
  const short = shortOfMemory(deps.policy);
  if (short !== null) return waits(notStarted(short));
  const [program = ''] = start.spec.command;
  // The start looks for others once its session is there, whose PATH it is.
  const missing = program.includes('/') ? missingProgram(program, start.spec.dir, null) : null;
  if (missing !== null) return waits({ ...notStarted(missing), missing: true });
  const unset = missingVariables(start.spec, await deps.environmentOf(start.spec.name));
  if (unset !== null) return waits(notStarted(unset));
  const held = await heldByLogin(deps, start);
  if (held !== null) return held;
  const taken = takenBy(deps, start, rows);
  if (taken !== null) return waits(notStarted(taken, true));
  const dead = deadIn(rows);
  const person = dead === null || start.byHand === true ? null : await deps.personIn(sessionsOf(rows, dead.paneId));
  return person === null ? null : waits({ ...notStarted(person), personMs: deps.policy.personWithinMs });
}

/**
 * Its account is logged out, and the login's file is as it was then (M-9). The environment that it would get tells its
 * account; where its command does not, the account of its last life counts. null = nothing holds it.
 */
async function heldByLogin(
  { tmux, packs, environmentOf }: ObstacleDeps,
  { spec, dead = [], account: last }: WaitingStart,
): Promise<NotStarted | null> {
  if (dead.length === 0) return null;
  const values = namedValues(spec, await environmentOf(spec.name));
  const below = await environmentOfServer(tmux);
  const account = (await accountOfStart(packs, spec, { ...below, ...values })) ?? last;
  const logins = dead.filter((one) => one.account.id === account?.id);
  if (account === undefined || logins.length === 0) return null;
  const now = account.file === null ? null : await loginMark(account.file);
  // What is not known releases nothing.
  if (typeof now === 'string' && logins.every(({ credential, isTried }) => !isTried && credential !== now)) return null;
  return waits({ ...notStarted(`account ${account.label} is logged out`), held: account });
}

/** Where no server runs, the next one gets ours. */
async function environmentOfServer(tmux: TmuxClient): Promise<Record<string, string>> {
  try {
    return environmentBelow(await tmux.call(['show-environment', '-g']));
  } catch (error) {
    if (isFault(error, 'none')) return agentEnvironment(process.env);
    throw error;
  }
}

/** The pane that its last life left. */
export const deadIn = (rows: readonly PaneRow[]): PaneRow | null =>
  rows.find((row) => row.named && row.agentPane && !row.incarnate) ?? null;

/** What keeps the name from being taken; null = nothing, or a dead life of ours alone. */
function takenBy(
  { processes }: ObstacleDeps,
  { spec: { name }, previous }: Start,
  rows: readonly PaneRow[],
): string | null {
  if (previous !== null && previous.origin === 'started' && processes.alive(previous.agent))
    return `its last life still runs as pid ${previous.agent.pid}; end it, or wait until it has ended`;
  const panes = rows.filter((row) => row.named && !row.incarnate);
  const [first] = panes;
  if (first === undefined) return null;
  const agent = panes.find(({ agentPane }) => agentPane);
  if (!first.ours || agent === undefined || !(agent.started || agent.unfinished))
    return `a session ${name} was there that this town did not start; make it one of this town with \`town session adopt ${name}\`, or rename it`;
  if (agent.started && !agent.dead && processes.proc(agent.pid) !== null)
    return `an agent runs in ${name} already (pid ${agent.pid})`;
  return null;
}

/** A scan asks for so many of those that wait, the others come next: each is a question to tmux. */
const MOST = 8;

/** Names of those that nothing keeps from being started any more. Never rejects: an unknown one waits on. */
export function seeFree(deps: ObstacleDeps): (all: readonly WaitingStart[]) => Promise<readonly string[]> {
  let next = 0;
  return async (all) => {
    const from = next >= all.length ? 0 : next;
    const some = all.slice(from, from + MOST);
    next = from + MOST;
    const free: string[] = [];
    for (const waiting of some) if (await isFree(deps, waiting).catch(() => false)) free.push(waiting.spec.name);
    return free;
  };
}

async function isFree(deps: ObstacleDeps, waiting: WaitingStart): Promise<boolean> {
  const { spec } = waiting;
  const wanted = { name: spec.name, key: rootKey(deps.owner.root) };
  const rows = await readPanesIfAny(deps.tmux, wanted);
  if ((await obstacleTo(deps, waiting, rows ?? [])) !== null) return false;
  const [program = ''] = spec.command;
  // Where no server runs, that of the next one has a PATH that its tmux.conf may set: the start itself tells.
  if (program.includes('/') || rows === null) return true;
  const values = namedValues(spec, await deps.environmentOf(spec.name));
  return missingProgram(program, spec.dir, pathOf(values, await deps.tmux.call(['show-environment', '-g']))) === null;
}
