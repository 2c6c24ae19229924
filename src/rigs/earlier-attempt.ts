/**
 * What an earlier attempt at a piece of work left in git, and where the next one begins: with what was saved of it, with what was handed
 * over of it where that merges with main, else with main.
 * Work whose main the remote has dropped since, by a forced push, is not gone on with: it would bring back what was dropped.
 */
import { branchOf, type PolecatName } from '../../machines/rigs/names.ts';
import type { RigRecord } from '../../machines/rigs/records.ts';
import { GitFailed } from '../git/failure.ts';
import { bringsBack } from './dropped-base.ts';
import { handedCommit, handedRef } from './handover-ref.ts';
import { inMain } from './in-main.ts';
import type { Main } from './main-branch.ts';
import { publishedOn } from './remote-contents.ts';
import { commitOf, isBefore, withContents, withGit } from './repository.ts';
import type { LastBranch, WorkBranch } from '../../state/rigs/work.ts';

/**
 * `gone`: neither the repository nor the remote has its branch. `unknown`: the repository has it not, and whether the remote has it, or
 * what it has, is not known. `empty`: it has no commit of its own. `dropped`: it began with a commit of main that
 * main does not have any more. `merged`: main has it. `open`: main does not have it, or that is unknown.
 */
export type Left = 'gone' | 'unknown' | 'empty' | 'dropped' | 'merged' | 'open';

export interface Earlier {
  readonly polecat: string;
  /** Its worktree and its branch are those of the polecat that reads this. */
  readonly isHere: boolean;
  readonly branch: string;
  readonly left: Left;
  /** Its last commit; null = gone, or unknown. */
  readonly commit: string | null;
  /** What was handed over of it, and the ref that keeps it; null = nothing was. `isPart`: of `commit`. */
  readonly handed: { readonly commit: string; readonly keptAt: string; readonly isPart: boolean } | null;
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

type Rig = Pick<RigRecord, 'commonDir' | 'repo'>;

/** The polecat that goes on with it. */
export interface Heir extends PolecatName {
  /** Its worktree and its branch were made for it; else it may have taken over those of an earlier one of its name. */
  readonly isFresh: boolean;
}

export async function earlierOf(
  rig: RigRecord,
  main: Main,
  kept: LastBranch,
  { why, heir }: { readonly why: string; readonly heir: Heir },
): Promise<Earlier> {
  const { polecat, branch, base } = kept;
  const { commit, otherwise } = await tipOf(rig, main, kept, heir);
  const left = commit === null ? otherwise : await leftOf(rig, main, kept, commit);
  const isHere = polecat === heir.name && !heir.isFresh;
  return { polecat, isHere, branch, handed: await handedOf(rig, kept, commit), base, commit, left, why };
}

async function handedOf(rig: Rig, { uuid, ...kept }: LastBranch, commit: string | null): Promise<Earlier['handed']> {
  const handed = kept.handed?.commit ?? kept.outdated;
  if (handed === undefined) return null;
  return { commit: handed, keptAt: handedRef(uuid), isPart: commit !== null && (await isIn(rig, handed, commit)) };
}

/** What git cannot tell counts as no part: then it is named. */
const isIn = async (rig: Rig, one: string, other: string): Promise<boolean> =>
  (await withGit(rig, ({ repo }) => isBefore(repo, one, other)).catch(unlessSilence)) ?? false;

interface Tip {
  readonly commit: string | null;
  /** Why there is none. */
  readonly otherwise: 'gone' | 'unknown';
}

/**
 * What was handed over, or what its branch has here on top of that. Else where the branch stands here, else what was saved of it, else
 * where it stands on the remote now, else what was handed over.
 */
async function tipOf(
  rig: RigRecord,
  main: Main,
  { branch, start, uuid, handed }: LastBranch,
  heir: Heir,
): Promise<Tip> {
  // The heir's own branch, made a moment ago, says nothing of the earlier one of that name.
  const isAnothers = heir.isFresh && branch === branchOf(heir);
  const here = await withGit(rig, async ({ repo }) => {
    const over = handed === undefined ? null : await commitOf(repo, handed.commit);
    const saved = start?.branch === branch ? start.commit : null;
    const tip = isAnothers ? null : await commitOf(repo, `refs/heads/${branch}`);
    // By now the name may be of a branch for other work, which holds what main holds.
    const isOfOther = async (one: string): Promise<boolean> =>
      tip === null || (await isBefore(repo, one, main.commit)) || !(await isBefore(repo, one, tip));
    if (over !== null && (await isOfOther(over))) return over;
    return tip ?? (saved && (await commitOf(repo, saved)));
  });
  if (here !== null) return { commit: here, otherwise: 'gone' };
  const there = await tipThere(rig, branch);
  // Deleted unmerged, or out of sight: what was handed over is kept.
  return there.commit === null ? { ...there, commit: await handedCommit(rig, uuid) } : there;
}

/** A tracking ref would be what was fetched long ago, or what an agent wrote there. */
async function tipThere(rig: RigRecord, branch: string): Promise<Tip> {
  const published = await publishedOn(rig).catch(unlessSilence);
  if (published === undefined) return { commit: null, otherwise: 'unknown' };
  const tips = (published?.branches ?? []).filter(([name]) => name === branch).map(([, tip]) => tip);
  // Of a branch that the repository does not follow it may not have the commit.
  const commit = tips.find((tip) => published?.commits.includes(tip)) ?? null;
  return { commit, otherwise: tips.length === 0 ? 'gone' : 'unknown' };
}

function unlessSilence(error: unknown): undefined {
  if (!(error instanceof GitFailed)) throw error;
}

type Began = Pick<WorkBranch, 'base' | 'main'>;

async function leftOf(rig: Rig, main: Main, { base, main: began }: Began, commit: string): Promise<Left> {
  if (commit === base) return 'empty';
  if (began !== null && (await bringsBack(rig, main.commit, { began, commit }))) return 'dropped';
  const found = await inMain(rig, main, [{ commit, base }]);
  return found.get(commit) === 'yes' ? 'merged' : 'open';
}

/** Not with what main has by now, or with what holds a commit that main dropped. */
export async function startOf(rig: Rig, main: Main, kept: LastBranch | null): Promise<Start> {
  const fresh = { commit: main.commit, main: main.commit };
  const saved = kept?.handed ?? kept?.start ?? null;
  if (saved === null) return fresh;
  const { commit } = saved;
  const isHere = (await withGit(rig, ({ repo }) => commitOf(repo, commit))) !== null;
  if (!isHere || (await leftOf(rig, main, saved, commit)) !== 'open') return fresh;
  const goesOn = kept?.handed === undefined || (await mergesWith(rig, main, saved));
  return goesOn ? { commit, main: saved.main } : fresh;
}

/** The next attempt goes on with handed work only where git merges it with main, and main did not take it out. */
async function mergesWith(rig: Rig, main: Main, { commit, base }: NonNullable<LastBranch['handed']>): Promise<boolean> {
  if ((await inMain(rig, main, [{ commit, base }])).get(commit) === 'out') return false;
  const words = ['merge-tree', '--write-tree', '--no-messages', main.commit, commit];
  // What git refuses to merge, histories without a common commit for instance, would block each next start.
  const answer = await withContents(rig, ({ repo }) => repo.answer(words)).catch(unlessSilence);
  return answer?.isSo ?? false;
}
