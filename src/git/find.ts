/**
 * The repository that a folder's work belongs to: the one that git itself would find from there.
 * 1. A folder named `.git` is a repository with a HEAD, objects and refs; an empty or half removed one, as sandboxes and
 *    interrupted clones leave them, is none, and the search goes on upwards. A `.git` that is a file claims to point at
 *    one: git does not look further up from there, and says itself what is wrong with it.
 * 2. What cannot be looked at is unknown: it throws, and nothing is destroyed (law 1, law 4).
 */
import { lstat, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { absentIs } from '../../state/files/disk.ts';
import { GitFailed } from './failure.ts';

/** A link that leads nowhere, or round in circles, is nothing. */
const NOTHING = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/** The nearest folder upwards that holds a repository; null = none does, or the folder itself is gone. */
export async function worktreeOf(folder: string): Promise<string | null> {
  if ((await seen(lstat(folder))) === null) {
    if (folder.includes('\uFFFD'))
      throw new GitFailed(`the folder ${JSON.stringify(folder)} has a name that is not UTF-8; rename it`);
    return null;
  }
  for (let at = await realpath(folder); ; at = dirname(at)) {
    if (await holdsRepository(at)) return at;
    if (at === dirname(at)) return null;
  }
}

/** As git's own `is_git_directory`, or a file that git takes at its word. */
async function holdsRepository(folder: string): Promise<boolean> {
  const path = join(folder, '.git');
  const found = await seen(stat(path));
  if (found === null || !found.isDirectory()) return found?.isFile() === true;
  if (!(await isHead(join(path, 'HEAD')))) return false;
  const common = await seen(readFile(join(path, 'commondir'), 'utf8'));
  const store = common === null ? path : resolve(path, common.replace(/[\r\n]+$/, ''));
  const parts = await Promise.all(['objects', 'refs'].map((name) => seen(stat(join(store, name)))));
  return parts.every((part) => part !== null && part.isDirectory());
}

/** A branch by its ref, or a commit by its number. */
async function isHead(path: string): Promise<boolean> {
  const found = await seen(lstat(path));
  if (found?.isSymbolicLink() === true) return (await readlink(path)).startsWith('refs/');
  return found?.isFile() === true && /^(?:ref:\s*refs\/|[0-9a-f]{40})/i.test(await readFile(path, 'latin1'));
}

/** What the look gives; null = there is nothing of this name. Any other error is unknown. */
const seen = <T>(look: Promise<T>): Promise<T | null> => absentIs<T | null>(null, look, NOTHING);
