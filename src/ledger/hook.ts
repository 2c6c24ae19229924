/** What is on an agent's hook: the ledger alone says it. */
import { HELD_STATUSES, type Bead } from '../../machines/ledger/bead.ts';
import { isAtWork } from '../../machines/ledger/changes.ts';
import { formsOf } from '../../machines/rigs/names.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { beadsIn, isOfTown } from './walk.ts';

/** Work that this agent holds, the oldest of each form of its name first; what it set aside comes last. */
export async function heldBy(ledger: Ledger, agent: string): Promise<Bead[]> {
  const work: Bead[] = [];
  for (const assignee of formsOf(agent))
    for await (const bead of beadsIn(ledger, { assignee, statuses: HELD_STATUSES, order: 'oldest' }))
      if (!isOfTown(bead)) work.push(bead);
  return work.toSorted((a, b) => Number(isAtWork(b)) - Number(isAtWork(a)));
}
