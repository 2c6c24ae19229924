/**
 * Merged work that a forced push took out of main, which a fetch of the town saw: main held it before that push and does not hold it now,
 * by the same proof as for a merge (`in-main.ts`). What main was before stays under a ref of the town's own, so that git puts no commit
 * of it away.
 */
import type { RigRecord } from '../../machines/rigs/records.ts';
import { shellWord } from '../../state/files/show-text.ts';
import { seenRef } from '../git/fetch.ts';
import type { Git } from '../git/git.ts';
import { refLogMark } from '../git/ref-log.ts';
import { bringsBackSubject, forcedIn, mainNames, remoteNameOf, type ForcedPush } from './forced-pushes.ts';
import { inMain, type BranchWork } from './in-main.ts';
import { lastSeen } from './main-branch.ts';
import { isBefore, withGit } from './repository.ts';
import { takenBy } from './taken-works.ts';

type Rig = Pick<RigRecord, 'repo' | 'commonDir' | 'base' | 'remote'>;

export interface LostWork {
  readonly branch: string;
  /** The commit of main before that push. */
  readonly before: string;
  /** Commits of the work, as they were given. */
  readonly commits: readonly string[];
  /** The line that brings it back; null = both changed the same lines, so that a person has to merge. */
  readonly line: string | null;
}

/** Forced pushes on record, by the log that they were read from. */
const known = new Map<string, { readonly mark: string; readonly pushes: readonly ForcedPush[] }>();

/** It asks no remote, and `works` only where a forced push took anything out. Rejects where git does not tell. */
export async function lostFrom(rig: Rig, works: () => Promise<readonly BranchWork[]>): Promise<readonly LostWork[]> {
  const remote = remoteNameOf(rig);
  if (remote === null) return [];
  const found: LostWork[] = [];
  for (const branch of await mainNames(rig, remote)) {
    const pushes = await pushesOf(rig, remote, branch);
    if (pushes.length === 0) continue;
    const now = await withGit(rig, ({ repo }) => lastSeen(repo, remote, branch));
    if (now !== null) found.push(...(await among(rig, { remote, now }, pushes, await works())));
  }
  return found;
}

async function pushesOf(rig: Rig, remote: string, branch: string): Promise<readonly ForcedPush[]> {
  const mark = await refLogMark(rig.commonDir, seenRef(remote, branch));
  if (mark === null) return [];
  const key = JSON.stringify([rig.commonDir, remote, branch]);
  const last = known.get(key);
  if (last?.mark === mark) return last.pushes;
  const { pushes, isSure } = await forcedIn(rig, remote, branch);
  for (const { before } of pushes)
    await withGit(rig, ({ repo }) => repo.run(['update-ref', `refs/town/out/${before}`, before]));
  if (isSure) known.set(key, { mark, pushes });
  return pushes;
}

interface Now {
  readonly remote: string;
  /** The commit of main, as it was fetched last. */
  readonly now: string;
}

async function among(
  rig: Rig,
  { remote, now }: Now,
  pushes: readonly ForcedPush[],
  works: readonly BranchWork[],
): Promise<LostWork[]> {
  const found: LostWork[] = [];
  let open = works;
  // Of a main that was pushed back twice the newest tells of it.
  for (const push of pushes.toReversed()) {
    const { branch, before } = push;
    const taken = await takenBy(rig, push, open);
    const held = await inMain(rig, { commit: now, source: 'fetched' }, taken);
    const commits = taken.filter(({ commit }) => held.get(commit) === 'no').map(({ commit }) => commit);
    if (commits.length === 0) continue;
    open = open.filter(({ commit }) => !commits.includes(commit));
    const line = await withGit(rig, ({ repo }) => lineOf(repo, rig, { remote, now, branch, before }));
    found.push({ branch, before, commits, line });
  }
  return found;
}

/** Neither needs a worktree: what a person has checked out stays as it is. */
async function lineOf(
  repo: Git,
  rig: Rig,
  { remote, now, branch, before }: Now & Pick<ForcedPush, 'branch' | 'before'>,
): Promise<string | null> {
  const git = `git -C ${shellWord(rig.repo)}`;
  const to = shellWord(`refs/heads/${branch}`);
  if (await isBefore(repo, now, before)) return `${git} push ${shellWord(remote)} ${before}:${to}`;
  const tree = await repo.find(['merge-tree', '--write-tree', '--no-messages', now, before]);
  if (tree === null) return null;
  const made = `${git} commit-tree ${tree.trim()} -p ${now} -p ${before} -m '${bringsBackSubject(before)}'`;
  return `${git} push ${shellWord(remote)} $(${made}):${to}`;
}
