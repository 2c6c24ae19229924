/** A plan laid into a ledger, and what the ledger has of it then. */
import { BEAD_STATUSES, blockersOf, type Bead } from '../../machines/ledger/bead.ts';
import { lay } from '../../src/plan/beads.ts';
import { readPlan } from '../../src/plan/read.ts';
import { beadsIn } from '../../src/ledger/walk.ts';
import type { Ledger } from '../../state/ledger/port.ts';

export const WANTED = { rig: 'shop', by: 'overseer', at: Date.UTC(2026, 5, 1) };
const mine = (): Promise<void> => Promise.resolve();
export const laid = (ledger: Ledger, text: string) => lay(ledger, readPlan(text), WANTED, mine);
export const all = (ledger: Ledger): Promise<Bead[]> =>
  Array.fromAsync(beadsIn(ledger, { statuses: BEAD_STATUSES, order: 'oldest' }));
/** What each title waits for, by title. */
export const shape = async (ledger: Ledger) => {
  const beads = await all(ledger);
  const titleOf = new Map(beads.map(({ id, title }) => [id, title]));
  return beads.map((one) => [
    one.title,
    one.priority,
    one.description,
    blockersOf(one).map((id) => titleOf.get(id) ?? id),
  ]);
};
