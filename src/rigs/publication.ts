/**
 * What a reasoner was shown before it chose COMMIT_AND_PUSH: the commit of the branch, and the tree that one of all that is uncommitted
 * would have, so each file with its mode and its contents. What differs by the time it is carried out was shown to no reader, and is not
 * published.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { filesText, unpublishedIn, type Unpublished } from './publish.ts';
import type { Git } from '../git/git.ts';
import { makeOwnFolder } from '../git/own-folders.ts';
import { isOdd, standingAt } from '../git/worktree.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { dirOf } from './place.ts';
import { RIG_WORK } from './policy.ts';
import { commitOf, withGit, type Work } from './repository.ts';
import type { Case } from './yard.ts';

/** Both as git names them: the same mark is the same contents. */
const markOf = (commit: string, tree: string): string => `${commit}:${tree}`;

type Named = Pick<Unpublished, 'raw'>;

/** Takes these files as they are now into the index. By their names: nothing that came since. */
export const takeIn = (git: Git, files: readonly Named[]): Promise<string> =>
  git.run(
    ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'],
    files.map(({ raw }) => `${raw}\0`).join(''),
  );

/** The tree of the index. A partial clone lacks objects that it can fetch again. */
export const treeOf = async (git: Git): Promise<string> => (await git.run(['write-tree', '--missing-ok'])).trim();

/** The tree that a commit of these files would have. The index and the repository stay as they are. */
export async function treeWith(
  work: Work,
  { gitDir, dir }: { readonly gitDir: string; readonly dir: string },
  files: readonly Named[],
): Promise<string> {
  const folder = await makeOwnFolder('git');
  try {
    await mkdir(join(folder, 'objects'));
    const git = work.aside(gitDir, dir, folder);
    await git.run(['read-tree', 'HEAD']);
    await takeIn(git, files);
    return await treeOf(git);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export interface Publication {
  /** For a reader; '' = nothing is uncommitted. */
  readonly text: string;
  readonly mark: string;
}

/** What COMMIT_AND_PUSH would publish now; null = it cannot be told, or it is more than a text lists. */
export async function publicationOf(at: Case, record: PolecatRecord): Promise<Publication | null> {
  const dir = dirOf(at, record);
  const standing = await standingAt(dir, at.rig.commonDir);
  if (isOdd(standing)) return null;
  const { gitDir } = standing;
  return withGit(at.rig, async (work) => {
    const git = work.at(gitDir, dir);
    const { files } = await unpublishedIn(git, dir);
    const commit = await commitOf(git, 'HEAD');
    if (commit === null || files.length > RIG_WORK.listed) return null;
    return { text: filesText(files), mark: markOf(commit, await treeWith(work, { gitDir, dir }, files)) };
  });
}

/** Whether what would be published is what was shown. A commit of it that a kill cut off before its push is that too. */
export async function isAsShown(git: Git, tree: string, mark: string): Promise<boolean> {
  const commit = await commitOf(git, 'HEAD');
  if (commit === null) return false;
  if (markOf(commit, tree) === mark) return true;
  const before = await commitOf(git, 'HEAD^');
  if (before === null || markOf(before, tree) !== mark) return false;
  return (await git.run(['rev-parse', 'HEAD^{tree}'])).trim() === tree;
}
