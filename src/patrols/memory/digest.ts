/**
 * What a cycle does is a wisp while it does it, and one line of evidence afterwards (W-8). A wisp that a killed patrol left says what
 * it was at: it is a line too, when the next cycle begins. A cycle with nothing to do leaves nothing.
 */
import { newBead } from '../../../machines/ledger/bead.ts';
import type { ActOutcome } from '../../../machines/protocol/patrols.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { changeBead } from '../../ledger/change.ts';
import { newWrite, PREFIX } from '../../ledger/ids.ts';
import { patrolOf } from './evidence.ts';
import { newestOf } from '../../ledger/walk.ts';

export interface Cycle {
  readonly ledger: Ledger;
  /** A rig, or `deacon`. */
  readonly of: string;
  readonly now: number;
}

/** Told before an act is done, in words. */
export type Doing = (what: string) => Promise<void>;

/** Kind of the evidence that holds a line for each cycle, by `<rig>/witness/patrol` and `deacon/patrol`. */
const DIGEST = 'digest';
const idOf = (of: string): string => `${PREFIX}-wisp-patrol-${of}`;
const textOf = (wanted: readonly string[]): string => wanted.join('; ').slice(0, LEDGER.maxText);

async function line({ ledger, of, now }: Cycle, text: string): Promise<void> {
  const author = patrolOf(of, 'patrol');
  // What comes to nothing in each cycle is one line.
  if ((await newestOf(ledger, author))?.text === text) return;
  await ledger.addEvidence({ id: `${author}-${DIGEST}-${String(now)}`, author, kind: DIGEST, text, at: now });
}

/** What a killed cycle was at becomes a line, whether or not the next one does anything. */
export async function putAwayCutOff(cycle: Cycle): Promise<void> {
  const { ledger, of, now } = cycle;
  const [left] = await ledger.beads([idOf(of)]);
  if (left === undefined) return;
  await line({ ...cycle, now: now - 1 }, `cut off at: ${left.description}`);
  await ledger.remove(left.id, left.version);
}

/** `wanted`: what it is about to do, in words. */
export async function beginCycle(cycle: Cycle, wanted: readonly string[]): Promise<void> {
  const { ledger, of, now } = cycle;
  await putAwayCutOff(cycle);
  const at = new Date(now).toISOString();
  const about = { id: idOf(of), title: `patrol of ${of}`, description: textOf(wanted), createdBy: patrolOf(of) };
  const rig = of === 'deacon' ? '' : of;
  const kind = { isWisp: true, wispType: 'patrol', status: 'in_progress', rig } as const;
  await ledger.put(newBead({ ...about, ...kind, createdAt: at }), { expects: 0, write: newWrite() });
}

/** For a cycle that finds one thing after another, over several orders: it begins with the first. */
export function growCycle(cycle: Cycle): Doing {
  return async (what) => {
    const grown = await changeBead(cycle.ledger, idOf(cycle.of), (wisp) => {
      return { ...wisp, description: textOf([wisp.description, what]) };
    });
    if (grown === null) await beginCycle(cycle, [what]);
  };
}

export async function endCycle(cycle: Cycle, outcomes: readonly ActOutcome[]): Promise<void> {
  const { ledger, of } = cycle;
  const [wisp] = await ledger.beads([idOf(of)]);
  if (wisp === undefined) return;
  const said = outcomes.map(({ act, about, done, text }) => `${act} ${about}${done ? '' : ' NOT DONE'}: ${text}`);
  // A cycle that changed nothing says what it, or another one beside it, was at: what is done now is not forgotten.
  await line(cycle, said.length === 0 ? `at: ${wisp.description}` : textOf(said));
  await ledger.remove(wisp.id, wisp.version);
}
