/**
 * Commits that came to the branch of a polecat after its work was handed over. The refinery merges the commit that was handed over, and so
 * main lacks them, although the work counts as merged.
 * 1. By the branches as they were fetched last; of those that seem to have more the remote is asked.
 * 2. The branch of a polecat that lives has other work by now.
 */
import { branchOf } from '../../machines/rigs/names.ts';
import type { RigRecord } from '../../machines/rigs/records.ts';
import { askHeads, fetchHeads, trackingRef } from '../git/fetch.ts';
import { mainNames } from './forced-pushes.ts';
import { inMain } from './in-main.ts';
import { lastSeen } from './main-branch.ts';
import type { MergedBead } from './merged-beads.ts';
import { remoteOf } from './remote.ts';
import { isBefore, withGit } from './repository.ts';
import type { Case } from './yard.ts';

type At = { readonly rig: Case['rig']; readonly yard: Pick<Case['yard'], 'records'> };

export interface LaterCommits {
  readonly work: MergedBead;
  readonly branch: string;
  readonly remote: string;
  /** Where the remote's branch is now. */
  readonly tip: string;
  /** `no`: main lacks something of it. */
  readonly isMerged: 'no' | 'unknown';
}

const POLECATS = branchOf({ rig: '', name: '' });

/** `works` are read only where the remote has a branch of a polecat that is gone. Rejects where git or the remote does not tell. */
export async function laterOn(at: At, works: () => Promise<readonly MergedBead[]>): Promise<readonly LaterCommits[]> {
  const { rig } = at;
  const remote = (await remoteOf(rig))?.name ?? null;
  if (remote === null) return [];
  const tips = await tipsOf(at, remote);
  if (tips.size === 0) return [];
  const near = await lacking(rig, remote, await works(), tips);
  if (near.length === 0) return [];
  const place = { gitDir: rig.commonDir, cwd: rig.repo };
  const names = [...new Set(near.map(({ branch }) => branch))];
  const { commits } = await askHeads(place, remote, names);
  const moved = names.filter((name) => commits.has(name) && commits.get(name) !== tips.get(name));
  if (moved.length > 0) await fetchHeads(place, remote, moved);
  const open = near.map(({ work }) => work);
  return lacking(rig, remote, open, commits);
}

/** By the branch. */
async function tipsOf({ rig, yard }: At, remote: string): Promise<ReadonlyMap<string, string>> {
  const refs = trackingRef(remote, POLECATS);
  const said = await withGit(rig, ({ repo }) => repo.run(['for-each-ref', '--format=%(objectname) %(refname)', refs]));
  const { found } = await yard.records.polecatsOf(rig.name);
  const used = new Set(found.map(branchOf));
  const rows = said.split('\n').map((line) => {
    const [commit = '', ref = ''] = line.split(' ');
    return [ref.slice(trackingRef(remote, '').length), commit] as const;
  });
  return new Map(rows.filter(([branch]) => branch !== '' && !used.has(branch)));
}

async function lacking(
  rig: RigRecord,
  remote: string,
  works: readonly MergedBead[],
  tips: ReadonlyMap<string, string>,
): Promise<LaterCommits[]> {
  const mains: string[] = [];
  for (const name of await mainNames(rig, remote)) {
    const commit = await withGit(rig, ({ repo }) => lastSeen(repo, remote, name));
    if (commit !== null) mains.push(commit);
  }
  const found: LaterCommits[] = [];
  for (const work of works) {
    const branch = work.branch ?? '';
    const tip = tips.get(branch);
    if (tip === undefined || tip.startsWith(work.commit)) continue;
    const isMerged = await isIn(rig, mains, work, tip);
    if (isMerged !== 'yes') found.push({ work, branch, remote, tip, isMerged });
  }
  return found;
}

/** What main took out again is no commit that it lacks by mistake. */
async function isIn(
  rig: RigRecord,
  mains: readonly string[],
  { commit }: MergedBead,
  tip: string,
): Promise<'yes' | 'no' | 'unknown'> {
  if (await withGit(rig, ({ repo }) => isBefore(repo, tip, commit))) return 'yes';
  let is: 'no' | 'unknown' = 'no';
  for (const main of mains) {
    const found = (await inMain(rig, { commit: main, source: 'fetched' }, [{ commit: tip, base: commit }])).get(tip);
    if (found === 'yes' || found === 'out') return 'yes';
    if (found !== 'no') is = 'unknown';
  }
  return mains.length === 0 ? 'unknown' : is;
}
