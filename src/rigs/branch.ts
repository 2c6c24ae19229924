/** The branch of a polecat that goes: deleted where it stands at the very commit that was proved to be elsewhere, else kept. */
import { join } from 'node:path';
import { branchOf } from '../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import type { Git } from '../git/git.ts';
import { textOf } from '../git/files.ts';
import { linkedIn } from '../git/worktree.ts';
import { commitOf, isHeldElsewhere } from './repository.ts';

const refOf = (record: PolecatRecord): string => `refs/heads/${branchOf(record)}`;

/** What a git that changes the branch holds meanwhile, and leaves where it dies over it. */
export const lockOf = (commonDir: string, record: PolecatRecord): string => join(commonDir, `${refOf(record)}.lock`);

/** null = there is no branch, or it holds a commit that no remote has and the repository does not hold without it. */
export async function provedTip(git: Git, record: PolecatRecord): Promise<string | null> {
  const tip = await commitOf(git, refOf(record));
  if (tip === null) return null;
  const base = (await isHeldElsewhere(git, record.base, branchOf(record))) ? [record.base] : [];
  const only = await git.run(['rev-list', '--max-count=1', tip, '--not', '--remotes', ...base]);
  return only.trim() === '' ? tip : null;
}

/** True = there is no such branch any more. */
export async function dropBranch(git: Git, commonDir: string, record: PolecatRecord): Promise<boolean> {
  const now = await commitOf(git, refOf(record));
  if (now === null) return true;
  if (now !== record.tip || (await isCheckedOut(commonDir, refOf(record)))) return false;
  // git compares once more, so that a commit made this moment stays.
  const isGone = await git.run(['update-ref', '--no-deref', '-d', refOf(record), now]).then(
    () => true,
    () => false,
  );
  // What it was set up to follow; most have nothing of the kind.
  const settings = join(commonDir, 'config');
  const forget = ['config', '--file', settings, '--remove-section', `branch.${branchOf(record)}`];
  if (isGone) await git.run(forget).catch(() => '');
  return isGone;
}

/** Checked out by another worktree: its own is gone. */
async function isCheckedOut(commonDir: string, ref: string): Promise<boolean> {
  const places = [commonDir, ...(await linkedIn(commonDir)).map(({ gitDir }) => gitDir)];
  const heads = await Promise.all(places.map((place) => textOf(join(place, 'HEAD'))));
  return heads.some((head) => head?.trim() === `ref: ${ref}`);
}
