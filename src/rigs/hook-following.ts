/**
 * What a polecat works on is what the ledger has on its hook; its record follows. So work that was hooked on it by hand is its work
 * from then on, as if it had been spawned for it. The caller holds the rig's lock.
 */
import type { Bead } from '../../machines/ledger/bead.ts';
import { addressOf, isSameAgent, refineryAddress } from '../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { ifUnread } from '../../state/files/strict-read.ts';
import { knowsHanded, saysWhoHanded } from '../ledger/branches.ts';
import { branchKept } from './spawn.ts';
import type { Case } from './yard.ts';

/** `beads`: those that the records name, by id. Rejects as `Hooks`. */
export const followHooks = (
  at: Case,
  records: readonly PolecatRecord[],
  beads: ReadonlyMap<string, Bead>,
): Promise<PolecatRecord[]> => Promise.all(records.map((record) => followHook(at, record, beads)));

async function followHook(at: Case, record: PolecatRecord, beads: ReadonlyMap<string, Bead>): Promise<PolecatRecord> {
  if (record.step !== 'running' || isItsOwn(record, beads.get(record.bead ?? ''))) return record;
  const { hooks, records } = at.yard;
  const [hooked] = await hooks.heldBy(addressOf(record));
  if (hooked === undefined) return record;
  const now = { ...record, bead: hooked.id };
  const follow = async (): Promise<void> => {
    await hooks.keepBranch(record.rig, hooked.id, await branchKept(at, now, hooked.id));
    await records.savePolecat(now);
  };
  // While what is known of that work does not count, its record follows in no later look either: this one still goes by the ledger.
  await ifUnread(follow(), () => undefined);
  return now;
}

/** It works on it, or the refinery has its work. */
const isItsOwn = (record: PolecatRecord, bead: Bead | undefined): boolean =>
  bead !== undefined &&
  bead.status !== 'closed' &&
  (isSameAgent(bead.assignee, addressOf(record)) || hasRefinery(bead, record));

/** The refinery has the bead from this very life, or from an unknown one, and not from another polecat that was begun for it. */
export const hasRefinery = (bead: Bead, { rig, uuid, tip: commit }: PolecatRecord): boolean =>
  isSameAgent(bead.assignee, refineryAddress(rig)) && (!saysWhoHanded(bead) || knowsHanded(bead, { uuid, commit }));
