/**
 * Branches that earlier attempts at a piece of work left on the remote of their rig. Once main has the work, those that hold nothing which
 * main lacks go; the others stay, and a person is shown which and how to delete them.
 * 1. Only branches of polecats that are gone; the one that was handed over last is the refinery's, or the host's.
 * 2. A branch is deleted only at the very commit that was proved: main has it, or what main has was built on it.
 * 3. What could not be asked is no proof.
 * 4. A branch is named only where it is proved to be of this work, by a commit.
 */
import { branchOf } from '../../machines/rigs/names.ts';
import { shellWord } from '../../state/files/show-text.ts';
import type { Disk } from '../../state/files/disk.ts';
import { beganLast, type Work } from '../../state/rigs/work.ts';
import { askHeads, fetchHeads, trackingRef } from '../git/fetch.ts';
import { transfer } from '../git/push.ts';
import { mainNames, remoteNameOf } from './forced-pushes.ts';
import { inMain, type BranchWork } from './in-main.ts';
import { lastSeen, mainOf, type Main } from './main-branch.ts';
import type { Pushed } from './remote-branches.ts';
import { commitOf, isBefore, withGit } from './repository.ts';
import type { Case } from './yard.ts';

type At = { readonly rig: Case['rig']; readonly yard: Pick<Case['yard'], 'records'> };

const POLECATS = branchOf({ rig: '', name: '' });

/** By their names in the record of the work: the branch of an attempt that lives, or of other work by now, may have one of these. */
async function namesOf({ rig, yard }: At, { begun, handed }: Work): Promise<string[]> {
  const last = handed.at(-1)?.branch ?? begun.at(-1)?.branch;
  const all = [...begun, ...handed].map(({ branch }) => branch);
  const names = [...new Set(all)].filter((name) => name.startsWith(POLECATS) && name !== last);
  if (names.length === 0) return names;
  const { found } = await yard.records.polecatsOf(rig.name);
  const used = new Set(found.map(branchOf));
  return names.filter((name) => !used.has(name));
}

const workAt = ({ begun }: Work, { branch, commit }: Pushed): BranchWork => ({
  commit,
  base: begun.findLast((one) => one.branch === branch)?.main ?? null,
});

/** Those that hold nothing which this main lacks. */
async function mergedAmong(
  rig: Case['rig'],
  main: Pick<Main, 'commit' | 'source'>,
  work: Work,
  there: readonly Pushed[],
): Promise<Pushed[]> {
  const last = work.handed.at(-1);
  const done: BranchWork | null = last?.commit ? { commit: last.commit, base: last.main } : null;
  const found = await inMain(rig, main, [...there.map((one) => workAt(work, one)), ...(done ? [done] : [])]);
  const isDone = done !== null && found.get(done.commit) === 'yes';
  const isMerged = async ({ commit }: Pushed): Promise<boolean> => {
    const is = found.get(commit);
    if (is !== 'no' || !isDone) return is === 'yes';
    return withGit(rig, ({ repo }) => isBefore(repo, commit, done.commit));
  };
  const merged = await Promise.all(there.map(isMerged));
  return there.filter((_, at) => merged[at]);
}

/** Asks the remote. The branches that went; rejects where the remote does not answer, or takes none away. */
export async function dropMerged(at: At, work: Work): Promise<readonly string[]> {
  const { rig } = at;
  const wanted = await namesOf(at, work);
  if (wanted.length === 0) return [];
  const main = await mainOf(rig);
  const { remote } = main;
  const place = { gitDir: rig.commonDir, cwd: rig.repo };
  const names = wanted.filter((name) => name !== main.branch);
  if (main.source !== 'fetched' || remote === null || names.length === 0) return [];
  const { commits } = await askHeads(place, remote, names);
  const there = names.flatMap((branch): Pushed[] => {
    const commit = commits.get(branch);
    return commit === undefined ? [] : [{ branch, commit }];
  });
  if (there.length === 0) return [];
  const open = there.map(({ branch }) => branch);
  await fetchHeads(place, remote, open);
  const merged = await mergedAmong(rig, main, work, there);
  if (merged.length === 0) return [];
  const words = ['push', '--no-verify', '--no-follow-tags', '--quiet', ...merged.map(leaseOf)];
  await transfer(place, [...words, '--', remote, ...merged.map(({ branch }) => `:${HEADS}${branch}`)]);
  return merged.map(({ branch }) => branch);
}

