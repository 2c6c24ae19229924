/** The name of the polecat that gets a piece of work. */
import { branchOf } from '../../../machines/rigs/names.ts';
import { isHalfGone, isHalfMade, isLeft } from '../../../machines/rigs/records.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { newestOf } from '../../ledger/walk.ts';
import { withGit } from '../../rigs/repository.ts';
import type { Case } from '../../rigs/yard.ts';
import { witnessOf } from '../memory/evidence.ts';

/**
 * Named after its bead; `<bead>-2` if an earlier polecat of that name left a worktree, evidence, or a branch at a
 * remote, which takes no other history. Its evidence must not count for the next one, even if clocks disagree (law 3).
 */
export async function freeName({ yard, rig }: Case, bead: string, ledger: Ledger): Promise<string> {
  const pushed = await withGit(rig, ({ repo }) =>
    repo.run(['for-each-ref', '--format=%(refname:lstrip=3)', `refs/remotes/*/${branchOf({ rig: '', name: bead })}*`]),
  );
  const branches = new Set(pushed.split('\n'));
  const left = (await yard.records.polecatsOf(rig.name)).found.find((one) => isLeft(one) && one.bead === bead);
  if (left !== undefined) return left.name;
  for (let nth = 1; ; nth += 1) {
    const name = { rig: rig.name, name: nth === 1 ? bead : `${bead}-${nth}` };
    const record = await yard.records.polecat(name);
    if (record !== null && (isHalfMade(record) || isHalfGone(record))) return name.name;
    const isKnown = record !== null || branches.has(branchOf(name));
    if (!isKnown && (await newestOf(ledger, witnessOf(rig.name, name.name))) === null) return name.name;
  }
}
