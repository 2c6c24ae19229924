/**
 * daemon/call-town: a script by which an agent calls the town, where its PATH lacks the command. A question stands in a
 * pane for minutes. Node may be removed, and the package may move, before the agent runs the command of the question.
 * Each start of the town writes the script again, so that the same command runs what is there then.
 */
import { FILES } from '../files/layout.ts';
import type { Disk } from '../files/disk.ts';
import { shellWord } from '../files/show-text.ts';
import { writeFiles } from '../files/atomic-write.ts';

export interface Launched {
  /** What runs the program. */
  readonly node: string;
  /** The file that runs as `town`. */
  readonly program: string;
  /** This process, which holds a removed Node in its memory. */
  readonly pid: number;
}

const scriptOf = ({ node, program, pid }: Launched): string => {
  const inMemory = `/proc/${String(pid)}/exe`;
  const run = (by: string): string => `exec ${by} ${shellWord(program)} "$@"`;
  // The number of a process is used again: only the removed Node itself counts there.
  return `#!/bin/sh
# The town writes this file at each start. Agents call the town by it.
[ -x ${shellWord(node)} ] && ${run(shellWord(node))}
[ "$(readlink ${inMemory} 2>/dev/null)" = ${shellWord(`${node} (deleted)`)} ] && ${run(inMemory)}
command -v node >/dev/null && ${run('node')}
echo ${shellWord(`town: the Node of the town (${node}) was removed; type the command again in ten seconds`)} >&2
exit 1
`;
};

/** Durable when it resolves. */
export const keepLauncher = (disk: Disk, launched: Launched): Promise<void> =>
  writeFiles(disk, [{ path: FILES.launcher, text: scriptOf(launched) }]);
