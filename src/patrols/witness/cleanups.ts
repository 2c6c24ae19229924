/** The cleanup of a polecat whose work is over: a wisp of its witness, one for a polecat, which says officially who wished the end. */
import type { Official } from '../../../machines/ledger/bead.ts';
import { addressOf } from '../../../machines/rigs/names.ts';
import type { Wish, WitnessAct } from '../../../machines/witness/observation.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { changeOfficially, createBead } from '../../ledger/change.ts';
import { PREFIX } from '../../ledger/ids.ts';
import { beadsIn } from '../../ledger/walk.ts';
import { order } from '../../ports/age.ts';
import { witnessOf } from '../memory/evidence.ts';

interface Cleaning {
  readonly rig: string;
  readonly ledger: Ledger;
  readonly now: number;
  readonly bornAt: (agent: string) => number | null;
}

const LABEL = 'cleanup';
const polecatLabel = (name: string): string => `polecat:${name}`;

/** The cleanup that is open for this polecat since it began; undefined = none is. */
async function openCleanup({ ledger, rig, bornAt }: Pick<Cleaning, 'ledger' | 'rig' | 'bornAt'>, name: string) {
  const since = bornAt(addressOf({ rig, name })) ?? 0;
  for await (const bead of beadsIn(ledger, { rig, labels: [LABEL, polecatLabel(name)] }))
    if (order(Date.parse(bead.createdAt)) >= order(since)) return bead;
  return undefined;
}

/** Its id; null = one is open, which knew all of it. */
export async function cleanup(
  { rig, ledger, now, bornAt }: Cleaning,
  { title, labels, wish }: Extract<WitnessAct, { act: 'wisp' }>,
): Promise<string | null> {
  const at = new Date(now).toISOString();
  const [own = ''] = labels.flatMap((label) =>
    label.startsWith(polecatLabel('')) ? [label.slice(polecatLabel('').length)] : [],
  );
  const open = await openCleanup({ ledger, rig, bornAt }, own);
  if (open === undefined) {
    const made = { by: witnessOf(rig), via: 'town', life: null, at } as const;
    const official: Official = { made, resolution: null, ...(wish !== null && { wish: { ...wish, at } }) };
    const fields = { title, labels, rig, isWisp: true, wispType: 'patrol', createdBy: made.by, createdAt: at };
    return (await createBead(ledger, fields, { prefix: PREFIX, kind: 'wisp', official })).id;
  }
  if (wish === null || !isBetter(wish, open.official)) return null;
  await changeOfficially(ledger, open.id, (bead) =>
    isBetter(wish, bead.official)
      ? { ...bead, updatedAt: at, official: { ...bead.official, wish: { ...wish, at } } }
      : bead,
  );
  return open.id;
}

/** A life that said it by its token is worth more than a word of an unknown one, and the last one that did counts. */
const isBetter = ({ life }: Wish, { wish }: Official): boolean =>
  wish === undefined || (life !== null && life !== wish.life);

/** The life of this polecat by whose own word its end is wished; null = none wished it, or the life is unknown. */
export async function wishingLife(
  where: Pick<Cleaning, 'ledger' | 'rig' | 'bornAt'>,
  name: string,
): Promise<string | null> {
  const wish = (await openCleanup(where, name))?.official.wish;
  return wish?.via === 'agent' ? wish.life : null;
}
