/**
 * A merge of the town's own work that brought back what a forced push had taken out of main, both between two looks of the town: nothing
 * can stop that any more, so a person is alerted. A merge commit, a squash and a rebase show it; a fast-forward leaves no trace. A
 * forced push that a fetch of the town saw is followed by `forced-pushes.ts`.
 */
import type { RigRecord } from '../../machines/rigs/records.ts';
import type { Git } from '../git/git.ts';
import { shellWord } from '../../state/files/show-text.ts';
import { sawTakenOut, takenOutText } from './forced-pushes.ts';
import { inMain, type BranchWork } from './in-main.ts';
import type { Main } from './main-branch.ts';
import { RIG_WORK } from './policy.ts';
import { commitOf, withGit } from './repository.ts';
import { firstNames } from '../../machines/kernel/span.ts';

const short = (commit: string): string => commit.slice(0, RIG_WORK.shortCommit);

/** A sentence with the commits and what to type; null = the merge of this work brought nothing back. */
export const broughtBack = (
  rig: Pick<RigRecord, 'repo' | 'commonDir' | 'base' | 'remote'>,
  main: Main,
  work: BranchWork,
): Promise<string | null> =>
  withGit(rig, async ({ repo }) => {
    if (work.base !== null && (await sawTakenOut(rig, main.branch, work.base))) return null;
    return (await mergeText(repo, rig, main, work)) ?? copyText(repo, rig, main, work);
  });

/**
 * Its commits came into main as others: what it began with is no part of main, and main has what that changed. A main that was only written
 * anew looks like that too, and a revert would take out of it what it held all along.
 */
async function copyText(
  repo: Git,
  rig: Pick<RigRecord, 'repo' | 'commonDir'>,
  main: Main,
  { commit, base: began }: BranchWork,
): Promise<string | null> {
  const fork = began === null ? null : await repo.find(['merge-base', main.commit, began]);
  if (began === null || fork === null || fork === began) return null;
  if (await isReworded(repo, began, `${fork}..${main.commit}`)) return null;
  if ((await inMain(rig, main, [{ commit: began, base: null }])).get(began) !== 'yes') return null;
  const { named } = await takenOutText(repo, began, fork);
  const look = `git -C ${shellWord(rig.repo)} log --stat ${short(fork)}..${short(main.commit)}`;
  return `the merge of ${short(commit)} brought back into ${main.branch}, as other commits, what a forced push had taken out (${named}), or that push only wrote the same anew; look before you revert anything: ${look}`;
}

/** Whether main had all files of a commit as they were there, under other words. A cherry-pick keeps the words, and may add to them. */
async function isReworded(repo: Git, commit: string, range: string): Promise<boolean> {
  const listed = async (...of: string[]): Promise<(readonly [tree: string, words: string])[]> =>
    (await repo.run(['log', '-z', '--no-show-signature', '--format=%T %B', ...of, '--'])).split('\0').map((row) => {
      const at = row.indexOf(' ');
      return [row.slice(0, at), row.slice(at + 1).trim()];
    });
  const [own] = await listed('--max-count=1', commit);
  if (own === undefined) return false;
  return (await listed(range)).some(([tree, words]) => tree === own[0] && !words.startsWith(own[1]));
}

async function mergeText(
  repo: Git,
  rig: Pick<RigRecord, 'repo'>,
  main: Main,
  { commit, base: began }: BranchWork,
): Promise<string | null> {
  const tip = await commitOf(repo, commit);
  if (began === null || tip === null) return null;
  const merge = await mergeOf(repo, main.commit, tip);
  if (merge === null) return null;
  const lines = await repo.run(['rev-list', began, '--not', ...merge.others, '--']);
  const commits = lines.split('\n').filter((line) => line !== '');
  // Main had what the work began with: nothing came back.
  if (!commits.includes(began)) return null;
  const named = firstNames(commits.map(short), RIG_WORK.shown);
  const git = `git -C ${rig.repo}`;
  return `the merge ${short(merge.commit)} brought back into ${main.branch} what a forced push had taken out (${named}); to take it out again, on ${main.branch}: ${git} revert -m ${String(merge.mainline)} ${short(merge.commit)}, then take over the work alone: ${git} cherry-pick ${short(began)}..${short(tip)}`;
}

interface Merge {
  readonly commit: string;
  /** Its parents but the work. */
  readonly others: readonly string[];
  /** Which parent main was, as `git revert -m` counts. */
  readonly mainline: number;
}

/** The merge that took this commit itself; null = it came into main another way. */
async function mergeOf(repo: Git, main: string, tip: string): Promise<Merge | null> {
  const rows = await repo.run(['rev-list', '--merges', '--parents', '--ancestry-path', `${tip}..${main}`, '--']);
  for (const row of rows.split('\n')) {
    const [commit = '', ...parents] = row.split(' ');
    if (!parents.includes(tip)) continue;
    const others = parents.filter((parent) => parent !== tip);
    return { commit, others, mainline: parents.findIndex((parent) => parent !== tip) + 1 };
  }
  return null;
}
