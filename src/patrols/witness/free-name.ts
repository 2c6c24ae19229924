/** The name of the polecat that gets a piece of work. */
import type { Bead } from '../../../machines/ledger/bead.ts';
import { addressOf, branchOf, nameOfWork, sessionOf } from '../../../machines/rigs/names.ts';
import { isHalfGone, isHalfMade, isLeft } from '../../../machines/rigs/records.ts';
import type { Disk } from '../../../state/files/disk.ts';
import { ifUnread } from '../../../state/files/strict-read.ts';
import { noteOf } from '../../../state/patrols/notes.ts';
import { withGit } from '../../rigs/repository.ts';
import type { Case } from '../../rigs/yard.ts';

/**
 * Words of its title; with `-2` behind them where another polecat has or had that name, or a session, or a branch, here or
 * at a remote, which takes no other history. Evidence of the earlier one must not count for this one, even if clocks
 * disagree (law 3). A polecat whose making or removal for this work was cut off keeps its name.
 */
export async function freeName({ yard, rig }: Case, bead: Bead, disk: Disk): Promise<string> {
  const { found } = await yard.records.polecats();
  const begun = found.filter((one) => isLeft(one) || isHalfMade(one) || isHalfGone(one));
  const own = begun.find((one) => one.rig === rig.name && one.bead === bead.id);
  if (own !== undefined) return own.name;
  const wanted = nameOfWork(rig.name, bead);
  const taken = new Set(found.map(sessionOf));
  const branches = await branchesLike(rig, wanted);
  for (let nth = 1; ; nth += 1) {
    const name = { rig: rig.name, name: nth === 1 ? wanted : `${wanted}-${nth}` };
    if (taken.has(sessionOf(name)) || branches.has(branchOf(name))) continue;
    if ((await yard.sessions.standing(sessionOf(name))) === 'lives') continue;
    // A record that cannot be read may be of an earlier one.
    const before = await ifUnread(noteOf(disk, addressOf(name), 'session'), (unread) => unread);
    if (before === null) return name.name;
  }
}

/** Branches whose names begin as a polecat's of this name does, without their remotes. */
async function branchesLike(rig: Case['rig'], name: string): Promise<ReadonlySet<string>> {
  const branch = branchOf({ rig: rig.name, name });
  const places = [`refs/heads/${branch}*`, `refs/remotes/*/${branch}*`];
  const refs = await withGit(rig, ({ repo }) => repo.run(['for-each-ref', '--format=%(refname)', ...places]));
  return new Set(refs.split('\n').map((ref) => ref.slice(Math.max(ref.indexOf(`/${branch}`) + 1, 0))));
}
