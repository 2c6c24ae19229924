/** Escalations that end with what they are about. */
import type { Bead } from '../../machines/ledger/bead.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { endsWith } from './escalations.ts';
import { eachCalled } from './walk.ts';

/** The ids of those whose cause is closed or gone: they are over, whether the town closed them yet or not. */
export async function withClosedCause(ledger: Ledger, beads: readonly Bead[]): Promise<ReadonlySet<string>> {
  const causes = [...new Set(beads.flatMap((bead) => endsWith(bead) ?? []))];
  const open = new Set<string>();
  for await (const { id, status } of eachCalled(ledger, causes)) if (status !== 'closed') open.add(id);
  const isOver = (cause: string | null): boolean => cause !== null && !open.has(cause);
  return new Set(beads.flatMap((bead) => (isOver(endsWith(bead)) ? [bead.id] : [])));
}
