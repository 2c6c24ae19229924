/** Reads the open escalations; those whose cause is closed are closed first. Safe to be done again. */
import type { Bead } from '../../../machines/ledger/bead.ts';
import type { EscalationSeen } from '../../../machines/protocol/patrols.ts';
import type { Disk } from '../../../state/files/disk.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { changeBead, closeBead } from '../../ledger/change.ts';
import { withClosedCause } from '../../ledger/escalation-causes.ts';
import {
  ESCALATION,
  isAcked,
  isOlder,
  lettersOf,
  questionOf,
  severityOf,
  withoutOlder,
} from '../../ledger/escalations.ts';
import { beadsIn } from '../../ledger/walk.ts';
import { boxAt } from '../witness/post.ts';

interface Needs {
  readonly ledger: Ledger;
  readonly disk: Disk;
  readonly note: (text: string) => void;
}

const withoutText = (bead: Bead): Bead => ({ ...bead, description: '' });

export async function readEscalations(needs: Needs, now: number): Promise<EscalationSeen[]> {
  const { ledger } = needs;
  // Their texts may be long, and many stand for days.
  const beads = await Array.fromAsync(beadsIn(ledger, { labels: [ESCALATION] }), withoutText);
  await migrate(needs, beads, now);
  const over = await withClosedCause(ledger, beads);
  const open: EscalationSeen[] = [];
  for (const bead of beads) {
    if (over.has(bead.id)) await closeBead(ledger, bead.id, 'what it is about is closed', now);
    else open.push(seenOf(bead));
  }
  return open;
}

const seenOf = (bead: Bead): EscalationSeen => ({
  id: bead.id,
  severity: severityOf(bead),
  text: questionOf(bead),
  ...(isAcked(bead) && { isAcked: true }),
});

/** An earlier version told of an escalation by letters and noted that on the bead; the alert says it now. */
async function migrate({ ledger, disk, note }: Needs, beads: readonly Bead[], now: number): Promise<void> {
  const older = beads.filter(isOlder);
  if (older.length === 0) return;
  for (const address of ['mayor', 'overseer']) {
    const box = boxAt({ disk, note }, address);
    const isOfOlder = lettersOf(older);
    await box.archiveAll((await box.names()).filter(isOfOlder));
  }
  const at = new Date(now).toISOString();
  for (const { id } of older) await changeBead(ledger, id, (bead) => withoutOlder(bead, at));
}
