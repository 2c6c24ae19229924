/**
 * Which processes belong to an incarnation. Pure: rows in, rows out.
 * 1. Ours are: the agent; descendants of a process that is ours; members of a session (setsid) whose leader is ours;
 *    processes with the incarnation's mark, unless a tmux server stands above them, or they were born in another one
 *    than the incarnation: panes inherit the environment of the server's first starter, and may outlive it. No other
 *    process is ours, under any name.
 * 2. A pid proves nothing: the agent and the listed are seeds only while their start time is the recorded one.
 * 3. An adopted pane is a person's shell: its terminal and session are the person's, and neither makes a process ours.
 * 4. Never pid 1 or below, the town with its group and ancestors, the agent's ancestors, the tmux server, or a daemon
 *    that serves several agents: below one neither descent nor mark proves anything (shared.ts).
 */
import type { Incarnation, Proc } from '../../machines/protocol.ts';
import type { Service } from '../screen/services.ts';
import { ancestorsOf, byPidOf, chainOf, type ByPid } from './ancestors.ts';
import { keepLiving, Shared, type Left, type Roles } from './shared.ts';
import type { Row, Source } from './source.ts';

export interface FamilyQuestion {
  readonly target: Incarnation;
  /** The pane's terminal in the source's spelling; null = none, or it does not count. */
  readonly tty: string | null;
  /** Processes that an earlier listing found to be ours. */
  readonly listed: readonly Proc[];
  /** Pid of the town itself. */
  readonly own: number;
  /** Programs that serve several agents. */
  readonly services: readonly Service[];
}

export interface Family {
  /** Living, parents before their children. */
  readonly members: readonly Row[];
  /** Left alone, though work of the life may go on there. */
  readonly excluded: readonly Left[];
}

export type Asked = Pick<Source, 'same' | 'marked' | 'tmuxOf' | 'isTmuxServer' | 'command' | 'valueOf' | 'cwd'>;

export function familyOf(rows: readonly Row[], question: FamilyQuestion, source: Asked): Family {
  const { target, listed } = question;
  const byPid = byPidOf(rows);
  const shared = new Shared(byPid, source, question.services);
  const isSame = (proc: Proc): Row | null => {
    const row = byPid.get(proc.pid);
    return row && source.same(row, proc) ? row : null;
  };
  const agent = isSame(target.agent);
  const known = listed.map(isSame).filter((row) => row !== null);
  const spared = sparedPids(byPid, question, agent);
  const ours = new Map<number, Row>();
  const take = (row: Row): void => {
    if (!spared(row) && !shared.isShared(row)) ours.set(row.pid, row);
  };
  for (const row of agent === null ? known : [agent, ...known]) take(row);
  for (const row of rows) if (inItsSession(row, question, byPid, agent, known)) take(row);
  grow(rows, ours, take);
  const hasMark = (row: Row): boolean => !row.zombie && !spared(row) && isMarked(row, target, byPid, source);
  const server = byPid.get(target.server.pid);
  const inherited = shared.threadsOf([agent ?? [], server ?? []].flat());
  for (const row of rows) if (!ours.has(row.pid) && hasMark(row) && !shared.isBelow(row, inherited)) take(row);
  grow(rows, ours, take);
  const { own, left } = shared.work({ ours, inherited, isMarked: hasMark });
  own.forEach(take);
  grow(rows, ours, take);
  return { members: parentsFirst([...ours.values()].filter((row) => !row.zombie)), excluded: left };
}

/**
 * Leaders of groups of their own among what the agent runs: tools, not the parts of its own program. Below a daemon those that
 * are the agent's for certain.
 */
export function groupsOf(
  rows: readonly Row[],
  agent: Row,
  source: Asked,
  { services, roles }: { services: FamilyQuestion['services']; roles: Roles },
): readonly Row[] {
  const living = rows.filter(({ zombie }) => !zombie);
  keepLiving(roles, living);
  const shared = new Shared(byPidOf(living), source, services, roles);
  const ours = new Map([[agent.pid, agent]]);
  const take = (row: Row): void => {
    if (!shared.isShared(row)) ours.set(row.pid, row);
  };
  grow(living, ours, take);
  const { own } = shared.work({ ours, inherited: shared.threadsOf([agent]), isMarked: null });
  return [...ours.values(), ...own].filter(({ pid, pgid }) => pid !== agent.pid && pgid === pid);
}

function sparedPids(byPid: ByPid, { target, own }: FamilyQuestion, agent: Row | null): (row: Row) => boolean {
  const ownGroup = byPid.get(own)?.pgid;
  const pids = new Set([0, 1, own, ...ancestorsOf(byPid, own)]);
  // A life without a pane names itself where others name their tmux server.
  if (target.origin !== 'detached') pids.add(target.server.pid);
  if (agent !== null) for (const pid of ancestorsOf(byPid, agent.pid)) pids.add(pid);
  return (row) => pids.has(row.pid) || row.pgid === ownGroup;
}

/**
 * A started agent leads its pane's session. After its end the session's number may be given again, so membership needs a
 * second proof: the leader itself, the pane's terminal, or a listed process that is still in it.
 */
function inItsSession(
  row: Row,
  { target, tty }: FamilyQuestion,
  byPid: ByPid,
  agent: Row | null,
  known: readonly Row[],
): boolean {
  if (target.origin === 'adopted') return false;
  if (row.sid === 0) return tty !== null && row.tty === tty && agent?.tty === tty;
  if (row.sid !== target.agent.pid) return false;
  if (agent !== null || known.some((one) => one.sid === row.sid)) return true;
  return tty !== null && row.tty === tty && !byPid.has(target.agent.pid);
}

function isMarked(row: Row, { uuid, server }: Incarnation, byPid: ByPid, source: Asked): boolean {
  if (!source.marked(row, `TOWN_INCARNATION=${uuid}`)) return false;
  const bornIn = source.tmuxOf(row);
  if (bornIn !== null && bornIn !== server.pid) return false;
  return !chainOf(byPid, row).some((one) => source.isTmuxServer(one));
}

/** Adds descendants and the sessions led by members until none is left to add. */
function grow(rows: readonly Row[], ours: Map<number, Row>, take: (row: Row) => void): void {
  for (let before = -1; before !== ours.size;) {
    before = ours.size;
    for (const row of rows) {
      const isMember = ours.has(row.ppid) || (row.sid > 0 && ours.has(row.sid));
      if (!ours.has(row.pid) && isMember) take(row);
    }
  }
}

function parentsFirst(rows: readonly Row[]): Row[] {
  const byPid = byPidOf(rows);
  const depth = new Map(
    rows.map((row) => [row.pid, ancestorsOf(byPid, row.pid).filter((pid) => byPid.has(pid)).length]),
  );
  return [...rows].sort((a, b) => (depth.get(a.pid) ?? 0) - (depth.get(b.pid) ?? 0) || a.pid - b.pid);
}
