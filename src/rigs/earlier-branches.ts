/**
 * Branches that earlier attempts at a piece of work left on the remote of their rig. Once main has the work, those that hold nothing which
 * main lacks go; the others stay, and a person is shown which and how to delete them.
 * 1. Only branches of polecats that are gone; the one that was handed over last is the refinery's, or the host's.
 * 2. A branch is deleted only at the very commit that was proved: main has it, or what main has was built on it.
 * 3. What could not be asked is no proof.
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
  /** The line that deletes it, as long as it stands at this commit. */
  readonly line: string;
}

/** Of merged work: those that hold what main lacks, as they were fetched last. Asks no remote. */
export async function keptOf(at: At, work: Work, disk: Pick<Disk, 'list' | 'read'>): Promise<readonly KeptBranch[]> {
  const { rig } = at;
  const remote = remoteNameOf(rig);
  const names = remote === null ? [] : await namesOf(at, work);
  if (remote === null || names.length === 0) return [];
  const there: Pushed[] = [];
  for (const branch of names) {
    const commit = await withGit(rig, ({ repo }) => commitOf(repo, trackingRef(remote, branch)));
    if (commit !== null && (await beganLast(disk, rig.name, branch)) === work.of) there.push({ branch, commit });
  }
  let open = there;
  for (const name of open.length === 0 ? [] : await mainNames(rig, remote)) {
    const commit = await withGit(rig, ({ repo }) => lastSeen(repo, remote, name));
    if (commit === null) continue;
    const merged = await mergedAmong(rig, { commit, source: 'fetched' }, work, open);
    open = open.filter((one) => one.branch !== name && !merged.includes(one));
  }
  return open.map((one) => ({ ...one, line: deletingLine(rig.repo, remote, one) }));
}
