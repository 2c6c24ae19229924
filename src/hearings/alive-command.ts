/**
 * How an agent calls the town to answer (D-2): the bare command where its PATH has ours, an absolute one where not. A
 * started agent has TOWN_ROOT in its environment; the question names the root for an adopted one. The absolute command
 * is a script of the town's, so that a question outlives the Node and the package that were there when it was typed.
 */
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { AliveCommand } from '../../machines/hearings/question.ts';
import { shellWord } from '../../state/files/show-text.ts';

/** True when the first `town` on this PATH is this very program. */
function isOnPath(path: string, program: string): boolean {
  const found = path
    .split(':')
    .filter((folder) => folder.startsWith('/'))
    .map((folder) => join(folder, 'town'))
    .find((file) => existsSync(file));
  return found !== undefined && realpathSync(found) === realpathSync(program);
}

/** The words of the script; `launcher` is its file. */
export const byLauncher = (launcher: string): readonly string[] => ['/bin/sh', launcher];

/** `program`: the file that runs as `town`; `whole`: the words that run it where PATH lacks it. */
export function aliveCommand(root: string, path: string, program: string, whole: readonly string[]): AliveCommand {
  const words = (parts: readonly string[]) => parts.map(shellWord).join(' ');
  const bare = isOnPath(path, program) ? ['town'] : whole;
  const isBare = bare.length === 1;
  return {
    started: words(isBare ? [...bare, 'alive'] : [...bare, '--root', root, 'alive']),
    adopted: words([...bare, '--root', root, 'alive']),
  };
}
