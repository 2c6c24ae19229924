/**
 * What a reasoner was shown before it chose COMMIT_AND_PUSH: the commit of the branch, and each file with its size. What differs by the time
 * it is carried out was shown to no reader, and is not published.
 */
import { createHash } from 'node:crypto';
import { filesText, unpublishedIn, type Unpublished } from './publish.ts';
import { namesIn } from '../git/changes.ts';
import type { Git } from '../git/git.ts';
import { isOdd, standingAt } from '../git/worktree.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { dirOf } from './place.ts';
import { RIG_WORK } from './policy.ts';
import { commitOf, withGit } from './repository.ts';
import type { Case } from './yard.ts';

type Sized = Pick<Unpublished, 'raw' | 'bytes'>;

function markOf(commit: string, files: readonly Sized[]): string {
  const lines = files.map(({ raw, bytes }) => `${raw}\0${String(bytes)}\0`).sort();
  return `${commit}:${createHash('sha256').update(lines.join('\n'), 'latin1').digest('hex')}`;
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
  return withGit(at.rig, async (work) => {
    const git = work.at(standing.gitDir, dir);
    const { files } = await unpublishedIn(git, dir);
    const commit = await commitOf(git, 'HEAD');
    if (commit === null || files.length > RIG_WORK.listed) return null;
    return { text: filesText(files), mark: markOf(commit, files) };
  });
}

/** Whether what would be published is what was shown. A commit of it that a kill cut off before its push is that too. */
export async function isAsShown(git: Git, files: readonly Unpublished[], mark: string): Promise<boolean> {
  const commit = await commitOf(git, 'HEAD');
  if (commit !== null && markOf(commit, files) === mark) return true;
  const before = await commitOf(git, 'HEAD^');
  if (before === null || files.length > 0) return false;
  return markOf(before, await filesSince(git, before)) === mark;
}

async function filesSince(git: Git, commit: string): Promise<Sized[]> {
  // Modes, objects and a letter, then a name.
  const words = namesIn(await git.run(['diff-tree', '-r', '-z', '--no-renames', '--raw', commit, 'HEAD']));
  const changes = words.flatMap((word, at) =>
    at % 2 === 0 ? [{ object: word.split(' ')[3] ?? '', raw: words[at + 1] ?? '' }] : [],
  );
  const asked = changes.map(({ object }) => `${object}\n`).join('');
  const sizes = (await git.run(['cat-file', '--batch-check=%(objectsize)'], asked)).split('\n');
  return changes.map(({ raw }, at) => ({ raw, bytes: /^\d+$/.test(sizes[at] ?? '') ? Number(sizes[at]) : null }));
}
