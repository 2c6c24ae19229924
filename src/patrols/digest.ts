/**
 * What a cycle does is a wisp while it does it, and one line of evidence afterwards (W-8). A wisp that a killed patrol left says what
 * it was at: it is a line too, before the next cycle acts. A cycle with nothing to do leaves nothing.
 */
import { newBead } from '../../machines/ledger/bead.ts';
import { LEDGER } from '../../state/ledger/policy.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { newWrite, PREFIX } from '../ledger/ids.ts';
import type { WitnessAct } from './outcome.ts';
import { witnessOf } from './polecats.ts';

export interface Cycle {
  readonly ledger: Ledger;
  readonly rig: string;
  readonly now: number;
}

/** Kind of the evidence that holds a line for each cycle, by `<rig>/witness/patrol`. */
const DIGEST = 'digest';
const idOf = (rig: string): string => `${PREFIX}-wisp-patrol-${rig}`;

async function line({ ledger, rig, now }: Cycle, text: string): Promise<void> {
  const author = witnessOf(rig, 'patrol');
  // What comes to nothing in each cycle is one line.
  if ((await ledger.newestEvidence(author))?.text === text) return;
  await ledger.addEvidence({ id: `${author}-${DIGEST}-${String(now)}`, author, kind: DIGEST, text, at: now });
}

/** `wanted`: what it is about to do, in words. */
export async function beginCycle(cycle: Cycle, wanted: readonly string[]): Promise<void> {
  if (wanted.length === 0) return;
  const { ledger, rig, now } = cycle;
  const [left] = await ledger.beads([idOf(rig)]);
  if (left !== undefined) {
    await line({ ...cycle, now: now - 1 }, `cut off at: ${left.description}`);
    await ledger.remove(left.id, left.version);
  }
  const at = new Date(now).toISOString();
  const about = { id: idOf(rig), title: `patrol of ${rig}`, description: wanted.join('; ').slice(0, LEDGER.maxText) };
  const kind = { isWisp: true, wispType: 'patrol', rig, status: 'in_progress', createdBy: witnessOf(rig) } as const;
  await ledger.put(newBead({ ...about, ...kind, createdAt: at }), { expects: 0, write: newWrite() });
}

export async function endCycle(cycle: Cycle, outcomes: readonly WitnessAct[]): Promise<void> {
  const { ledger, rig } = cycle;
  const [wisp] = await ledger.beads([idOf(rig)]);
  if (wisp === undefined) return;
  const said = outcomes.map(({ act, about, done, text }) => `${act} ${about}${done ? '' : ' NOT DONE'}: ${text}`);
  await line(cycle, said.join('; ').slice(0, LEDGER.maxText));
  await ledger.remove(wisp.id, wisp.version);
}
