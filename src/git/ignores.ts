/**
 * Which ignored files count as ignored: those that a committed `.gitignore` names, and those that the person ignores everywhere. An
 * ignore file that is not committed hides what an agent left, itself included; a repository's own excludes git is never given.
 */
import { join } from 'node:path';
import { homeFolder } from '../../state/files/user.ts';
import type { Git } from './git.ts';
import { isThere } from './files.ts';

/** What a person ignores everywhere, as git finds it by itself; a program that keeps notes beside its work is entered there. */
export async function ownIgnores(): Promise<[string, string][]> {
  const folder = process.env['XDG_CONFIG_HOME'] || join(homeFolder() ?? '/nonexistent', '.config');
  const path = join(folder, 'git/ignore');
  return (await isThere(path).catch(() => false)) ? [['core.excludesFile', path]] : [];
}

/**
 * Of these ignored names those that only an ignore file hides which no look shows as changed. `unseen`: what is untracked, ignored, or
 * hidden by a flag; a folder ends in a slash and stands for all in it. All names in latin1.
 */
export async function hiddenByUntracked(
  git: Git,
  ignored: readonly string[],
  unseen: readonly string[],
): Promise<string[]> {
  if (ignored.length === 0) return [];
  const said = await git.run(
    ['check-ignore', '--verbose', '-z', '--stdin'],
    ignored.map((name) => `${name}\0`).join(''),
  );
  const fields = said.split('\0');
  const files = new Set(unseen);
  const folders = unseen.filter((name) => name.endsWith('/'));
  const counts = new Set<string>();
  // Source, line, pattern, name.
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const source = fields[at] ?? '';
    const isOpen = files.has(source) || folders.some((folder) => source.startsWith(folder));
    if (source !== '' && !isOpen) counts.add(fields[at + 3] ?? '');
  }
  return ignored.filter((name) => !counts.has(name));
}
