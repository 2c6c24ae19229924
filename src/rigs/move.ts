/**
 * Moves a worktree, and tells its repository where it stands. Of `git worktree repair` only this: that one writes into all other
 * worktrees of the repository too, and fails for each that is odd.
 */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gitDirOf, linkedIn } from '../git/worktree.ts';

export async function move(commonDir: string, from: string, to: string): Promise<void> {
  await rename(from, to);
  await register(commonDir, to);
}

/** Any folder that is no worktree which was moved there is left as it is. */
export async function register(commonDir: string, top: string): Promise<void> {
  const gitDir = await gitDirOf(join(top, '.git'));
  const linked = (await linkedIn(commonDir)).find((one) => one.gitDir === gitDir);
  if (linked === undefined || (await gitDirOf(join(linked.top, '.git'))) === gitDir) return;
  const file = join(linked.gitDir, 'gitdir');
  await writeFile(`${file}.town`, `${join(top, '.git')}\n`);
  await rename(`${file}.town`, file);
}
