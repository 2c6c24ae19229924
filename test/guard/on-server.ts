/** A town on a tmux server of a given configuration, and all options and hooks of that server. */
import { join } from 'node:path';
import { TestTown } from '../cli/town.ts';

export function townWith(config = ''): TestTown {
  const town = new TestTown();
  town.write('tmux.conf', config);
  town.conf = join(town.root, 'tmux.conf');
  return town;
}

export const everything = (town: TestTown): string[] =>
  ['show-options -g', 'show-options -s', 'show-options -g -w', 'show-hooks -g'].map((words) =>
    town.tmux(...words.split(' ')),
  );
