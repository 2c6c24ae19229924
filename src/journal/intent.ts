/** The processes of a kill intent, newcomers of later rounds included: each with its program while it lives (D-10, D-14). */
import { basename } from 'node:path';
import type { Dance, NamedProc, Proc } from '../../machines/protocol.ts';
import { orNull } from '../../state/files/or-null.ts';
import type { ProcessTable } from '../proc/processes.ts';
import { clean } from '../terminal/print.ts';

type Table = Pick<ProcessTable, 'alive' | 'commandOf'>;

/** The program of exactly this process; a pid that was given again is not it. */
function programOf(proc: Proc, table: Table): string {
  const told = orNull(() => {
    const command = table.alive(proc) ? table.commandOf(proc.pid) : null;
    return command === null ? 'gone' : clean(basename(command.argv[0] ?? command.comm));
  });
  return told ?? 'not known';
}

const named = (procs: readonly Proc[], table: Table): string =>
  procs.map((proc) => `${proc.pid} (${programOf(proc, table)})`).join(', ');

/** What was left alone is known by the name it had then. */
const apart = (procs: readonly NamedProc[], table: Table): string =>
  procs
    .map((proc) => `${proc.pid} (${clean(proc.program)}${programOf(proc, table) === 'gone' ? ', gone by now' : ''})`)
    .join(', ');

type Intent = Pick<Dance, 'tree' | 'excluded' | 'survivors'>;

export function intentLines({ tree, excluded = [], survivors }: Intent, table: Table): string[] {
  return [
    ...(tree === null || tree.length === 0 ? [] : [`to end      pids ${named(tree, table)}`]),
    ...(excluded.length === 0 ? [] : [`elsewhere   work may go on in pids ${apart(excluded, table)}`]),
    ...(survivors.length === 0 ? [] : [`survivors   pids ${named(survivors, table)}`]),
  ];
}
