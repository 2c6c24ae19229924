/**
 * A source for who looks at many processes once and decides nothing by it: what one pass over all of them showed is not asked
 * again until the next pass. Who signals takes none of this: it looks right before.
 */
import { byPidOf } from './ancestors.ts';
import type { Command, Source } from './source.ts';

/** What came after the pass, or was not in it, is asked for as always. */
export function snapshotOf(source: Source): Source {
  let rows = byPidOf([]);
  const commands = new Map<number, Command | null>();
  return {
    ...source,
    rows: async () => {
      const all = await source.rows();
      rows = byPidOf(all);
      commands.clear();
      return all;
    },
    row: (pid) => rows.get(pid) ?? source.row(pid),
    command: (pid) => {
      if (!commands.has(pid)) commands.set(pid, source.command(pid));
      return commands.get(pid) ?? null;
    },
  };
}
