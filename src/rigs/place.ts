/**
 * A polecat's worktree and branch, made so that a second try goes on where the first was cut off. Nothing that stands there
 * is written over: files are only added, and what is no beginning of ours is a `Failure`.
 */
import { mkdir, readdir, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mayOf, statesOf } from '../../machines/rigs/worktree.ts';
import { branchOf, folderOf } from '../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { isThere } from '../git/history.ts';
import { lookAt } from '../git/look.ts';
import { isOdd, registeredAt, standingAt } from '../git/worktree.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { commitOf, withGit, type Work } from './repository.ts';
import type { Case } from './yard.ts';

export const dirOf = ({ yard }: Pick<Case, 'yard'>, record: Pick<PolecatRecord, 'rig' | 'name'>): string =>
  join(yard.root, folderOf(record));

/** As all folders of the town. */
const PRIVATE = 0o700;

/** Resolves when the worktree stands on its branch with every file of it. */
export async function place(at: Case, record: PolecatRecord): Promise<void> {
  const dir = dirOf(at, record);
  const { commonDir } = at.rig;
  await withGit(at.rig, async (git) => {
    if (await isBlank(dir, commonDir)) await add(git, { dir, commonDir }, record);
    await fill(git, at, dir);
  });
  const facts = await lookAt(dir, { depth: 'glance', commonDir });
  if (mayOf({ ...facts, stashes: [], unpushed: [] }) === 'remove' && facts.branch === branchOf(record)) return;
  const how = statesOf(facts).join(', ');
  throw new Failure(EXIT.failed, 'not_placed', `${dir} is not as it was made (${how || 'another branch'}); look there`);
}

/** Whether the worktree is still to be made. A beginning without a file in it is taken away. */
async function isBlank(dir: string, commonDir: string): Promise<boolean> {
  const standing = await standingAt(dir, commonDir);
  if (!isOdd(standing)) return false;
  if (standing.place === 'missing') return true;
  const names = await readdir(dir).catch(() => null);
  if (names === null || names.some((name) => name !== '.git')) {
    const text = `${dir} holds what the town did not put there; move it away, then type it again`;
    throw new Failure(EXIT.refused, 'folder_taken', text);
  }
  if (names.length > 0) await unlink(join(dir, '.git'));
  await rmdir(dir);
  return true;
}

async function add(
  { repo }: Work,
  { dir, commonDir }: { readonly dir: string; readonly commonDir: string },
  record: PolecatRecord,
): Promise<void> {
  await mkdir(dirname(dir), { recursive: true, mode: PRIVATE });
  // Of one that is not there git keeps what is on record, and refuses to make it anew.
  if ((await registeredAt(commonDir, dir)) !== null) await repo.run(['worktree', 'remove', '--force', '--force', dir]);
  const branch = branchOf(record);
  const exists = (await commitOf(repo, `refs/heads/${branch}`)) !== null;
  const words = exists ? [dir, branch] : ['--no-track', '-b', branch, dir, record.base];
  await repo.run(['worktree', 'add', '--no-checkout', ...words]);
}

/** Puts the files there that are not. */
async function fill(work: Work, { yard, rig }: Case, dir: string): Promise<void> {
  const standing = await standingAt(dir, rig.commonDir);
  if (isOdd(standing))
    throw new Failure(EXIT.failed, 'not_placed', `${dir} ${standing.why || 'was not made'}; look there`);
  const git = work.at(standing.gitDir, dir);
  const lock = join(standing.gitDir, 'index.lock');
  if (await isThere(lock)) {
    const busy = await yard.standingIn(dir);
    if (busy.length > 0) throw new Failure(EXIT.failed, 'busy', `${busy.join(', ')} works in ${dir}; wait for it`);
    await unlink(lock);
  }
  if (!(await isThere(join(standing.gitDir, 'index')))) await git.run(['read-tree', 'HEAD']);
  await git.run(['checkout-index', '--all', '--index', '--quiet']);
}
