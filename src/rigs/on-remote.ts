/**
 * What the remote holds of a polecat's branch, asked at the moment when the branch goes. Remote-tracking refs are a memory: a host deletes
 * a branch once it is merged, and a person may delete one that never was.
 */
import { branchOf } from '../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { askHeads } from '../git/fetch.ts';
import { heldBy, inMain } from './in-main.ts';
import { mainOf } from './main-branch.ts';
import { commitOf, withGit } from './repository.ts';
import type { Case } from './yard.ts';

const tipOf = ({ rig }: Case, record: PolecatRecord): Promise<string | null> =>
  withGit(rig, ({ repo }) => commitOf(repo, `refs/heads/${branchOf(record)}`));

/** A ref for commits that no branch holds any more. */
async function keep({ rig }: Case, record: PolecatRecord, commit: string): Promise<string> {
  const ref = `refs/town/rescue/${record.rig}-${record.name}-${record.uuid}-branch`;
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

/** Keeps the commits of a branch that the remote does not have, or about which it does not answer. */
export async function keepUnlessRemote(at: Case, record: PolecatRecord, remote: string | null): Promise<void> {
  const tip = await tipOf(at, record);
  if (remote === null || tip === null || tip === record.base) return;
  const branch = branchOf(record);
  const place = { gitDir: at.rig.commonDir, cwd: at.rig.repo };
  const there = await askHeads(place, remote, [branch]).then(
    ({ commits }) => commits.get(branch) ?? 'gone',
    () => 'unknown',
  );
  if (there === tip || (there !== 'unknown' && (await isMerged(at, record, tip)))) return;
  const ref = await keep(at, record, tip);
  const why = there === 'unknown' ? 'the remote does not answer' : `${remote} does not have it any more`;
  at.yard.note(`the work of ${branch} is kept under ${ref}: ${why}`);
}
