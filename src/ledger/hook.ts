/** What is on an agent's hook: the ledger alone says it. */
import { HELD_STATUSES, type Bead } from '../../machines/ledger/bead.ts';
import { isAtWork } from '../../machines/ledger/changes.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { beadsIn, isOfTown } from './walk.ts';

/** Work that this agent holds, the oldest first; what it set aside comes last. */
export async function heldBy(ledger: Ledger, agent: string): Promise<Bead[]> {
  const work: Bead[] = [];
  for await (const bead of beadsIn(ledger, { assignee: agent, statuses: HELD_STATUSES, order: 'oldest' }))
    if (!isOfTown(bead)) work.push(bead);
  return work.toSorted((a, b) => Number(isAtWork(b)) - Number(isAtWork(a)));
}
