/**
 * Which processes belong to an incarnation. Pure: rows in, rows out.
 * 1. Ours are: the agent; descendants of a process that is ours; members of a session (setsid) whose leader is ours;
 *    processes with the incarnation's mark, unless a tmux server stands above them, or they were born in another one than
 *    the incarnation: panes inherit the environment of whoever started the server first, and may outlive it. Everything
 *    else is not, whatever it is named.
 * 2. A pid proves nothing: the agent and the listed are seeds only while their start time is the recorded one.
 * 3. An adopted pane is a person's shell: its terminal and session are the person's, and neither makes a process ours.
 * 4. Never pid 1 or below, the town with its group and ancestors, the agent's ancestors, or the tmux server.
 */
import type { Incarnation, Proc } from '../../machines/protocol.ts';
import type { Row, Source } from './source.ts';

export interface FamilyQuestion {
  readonly target: Incarnation;
  /** The pane's terminal in the source's spelling; null = none, or it does not count. */
  readonly tty: string | null;
  /** Processes that an earlier listing found to be ours. */
  readonly listed: readonly Proc[];
  /** Pid of the town itself. */
  readonly own: number;
}

export type Asked = Pick<Source, 'same' | 'marked' | 'tmuxOf' | 'isTmuxServer'>;

/** Living members, parents before their children. */
export function familyOf(rows: readonly Row[], question: FamilyQuestion, source: Asked): Row[] {
  const { target, listed, own } = question;
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  const isSame = (proc: Proc): Row | null => {
    const row = byPid.get(proc.pid);
    return row && source.same(row, proc) ? row : null;
  };
  const agent = isSame(target.agent);
  const known = listed.map(isSame).filter((row) => row !== null);
  const spared = sparedPids(byPid, target, own, agent);
  const ours = new Map<number, Row>();
  const take = (row: Row): void => {
    if (!spared(row)) ours.set(row.pid, row);
  };
  for (const row of agent === null ? known : [agent, ...known]) take(row);
  for (const row of rows) if (inItsSession(row, question, byPid, agent, known)) take(row);
  grow(rows, ours, take);
  for (const row of rows)
    if (!ours.has(row.pid) && !row.zombie && !spared(row) && isMarked(row, target, byPid, source)) take(row);
  grow(rows, ours, take);
  return parentsFirst([...ours.values()].filter((row) => !row.zombie));
}

/** Pids above `pid`, nearest first. Bounded by the table, which may have been read while it changed. */
function ancestorsOf(byPid: ReadonlyMap<number, Row>, pid: number): number[] {
  const found: number[] = [];
  for (let at = byPid.get(pid)?.ppid ?? 0; at > 0 && !found.includes(at); at = byPid.get(at)?.ppid ?? 0) found.push(at);
  return found;
}

function sparedPids(
  byPid: ReadonlyMap<number, Row>,
  target: Incarnation,
  own: number,
  agent: Row | null,
): (row: Row) => boolean {
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
  byPid: ReadonlyMap<number, Row>,
  agent: Row | null,
  known: readonly Row[],
): boolean {
  if (target.origin === 'adopted') return false;
  if (row.sid === 0) return tty !== null && row.tty === tty && agent?.tty === tty;
  if (row.sid !== target.agent.pid) return false;
  if (agent !== null || known.some((one) => one.sid === row.sid)) return true;
  return tty !== null && row.tty === tty && !byPid.has(target.agent.pid);
}

function isMarked(row: Row, { uuid, server }: Incarnation, byPid: ReadonlyMap<number, Row>, source: Asked): boolean {
  if (!source.marked(row, `TOWN_INCARNATION=${uuid}`)) return false;
  const bornIn = source.tmuxOf(row);
  if (bornIn !== null && bornIn !== server.pid) return false;
  const chain = [row.pid, ...ancestorsOf(byPid, row.pid)]
    .map((pid) => byPid.get(pid))
    .filter((one) => one !== undefined);
  return !chain.some((one) => source.isTmuxServer(one));
}

/** Adds descendants and the sessions led by members until nobody is added. */
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
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  const depth = new Map(
    rows.map((row) => [row.pid, ancestorsOf(byPid, row.pid).filter((pid) => byPid.has(pid)).length]),
  );
  return [...rows].sort((a, b) => (depth.get(a.pid) ?? 0) - (depth.get(b.pid) ?? 0) || a.pid - b.pid);
}
