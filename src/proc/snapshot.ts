/**
 * A source for who looks at many processes once and decides nothing by it: what one pass over all of them showed is not asked
 * again until the next pass. Who signals takes none of this: it looks right before.
 */
import type { Command, Row, Source } from './source.ts';

/** What came after the pass, or was not in it, is asked for as always. */
export function snapshotOf(source: Source): Source {
  let rows = new Map<number, Row>();
  const commands = new Map<number, Command | null>();
  return {
    ...source,
    rows: async () => {
      const all = await source.rows();
      rows = new Map(all.map((row) => [row.pid, row]));
      commands.clear();
      return all;
    },
    row: (pid) => rows.get(pid) ?? source.row(pid),
    command: (pid) => {
      const known = commands.get(pid);
      const command = known === undefined ? source.command(pid) : known;
      commands.set(pid, command);
      return command;
    },
  };
}
