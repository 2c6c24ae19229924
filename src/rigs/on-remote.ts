/**
 * What the remote holds of a polecat's branch, asked at the moment when the branch goes. Remote-tracking refs are a memory: a host deletes
 * a branch once it is merged, and a person may delete one that never was.
 */
import { branchOf } from '../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { askAll } from '../git/fetch.ts';
import { GitFailed } from '../git/git.ts';
import { heldBy, inMain } from './in-main.ts';
import { mainOf } from './main-branch.ts';
import { isPublished, publishedOn } from './remote-contents.ts';
import { remoteOf } from './remote.ts';
import { commitOf, withGit } from './repository.ts';
import type { Case } from './yard.ts';

const tipOf = ({ rig }: Case, record: PolecatRecord): Promise<string | null> =>
  withGit(rig, ({ repo }) => commitOf(repo, `refs/heads/${branchOf(record)}`));

/** A ref for commits that no branch holds any more. */
async function keep(
  { rig }: Case,
  record: PolecatRecord,
  commit: string,
  what: 'branch' | 'head' = 'branch',
): Promise<string> {
  const ref = `refs/town/rescue/${record.rig}-${record.name}-${record.uuid}-${what}`;
  await withGit(rig, ({ repo }) => repo.run(['update-ref', ref, commit]));
  return ref;
}

async function isMerged({ rig }: Case, record: PolecatRecord, commit: string): Promise<boolean> {
  const main = await mainOf(rig).catch(() => null);
  if (main === null) return false;
  return (await inMain(rig, main, [{ commit, base: heldBy(record) }])).get(commit) === 'yes';
}

/** The record as it counts where main has its work already: nothing is pushed again, its commits are kept. null = main has it not. */
export async function ifMerged(at: Case, record: PolecatRecord): Promise<PolecatRecord | null> {
  const tip = await tipOf(at, record);
  if (tip === null || tip === record.base || !(await isMerged(at, record, tip))) return null;
  await keep(at, record, tip);
  return { ...record, base: tip };
}

/** Whether the remote says that it does not have the work on this branch, which is not in its main branch either. */
export async function isLacking(at: Case, record: PolecatRecord, branch: string): Promise<boolean> {
  const tip = await withGit(at.rig, ({ repo }) => commitOf(repo, `refs/heads/${branch}`));
  if (tip === null || tip === record.base) return false;
  const published = await publishedOn(at.rig).catch(unknown);
  if (published === null || (await isPublished(at.rig, tip, published))) return false;
  return !(await isMerged(at, record, tip));
}

/** Whether the remote's branch of this name is at another commit than the branch here, or the remote does not tell: one question. */
export async function isUnpushed({ rig }: Pick<Case, 'rig'>, branch: string): Promise<boolean> {
  const tip = await withGit(rig, ({ repo }) => commitOf(repo, `refs/heads/${branch}`));
  const remote = await remoteOf(rig);
  if (tip === null || remote === null) return true;
  return askAll({ gitDir: rig.commonDir, cwd: rig.repo }, { remote: remote.name }).then(
    ({ branches }) => branches.get(branch) !== tip,
    () => true,
  );
}

/** Keeps the commits of a branch, and of what is checked out, that the remote does not have, or about which it does not answer. */
export async function keepUnlessRemote(at: Case, record: PolecatRecord, head: string | null): Promise<void> {
  const remote = (await remoteOf(at.rig))?.name ?? null;
  const tip = await tipOf(at, record);
  const works = [
    { what: 'branch', commit: tip },
    { what: 'head', commit: head === tip ? null : head },
  ] as const;
  const own = works.flatMap(({ what, commit }) =>
    commit === null || commit === record.base ? [] : [{ what, commit }],
  );
  if (remote === null || own.length === 0) return;
  const published = await publishedOn(at.rig).catch(unknown);
  for (const { what, commit } of own) {
    const isThere = published !== null && (await isPublished(at.rig, commit, published));
    if (isThere || (published !== null && (await isMerged(at, record, commit)))) continue;
    const ref = await keep(at, record, commit, what);
    const why = published === null ? 'the remote does not answer' : `${remote} does not have it any more`;
    at.yard.note(`the work of ${branchOf(record)} is kept under ${ref}: ${why}`);
  }
}

function unknown(error: unknown): null {
  if (error instanceof GitFailed) return null;
  throw error;
}
