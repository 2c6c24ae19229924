/**
 * Performs `listSurvivors`: what still runs of lives that ended. A process is attributed as for a living agent
 * (family.ts): by the mark in its environment, which outlasts restarts of the town, or by an earlier listing in the
 * life's tree. A daemon that serves several agents is no survivor.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Remains } from '../../machines/protocol.ts';
import type { OrderOf, Perform } from '../ports/ports.ts';
import type { Service } from '../screen/services.ts';
import { programOf } from './command.ts';
import { familyOf } from './family.ts';
import { ProcessUnknown, type Row, type Source } from './source.ts';

/** Processes seen below the agent of a life while it lived, each as `<pid> <start>` of its row. */
export type KinOf = (uuid: string) => ReadonlySet<string>;

/** What still runs of lives that ended, each with what an earlier look found of it. */
export type SurvivorsOf = (of: readonly Remains[], kinOf: KinOf) => Promise<Remains[]>;

export interface SurvivorDeps {
  readonly processes: { readonly survivorsOf: SurvivorsOf };
  readonly kinOf: KinOf;
}

export function listSurvivorsHand({ processes, kinOf }: SurvivorDeps): Perform<OrderOf<'listSurvivors'>> {
  return async ({ of }) => ({ type: 'SURVIVORS_LISTED', of: await processes.survivorsOf(of, kinOf) });
}

export interface SurvivorGround {
  readonly source: Source;
  /** Pid of the town itself. */
  readonly own: number;
  readonly services: () => readonly Service[];
}

/** One pass for all. Throws `ProcessUnknown` when it is unknown. */
export async function survivorsIn(
  { source, own, services }: SurvivorGround,
  of: readonly Remains[],
  kinOf: KinOf,
): Promise<Remains[]> {
  const rows = await source.rows();
  if (!rows.some(({ pid }) => pid === own))
    throw new ProcessUnknown(`the list of processes lacks the town's own pid ${own}; it proves nothing`);
  const named = (row: Row): Remains['survivors'][number] => {
    return { ...source.proc(row), program: programOf(source.command(row.pid)) };
  };
  const found: Remains[] = [];
  for (const { life, survivors } of of) {
    if (rows.some((row) => !row.zombie && source.same(row, life.agent))) {
      found.push({ life, survivors: [] }); // it lives: its processes are no survivors
      continue;
    }
    const kin = kinOf(life.uuid);
    const known = rows.filter(({ pid, start }) => kin.has(`${pid} ${start}`));
    // The starter of a tmux server is its parent for a moment; its panes may run any program.
    const seen = known.filter((row) => !source.isTmuxServer(row)).map((row) => source.proc(row));
    const question = { target: life, tty: null, listed: [...survivors, ...seen], own, services: services() };
    found.push({ life, survivors: familyOf(rows, question, source).members.map(named) });
    await breathe(); // every environment was read: a crash loop leaves many lives
  }
  return found;
}
