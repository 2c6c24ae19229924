/**
 * What an earlier attempt at a piece of work left in git, and where the next one begins: with main, or with what was saved of it.
 * Work whose main the remote has dropped since, by a forced push, is not gone on with: it would bring back what was dropped.
 */
import type { RigRecord } from '../../machines/rigs/records.ts';
import type { Git } from '../git/git.ts';
import { bringsBack } from './dropped.ts';
import { inMain } from './in-main.ts';
import type { Main } from './main-branch.ts';
import { commitOf, withGit } from './repository.ts';
import type { WorkBranch } from './work-branch.ts';

/**
 * `gone`: the repository has its branch no more. `empty`: it has no commit of its own. `dropped`: it began with a commit of main that
 * main does not have any more. `merged`: main has it. `open`: main does not have it, or that is unknown.
 */
export type Left = 'gone' | 'empty' | 'dropped' | 'merged' | 'open';

export interface Earlier {
  readonly polecat: string;
  readonly branch: string;
  readonly left: Left;
  /** Its last commit; null = gone. */
  readonly commit: string | null;
  /** The commit that it began with. */
  readonly base: string;
  /** Why it came to nothing, as its bead says; '' = it does not say. */
  readonly why: string;
}

export interface Start {
  readonly commit: string;
  /** The commit of main that it holds; null = unknown. */
  readonly main: string | null;
}

type Rig = Pick<RigRecord, 'commonDir'>;

export async function earlierOf(rig: Rig, main: Main, kept: WorkBranch, why: string): Promise<Earlier> {
  const { polecat, branch, base } = kept;
  const commit = await withGit(rig, ({ repo }) => tipOf(repo, kept));
  const left = commit === null ? 'gone' : await leftOf(rig, main, kept, commit);
  return { polecat, branch, base, commit, left, why };
}

/** Where the branch stands here, else where it stood when it was last fetched, else what was saved of it. */
async function tipOf(repo: Git, { branch, start }: WorkBranch): Promise<string | null> {
  const here = await commitOf(repo, `refs/heads/${branch}`);
  if (here !== null) return here;
  const refs = await repo.run(['for-each-ref', '--format=%(objectname)', `refs/remotes/*/${branch}`]);
  const [there = ''] = refs.split('\n');
  if (there !== '') return there;
  return start?.branch === branch ? commitOf(repo, start.commit) : null;
}

type Began = Pick<WorkBranch, 'base' | 'main'>;

async function leftOf(rig: Rig, main: Main, { base, main: began }: Began, commit: string): Promise<Left> {
  if (commit === base) return 'empty';
  if (began !== null && (await bringsBack(rig, main.commit, { began, commit }))) return 'dropped';
  const found = await inMain(rig, main, [{ commit, base }]);
  return found.get(commit) === 'yes' ? 'merged' : 'open';
}

/** With what was saved, unless main has it by now, or it holds what main dropped. */
export async function startOf(rig: Rig, main: Main, kept: WorkBranch | null): Promise<Start> {
  const fresh = { commit: main.commit, main: main.commit };
  const saved = kept?.start ?? null;
  if (saved === null) return fresh;
  const { commit } = saved;
  const isHere = (await withGit(rig, ({ repo }) => commitOf(repo, commit))) !== null;
  return isHere && (await leftOf(rig, main, saved, commit)) === 'open' ? { commit, main: saved.main } : fresh;
}
