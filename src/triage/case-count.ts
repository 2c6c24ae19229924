/** The one escalation that stands for all cases which no alert names (law 8). */
import { times } from '../../machines/kernel/span.ts';
import type { Bead } from '../../machines/ledger/bead.ts';
import type { DispatchAct } from '../../machines/triage/dispatch.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { countOf, ESCALATION } from '../ledger/escalations.ts';
import { endRaised, raise, type Cause } from '../ledger/raise.ts';

const CASES: Cause = { label: 'about:triage/+', author: 'escalations/triage' };

const standing = async (ledger: Ledger): Promise<Bead | undefined> =>
  (await ledger.list({ labels: [ESCALATION, CASES.label] }, { limit: 1 })).items[0];

/** How many cases it stands for; null = there is none. */
export async function countedCases(ledger: Ledger): Promise<number | null> {
  const bead = await standing(ledger);
  return bead === undefined ? null : (countOf(bead) ?? 0);
}

/** What the escalation says changes with the count. It is over at 0. */
export async function tellCount(
  ledger: Ledger,
  { count, why }: Pick<Extract<DispatchAct, { act: 'count' }>, 'count' | 'why'>,
  now: number,
): Promise<void> {
  if (count === 0) return endCount(ledger, now);
  const text = `decide about ${times(count, 'more case')}`;
  const body = `${text}: ${why}.\n\nAll of them: town triage list`;
  await raise(ledger, CASES, { severity: 'high', text, body, count }, { by: 'triage', rig: '', now });
}

export async function endCount(ledger: Ledger, now: number): Promise<void> {
  await endRaised(ledger, CASES.label, 'few are left', now);
}
