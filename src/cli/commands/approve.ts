/** `town bead approve`: the operator allows work that agents made, and the town then gives it out like other work. */
import type { Bead } from '../../../machines/ledger/bead.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { times } from '../../../machines/kernel/span.ts';
import { changeOfficially } from '../../ledger/change.ts';
import { beadsIn } from '../../ledger/walk.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean } from '../../terminal/print.ts';
import { beadCalled, withLedger } from '../asking/ledger.ts';
import { mustBeRig } from '../asking/yard.ts';
import { canAsk, saysYes } from '../asking/yes.ts';
import type { Context } from '../context.ts';
import { assigneeSought } from '../naming/agents.ts';
import { mustBeOperator } from '../naming/caller.ts';

/**
 * Gives consent to the named beads, or to those that wait in a rig once a person has seen their titles and said yes. It holds
 * for what was read: a bead that changed since, or came after the list, waits on. Throws Failure (2) where a list would have
 * to be shown and no terminal can ask.
 */
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
  const maker = by && (await assigneeSought(context, by));
  await withLedger(context, async (ledger) => {
    const read = rig === undefined ? await called(ledger, words) : await waitingIn(ledger, rig, maker);
    if (rig !== undefined && !(await isListMeant(context, read))) {
      context.answer('approved', [], 'nothing changed');
      return;
    }
    const approved: string[] = [];
    const changed: string[] = [];
    for (const bead of read.filter(isWaiting)) ((await say(ledger, bead)) ? approved : changed).push(bead.id);
    const texts = [
      ...(approved.length > 0 ? [`${times(approved.length, 'bead')} will be given out: ${approved.join(', ')}`] : []),
      ...(changed.length > 0 ? [`changed since it was read, and waits on: ${changed.join(', ')}`] : []),
    ];
    context.answer('approved', approved, texts.length === 0 ? 'no bead waits for your yes' : () => texts);
  });
}

const called = (ledger: Ledger, words: readonly string[]): Promise<Bead[]> =>
  Array.fromAsync(words, (word) => beadCalled(ledger, word));

/** `budget` waits for none, but a person may name it: it then no longer comes last. */
const isWaiting = ({ official: { consent } }: Bead): boolean => consent === 'asked' || consent === 'budget';

/** Beads of the rig that wait for a yes. `by`: only those of this agent. */
async function waitingIn(ledger: Ledger, rig: string, by: string | undefined): Promise<Bead[]> {
  const beads: Bead[] = [];
  for await (const bead of beadsIn(ledger, { rig, isWisp: false }))
    if (bead.official.consent === 'asked' && (by === undefined || bead.official.made?.by === by)) beads.push(bead);
  return beads;
}

/** Whether the person says yes to this list. An empty one needs none. Throws Failure (2) without a terminal. */
async function isListMeant(context: Context, beads: readonly Bead[]): Promise<boolean> {
  if (beads.length === 0) return true;
  if (!canAsk(context)) {
    const text = `no terminal can show the list; read each bead, then name it: town bead approve ${beads.map(({ id }) => id).join(' ')}`;
    throw new Failure(EXIT.usage, 'no_terminal', text);
  }
  const rows = beads.map(
    ({ id, title, official }) => `${id}  ${clean(title)}  (by ${clean(official.made?.by ?? '?')})`,
  );
  return saysYes([...rows, `Give ${times(beads.length, 'bead')} out? [yes/no] `].join('\n'));
}

/** False = the bead is no longer as it was read. */
async function say(ledger: Ledger, read: Bead): Promise<boolean> {
  let isSame = false;
  await changeOfficially(ledger, read.id, (bead) => {
    isSame = bead.version === read.version;
    const updatedAt = new Date().toISOString();
    return isSame ? { ...bead, updatedAt, official: { ...bead.official, consent: 'given' } } : bead;
  });
  return isSame;
}