const HEADS = 'refs/heads/';
const leaseOf = ({ branch, commit }: Pushed): string => `--force-with-lease=${HEADS}${branch}:${commit}`;

/** Deletes a branch on the remote, as long as it stands at this commit. */
export const deletingLine = (repo: string, remote: string, one: Pushed): string =>
  `git -C ${shellWord(repo)} push ${shellWord(leaseOf(one))} ${shellWord(remote)} ${shellWord(`:${HEADS}${one.branch}`)}`;

export interface KeptBranch extends Pushed {
  /** Main has all that it holds, and the remote did not delete it. */
  readonly isMerged: boolean;
  /** The line that deletes it, as long as it stands at this commit. */
  readonly line: string;
}

/** What this work knows of a branch: what was saved or handed over of it, and where it stands here. */
async function knownOf(rig: Case['rig'], { begun, handed }: Work, branch: string): Promise<readonly string[]> {
  const own = await withGit(rig, ({ repo }) => commitOf(repo, `${HEADS}${branch}`));
  const saved = begun.filter((one) => one.branch === branch).map(({ start }) => start?.commit ?? null);
  const over = handed.filter((one) => one.branch === branch).map(({ commit }) => commit);
  return [...new Set([own, ...saved, ...over])].filter((commit) => commit !== null);
}

/**
 * Whether a branch is of this work: another town on the remote may give its name again. It is at a commit that the work knows of it, or
 * was built on one which these mains have not: all others build on what main has.
 */
async function isOf(rig: Case['rig'], work: Work, mains: readonly string[], one: Pushed): Promise<boolean> {
  const known = await knownOf(rig, work, one.branch);
  return withGit(rig, async ({ repo }) => {
    for (const name of known) {
      const commit = await commitOf(repo, name);
      if (commit === null) continue;
      if (commit === one.commit) return true;
      const isInMain = await Promise.all(mains.map((main) => isBefore(repo, commit, main)));
      if (mains.length > 0 && !isInMain.includes(true) && (await isBefore(repo, commit, one.commit))) return true;
    }
    return false;
  });
}

/** Of merged work, as they were fetched last: those that hold what main lacks, and those that the remote did not delete. Asks no remote. */
export async function keptOf(at: At, work: Work, disk: Pick<Disk, 'list' | 'read'>): Promise<readonly KeptBranch[]> {
  const { rig } = at;
  const remote = remoteNameOf(rig);
  const names = remote === null ? [] : await namesOf(at, work);
  if (remote === null || names.length === 0) return [];
  const mainsBy = await mainNames(rig, remote);
  const seen = await Promise.all(mainsBy.map((name) => withGit(rig, ({ repo }) => lastSeen(repo, remote, name))));
  const mains = seen.filter((commit) => commit !== null);
  const there: Pushed[] = [];
  for (const branch of names.filter((name) => !mainsBy.includes(name))) {
    const commit = await withGit(rig, ({ repo }) => commitOf(repo, trackingRef(remote, branch)));
    if (commit === null || (await beganLast(disk, rig.name, branch)) !== work.of) continue;
    if (await isOf(rig, work, mains, { branch, commit })) there.push({ branch, commit });
  }
  if (there.length === 0) return [];
  const each = mains.map((commit) => mergedAmong(rig, { commit, source: 'fetched' }, work, there));
  const merged = new Set((await Promise.all(each)).flat());
  return there.map((one) => ({ ...one, isMerged: merged.has(one), line: deletingLine(rig.repo, remote, one) }));
}
