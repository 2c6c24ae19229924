/** What is on an agent's hook: the ledger alone says it. */
import type { Bead } from '../../machines/ledger/bead.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { beadsIn, isOfTown } from './walk.ts';

/** Work that this agent holds, the oldest first. */
export async function heldBy(ledger: Ledger, agent: string): Promise<Bead[]> {
  const held = beadsIn(ledger, { assignee: agent, statuses: ['hooked', 'in_progress'], order: 'oldest' });
  return (await Array.fromAsync(held)).filter((bead) => !isOfTown(bead));
}
