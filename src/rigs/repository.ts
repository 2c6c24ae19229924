/** The repository of a rig: found where a person says it is, and git in it. */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { branchOf } from '../../machines/rigs/names.ts';
import type { RigRecord } from '../../machines/rigs/records.ts';
import { fetchFor } from '../git/fetch.ts';
import { gitAt, type Git, type GitPlace } from '../git/git.ts';
import { isThere } from '../git/files.ts';
import { ownIgnores } from '../git/ignores.ts';
import { GIT } from '../git/policy.ts';
import { commonOf, gitDirOf } from '../git/worktree.ts';

/** The folder that the worktrees of the repository at `path` share; null = there is no repository. */
export async function repositoryAt(path: string): Promise<string | null> {
  if (!(await isThere(path))) return null;
  const real = await realpath(path);
  const isBare = (await isThere(join(real, 'HEAD'))) && (await isThere(join(real, 'objects')));
  const gitDir = isBare ? real : (await isThere(join(real, '.git'))) ? await gitDirOf(join(real, '.git')) : null;
  return gitDir === null ? null : commonOf(gitDir);
}

/**
 * Shows each file's lines, despite a repository's attributes or its bytes: also in what a merge adds, where `--text`
 * does nothing.
 */
export const EACH_AS_TEXT = '* diff\n';

/** git for what moves files; it has the time for that. */
export interface Work {
  /** In the repository itself, without a worktree. */
  readonly repo: Git;
  /** In one of its worktrees. */
  at(gitDir: string, workTree: string): Git;
  /** As `at`, with an index of its own: all that it writes goes into this folder of ours. */
  aside(gitDir: string, workTree: string, folder: string): Git;
}

export async function withGit<T>(
  { commonDir }: Pick<RigRecord, 'commonDir'>,
  use: (git: Work) => Promise<T>,
  more: Pick<GitPlace, 'attributes' | 'addsWorktree' | 'onlyReads' | 'answers' | 'fetch'> = {},
): Promise<T> {
  const { signal } = new AbortController();
  const { answers, ...of } = more;
  const ground = { signal, policy: { gitMs: GIT.workMs }, config: await ownIgnores(), ...of };
  const place: GitPlace = { ...ground, top: commonDir, gitDir: commonDir };
  return use({
    repo: gitAt(answers === undefined ? place : { ...place, answers }),
    at: (gitDir, workTree) => gitAt({ ...place, top: workTree, gitDir, workTree }),
    aside: (gitDir, workTree, folder) => {
      const own = { index: join(folder, 'index'), objects: join(folder, 'objects') };
      return gitAt({ ...place, top: workTree, gitDir, workTree, ...own });
    },
  });
}

/** As `withGit`, for questions about contents: of a partial clone, which lacks some, they are fetched. */
export const withContents = <T>(
  rig: Pick<RigRecord, 'commonDir' | 'repo'>,
  use: (git: Work) => Promise<T>,
  more: Pick<GitPlace, 'attributes'> = {},
): Promise<T> => withGit(rig, use, { ...more, fetch: fetchFor({ gitDir: rig.commonDir, cwd: rig.repo }) });

export async function commitOf(git: Git, name: string): Promise<string | null> {
  return git.find(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
}

/** Whether one commit is part of the other. */
export const isBefore = async (git: Git, one: string, other: string): Promise<boolean> =>
  (await git.find(['merge-base', '--is-ancestor', one, other])) !== null;

const ANY_POLECAT = branchOf({ rig: '', name: '*' });

/** Whether a commit is held by something else than this branch, so that it does not go with it. */
export async function isHeldElsewhere(git: Git, commit: string, branch: string): Promise<boolean> {
  if ((await commitOf(git, commit)) === null) return false;
  const without = (excluded: string): string[] => {
    const others = ['--single-worktree', '--not', `--exclude=refs/heads/${excluded}`, '--all'];
    return ['rev-list', '--max-count=1', commit, ...others];
  };
  // The first question is the same for each polecat of a list.
  return (await git.find(without(ANY_POLECAT))) === '' || (await git.run(without(branch))).trim() === '';
}
