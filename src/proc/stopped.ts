/** Who of an agent cannot run, so that nothing reads what is typed there (D-7). */
import type { Proc } from '../../machines/protocol.ts';
import { ancestorsOf, byPidOf } from './ancestors.ts';
import { foregroundGroup } from './foreground.ts';
import type { Command, Row } from './source.ts';
import type { Ground } from './trees.ts';

export interface AgentInPane {
  readonly agent: Proc;
  /** The pane's own process: the agent, or a shell around it. */
  readonly panePid: number;
  /** Whether it is a part of an agent's own program. What such a program runs for itself does not keep it from reading. */
  readonly isPart: (command: Command) => boolean;
}

export interface StoppedProcess {
  readonly pid: number;
  readonly comm: string;
  readonly by: NonNullable<Row['cannotRun']>;
}

/** A disk answers sooner or later by itself. */
const rank = ({ cannotRun }: Row): number => (cannotRun === 'stopped' ? 0 : 1);

/**
 * The first of these that is stopped or waits for a disk, stopped ones first: the agent itself; a process of the group that reads
 * the pane's keys; a process below the agent, unless an agent's program runs it as a tool. null = all can run. Throws `ProcessUnknown`.
 */
export async function stoppedIn(
  { source }: Ground,
  { agent, panePid, isPart }: AgentInPane,
): Promise<StoppedProcess | null> {
  const rows = await source.rows();
  const stopped = rows.filter((row) => row.cannotRun !== null && !row.zombie);
  if (stopped.length === 0) return null;
  const byPid = byPidOf(rows);
  const pane = byPid.get(panePid);
  const front = pane === undefined ? null : await foregroundGroup(panePid);
  const isPartAt = (pid: number): boolean => {
    const command = source.command(pid);
    return command !== null && isPart(command);
  };
  const counts = (row: Row): boolean => {
    if (source.same(row, agent)) return true;
    if (row.pgid === front && row.tty === pane?.tty) return true;
    const above = ancestorsOf(byPid, row.pid);
    const between = above.slice(0, above.indexOf(agent.pid) + 1);
    return between.length > 0 && (!between.some(isPartAt) || isPartAt(row.pid));
  };
  const found = stopped.toSorted((a, b) => rank(a) - rank(b)).find(counts);
  const comm = found && source.command(found.pid)?.comm;
  return found?.cannotRun && comm !== undefined ? { pid: found.pid, comm, by: found.cannotRun } : null;
}
