/** Changed files that `git status` does not show, because a flag of the index tells it not to look. */
import { hiddenNames, readable } from './changes.ts';
import type { Git } from './git.ts';

/** Names as text. A file that cannot be compared counts as changed. */
export async function hiddenChanges(git: Git, top: string): Promise<string[]> {
  const names = await hiddenNames(git, top);
  if (names.length === 0) return [];
  const staged = await git.run(['ls-files', '-s', '-z']);
  const known = new Map(
    staged.split('\0').map((line) => {
      const [meta = '', name = ''] = line.split('\t', 2);
      return [name, meta.split(' ')] as const;
    }),
  );
  const changed: string[] = [];
  for (const name of names) {
    const [mode, hash] = known.get(name) ?? [];
    const isPlain = mode?.startsWith('100') === true && !name.includes('\n');
    if (!isPlain || (await hashOf(git, name)) !== hash) changed.push(readable(name));
  }
  return changed;
}

/** null = unknown. */
async function hashOf(git: Git, name: string): Promise<string | null> {
  return git.run(['hash-object', '--no-filters', '--stdin-paths'], `${name}\n`).then(
    (hash) => hash.trim(),
    () => null,
  );
}
