/** The file of an agent's program, as a start of it finds it now: what is looked at again says whether it was replaced since. */
import { basename } from 'node:path';
import type { ProgramFile, SessionSpec } from '../../machines/protocol.ts';
import { programAt } from '../proc/find-program.ts';
import { markOf } from '../proc/node.ts';
import { versionOf } from '../screen/version.ts';

/** null = it is not there. `path`: the PATH of the agent; null = it has none. */
export function programFile(
  { command, dir }: Pick<SessionSpec, 'command' | 'dir'>,
  path: string | null,
): ProgramFile | null {
  const file = programAt(command[0] ?? '', dir, path);
  const mark = file === null ? null : markOf(file);
  if (file === null || mark === null) return null;
  return { file, mark, version: versionOf({ comm: basename(file), exe: file, argv: [file] }) };
}
