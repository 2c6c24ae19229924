/** What the trees of agents take, and what each question about processes rests on. */
import type { Proc } from '../../machines/protocol.ts';
import type { Load, Usage } from '../ports/ports.ts';
import { isShared, type Service } from '../screen/services.ts';
import { byPidOf } from './ancestors.ts';
import type { Row, Source } from './source.ts';

export interface ProcessesOptions {
  readonly source?: Source;
  /** Pid of the town itself. */
  readonly own?: number;
  /** Programs that serve several agents, as packs tell them: only who ends no agents does without. */
  readonly services?: () => readonly Service[];
}

/** What every question rests on. */
export type Ground = Required<ProcessesOptions>;

/** Asked right before each signal: who was listed may have become a daemon since. */
export function isDaemon({ source, services }: Ground, { pid }: Row): boolean {
  const command = source.command(pid);
  return command !== null && isShared(services(), command);
}

/** A daemon that serves others too works for them as well: what it and its tools use says nothing of its starter. */
async function treesIn(ground: Ground, agents: readonly Proc[]): Promise<Row[][]> {
  const { source } = ground;
  const rows = await source.rows();
  const isApart = (row: Row): boolean => row.sid === row.pid && row.tty === null && isDaemon(ground, row);
  const byPid = byPidOf(rows);
  const children = Map.groupBy(rows, ({ ppid }) => ppid);
  return agents.map((agent) => {
    const tree: Row[] = [];
    const row = byPid.get(agent.pid);
    const open = row && source.same(row, agent) ? [row] : [];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      tree.push(at);
      open.push(...(children.get(at.pid) ?? []).filter((row) => !isApart(row)));
    }
    return tree;
  });
}

export async function usageOf(ground: Ground, agents: readonly Proc[]): Promise<Usage[]> {
  const trees = await treesIn(ground, agents);
  return trees.map((tree) => ({
    cpu: new Map(tree.map(({ pid, start, cpuMs }) => [`${pid} ${start}`, cpuMs])),
    memoryBytes: sum(tree, 'residentBytes'),
  }));
}

const sum = (tree: readonly Row[], of: 'cpuMs' | 'residentBytes'): number =>
  tree.reduce((all, row) => all + row[of], 0);

export async function loadOf(ground: Ground, agents: readonly Proc[]): Promise<(Load | null)[]> {
  const trees = await treesIn(ground, agents);
  return trees.map((tree) =>
    tree.length === 0 ? null : { cpuMs: sum(tree, 'cpuMs'), memoryBytes: sum(tree, 'residentBytes') },
  );
}
