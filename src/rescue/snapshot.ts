/**
 * Keeps the uncommitted and untracked work of one worktree under `refs/town/rescue/<dance>`.
 * 1. Worktree, index, HEAD, branches and stash stay as they are: the commit is built with a copy of the index.
 * 2. The commit has the shape of a stash: its tree is the worktree, parent 1 HEAD, parent 2 the staged tree; so
 *    `git stash apply` takes it. An earlier rescue of the same dance is a parent of parent 2: nothing is ever replaced.
 * 3. Clean filters are programs and do not run, but that of LFS: a filtered file is kept as it lies on the disk. Line ends and
 *    encodings that git converts itself are converted.
 */
import { join, resolve } from 'node:path';
import { changesOf, hiddenNames, namesIn, type Changes } from '../git/changes.ts';
import { GitFailed, gitAt, utf8, type Git, type GitPlace } from '../git/git.ts';
import { copyIndex } from '../git/index-copy.ts';
import { isOn, settingsOf } from '../git/settings.ts';
import { commonOf } from '../git/worktree.ts';
import type { HandsPolicy } from '../ports/policy.ts';

export type RescueLimits = Pick<
  HandsPolicy,
  'gitMs' | 'maxRescueFiles' | 'maxRescueBytes' | 'maxPatchBytes' | 'maxRescueRepos' | 'maxListedCommits'
>;

export interface RepoPlace extends GitPlace {
  /** An empty folder of ours, for an index. */
  readonly scratch: string;
  readonly policy: RescueLimits;
  /** The worktree goes afterwards: what only an uncommitted ignore file hides is kept too. */
  readonly isLast: boolean;
}

export interface Snapshot {
  readonly top: string;
  readonly gitDir: string;
  /** git on the copy of the index, which now holds the worktree. */
  readonly git: Git;
  /** `git status` as it was. */
  readonly status: string;
  readonly changes: Changes;
  readonly head: string | null;
  /** HEAD's tree; the empty one before the first commit. */
  readonly headTree: string;
  readonly tree: string;
  /** null = nothing had to be kept. */
  readonly ref: string | null;
  /** Files that differ from HEAD, in the worktree or in the stage. */
  readonly files: number;
}

/** null = `top` is a bare repository: it has no worktree. Throws when anything could not be saved. */
export async function snapshotOf(place: RepoPlace, dance: string): Promise<Snapshot | null> {
  const plain = gitAt(place);
  const gitDir = utf8((await plain.run(['rev-parse', '--absolute-git-dir'])).replace(/\n$/, ''));
  const indexPath = utf8((await plain.run(['rev-parse', '--git-path', 'index'])).replace(/\n$/, ''));
  const index = join(place.scratch, 'index');
  const hasIndex = await copyIndex(resolve(place.top, indexPath), index);
  if (!hasIndex && isOn(await settingsOf(await commonOf(gitDir)), 'core.bare')) return null;
  const git = gitAt({ ...place, index, ...(place.config && { config: place.config }) });

  const show = ['--porcelain=v2', '--branch', '--ignore-submodules=dirty', '--untracked-files=all'];
  const status = await git.run(['status', ...show]);
  const head = await git.find(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  const headTree = (
    await git.run(head === null ? ['hash-object', '-t', 'tree', '--stdin'] : ['rev-parse', `${head}^{tree}`])
  ).trim();
  // In the middle of a merge there is no staged tree; both sides are commits already.
  const isMerging = (await git.run(['ls-files', '--unmerged', '-z'])) !== '';
  const staged = isMerging ? headTree : await writeTree(git);
  const changes = await stageWorktree(git, place);
  const tree = await writeTree(git);
  const ref = await keep(git, `refs/town/rescue/${dance}`, { head, headTree, staged, tree });
  const files = await countChanged(git, headTree, [tree, staged]);
  return { top: place.top, gitDir, git, status, changes, head, headTree, tree, ref, files };
}

async function countChanged(git: Git, headTree: string, trees: readonly string[]): Promise<number> {
  const others = [...new Set(trees)].filter((tree) => tree !== headTree);
  const compare = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--no-ext-diff', headTree];
  const names = await Promise.all(others.map((tree) => git.run([...compare, tree])));
  return new Set(names.flatMap(namesIn)).size;
}

async function stageWorktree(git: Git, place: RepoPlace): Promise<Changes> {
  const hidden = lines(await hiddenNames(git, place.top));
  for (const flag of ['--no-assume-unchanged', '--no-skip-worktree'])
    if (hidden !== '') await git.run(['update-index', flag, '-z', '--stdin'], hidden);
  const changes = await changesOf(git, place.top, place.policy, place.isLast);
  const input = lines(changes.names);
  if (input !== '') await git.run(['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], input);
  return changes;
}

const lines = (names: readonly string[]): string => names.map((name) => `${name}\0`).join('');

// A partial clone lacks objects that it can fetch again.
const writeTree = async (git: Git): Promise<string> => (await git.run(['write-tree', '--missing-ok'])).trim();

interface Trees extends Pick<Snapshot, 'head' | 'headTree' | 'tree'> {
  readonly staged: string;
}

async function keep(git: Git, ref: string, { head, headTree, staged, tree }: Trees): Promise<string | null> {
  const earlier = await git.find(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]);
  if (tree === headTree && staged === headTree) {
    if (earlier !== null) return ref;
    if (head === null || !(await isOnlyHere(git, head))) return null;
    await git.run(['update-ref', ref, head, '']);
    return ref;
  }
  if (earlier !== null && (await isSame(git, earlier, { head, headTree, staged, tree }))) return ref;
  const index = await commit(git, staged, [head, earlier], 'index');
  const work = await commit(git, tree, [head, index], 'work');
  await git.run(['update-ref', ref, work, earlier ?? '']);
  const kept = await git.find(['rev-parse', '--verify', '--quiet', ref]);
  if (kept !== work) throw new GitFailed(`${ref} does not hold what was saved; another program changed it`);
  return ref;
}

async function isSame(git: Git, earlier: string, { head, staged, tree }: Trees): Promise<boolean> {
  const at = async (what: string): Promise<string | null> =>
    git.find(['rev-parse', '--verify', '--quiet', `${earlier}${what}`]);
  const [first, second] = head === null ? [null, '^1'] : [await at('^1'), '^2'];
  return (await at('^{tree}')) === tree && first === head && (await at(`${second}^{tree}`)) === staged;
}

/** A commit of a detached HEAD that no branch, tag or remote holds is lost with the worktree. */
async function isOnlyHere(git: Git, head: string): Promise<boolean> {
  const found = await git.run(['rev-list', '--max-count=1', head, '--not', '--branches', '--remotes', '--tags']);
  return found.trim() !== '';
}

async function commit(git: Git, tree: string, parents: readonly (string | null)[], what: string): Promise<string> {
  const flags = parents.filter((one) => one !== null).flatMap((one) => ['-p', one]);
  return (await git.run(['commit-tree', '--no-gpg-sign', tree, ...flags, '-m', `Townwatch rescue: ${what}`])).trim();
}
