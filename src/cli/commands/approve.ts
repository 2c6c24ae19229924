/** `town bead approve`: the operator allows work that agents made, and the town then gives it out like other work. */
import type { Bead } from '../../../machines/ledger/bead.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { times } from '../../../machines/kernel/span.ts';
import { changeOfficially } from '../../ledger/change.ts';
import { beadsIn } from '../../ledger/walk.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { beadCalled, withLedger } from '../asking/ledger.ts';
import { mustBeRig } from '../asking/yard.ts';
import type { Context } from '../context.ts';
import { mustBeOperator } from '../naming/caller.ts';

export async function approve(
  context: Context,
  words: readonly string[],
  { rig, by }: { readonly rig?: string; readonly by?: string },
): Promise<void> {
  await mustBeOperator(context, 'town bead approve');
  if (words.length > 0 === (rig !== undefined)) {
    const text = 'name the beads, or all that wait in a rig: town bead approve --rig <rig>';
    throw new Failure(EXIT.usage, 'bad_usage', text);
  }
  await mustBeRig(context, rig);
  const ids = await withLedger(context, async (ledger) => {
    const wanted = rig === undefined ? await called(ledger, words) : await askedIn(ledger, rig, by);
    const approved: string[] = [];
    for (const id of wanted) if (await say(ledger, id)) approved.push(id);
    return approved;
  });
  const text = `${times(ids.length, 'bead')} will be given out: ${ids.join(', ')}`;
  context.answer('approved', ids, ids.length === 0 ? 'no bead waits for your yes' : text);
}

const called = (ledger: Ledger, words: readonly string[]): Promise<string[]> =>
  Array.fromAsync(words, async (word) => (await beadCalled(ledger, word)).id);

const isAsked = ({ official }: Bead): boolean => official.consent === 'asked';

/** Beads of the rig that wait for a yes. `by`: only those of this agent. */
async function askedIn(ledger: Ledger, rig: string, by: string | undefined): Promise<string[]> {
  const ids: string[] = [];
  for await (const bead of beadsIn(ledger, { rig, isWisp: false }))
    if (isAsked(bead) && (by === undefined || bead.official.made?.by === by)) ids.push(bead.id);
  return ids;
}

/** False = it does not wait for one. */
async function say(ledger: Ledger, id: string): Promise<boolean> {
  let isChanged = false;
  await changeOfficially(ledger, id, (bead) => {
    isChanged = bead.official.consent !== undefined && bead.official.consent !== 'given';
    const updatedAt = new Date().toISOString();
    return isChanged ? { ...bead, updatedAt, official: { ...bead.official, consent: 'given' } } : bead;
  });
  return isChanged;
}
