/** Beads that a witness closed because main had their work, with the commits of that work. */
import type { Bead } from '../../machines/ledger/bead.ts';
import type { Disk } from '../../state/files/disk.ts';
import { ifUnread } from '../../state/files/strict-read.ts';
import { workOn } from '../../state/rigs/work.ts';
import { branchOn, commitOn } from '../ledger/branches.ts';
import type { BranchWork } from './in-main.ts';

export interface MergedBead extends BranchWork {
  readonly bead: Bead;
  /** Where it was handed over; null = not known. */
  readonly branch: string | null;
}

/** One whose commit is not on record is left out. */
export async function worksOf(disk: Pick<Disk, 'read'>, beads: readonly Bead[]): Promise<readonly MergedBead[]> {
  const found: MergedBead[] = [];
  for (const bead of beads) {
    const kept = await ifUnread(workOn(disk, { rig: bead.rig, of: bead.id }), () => null);
    const handed = kept?.handed.at(-1);
    const commit = handed?.commit ?? commitOn(bead);
    const branch = handed?.branch ?? branchOn(bead);
    if (commit !== null) found.push({ bead, branch, commit, base: handed?.main ?? null });
  }
  return found;
}

export const wasMerged = ({ status, official: { merged }, closedAt }: Bead): boolean =>
  status === 'closed' && merged !== undefined && merged === closedAt;
