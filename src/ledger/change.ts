/**
 * Changes of beads: read, decide, write at the version that was read, and start anew after another writer. The decision
 * is asked again each time, so that it never rests on an old state.
 */
import { newBead, type Bead, type NewBead } from '../../machines/ledger/bead.ts';
import { closeOnce } from '../../machines/ledger/changes.ts';
import { LedgerFault } from '../../state/ledger/fault.ts';
import { LEDGER } from '../../state/ledger/policy.ts';
import type { Ledger, WriteCondition } from '../../state/ledger/port.ts';
import { newId, newWrite } from './ids.ts';

const busy = (id: string): LedgerFault =>
  new LedgerFault('ledger_busy', `${id} was changed by others ${LEDGER.maxTries} times in a row; try again`);

/**
 * What `decide` makes of the bead, stored; the bead itself where it changes nothing; null = there is none. Throws what
 * `decide` throws.
 */
export const changeBead = (ledger: Ledger, id: string, decide: (bead: Bead) => Bead): Promise<Bead | null> =>
  changed(ledger, id, decide, () => ({}));

/** As `changeBead`; what `decide` makes official becomes so in the same write. Of patrols, and of doors, which know who calls. */
export const changeOfficially = (ledger: Ledger, id: string, decide: (bead: Bead) => Bead): Promise<Bead | null> =>
  changed(ledger, id, decide, ({ official }) => ({ official }));

async function changed(
  ledger: Ledger,
  id: string,
  decide: (bead: Bead) => Bead,
  more: (next: Bead) => Pick<WriteCondition, 'official'>,
): Promise<Bead | null> {
  const write = newWrite();
  let [read] = await ledger.beads([id]);
  for (let tries = 0; tries < LEDGER.maxTries; tries += 1) {
    if (read === undefined) return null;
    const next = decide(read);
    if (next === read) return read;
    const put = await ledger.put(next, { expects: read.version, write, ...more(next) });
    if (put.is === 'done') return put.bead;
    read = put.bead ?? undefined;
  }
  throw busy(id);
}

/** Over, unless it is already; null = there is none. */
export const closeBead = (ledger: Ledger, id: string, reason: string, now: number): Promise<Bead | null> =>
  changeBead(ledger, id, (bead) => closeOnce(bead, reason, new Date(now).toISOString()));

/** A new bead under a free id. */
export async function createBead(
  ledger: Ledger,
  given: Omit<NewBead, 'id'>,
  {
    prefix,
    kind,
    ...more
  }: { readonly prefix: string; readonly kind: '' | 'wisp' | 'cv' } & Pick<WriteCondition, 'official'>,
): Promise<Bead> {
  const write = newWrite();
  for (let tries = 0; tries < LEDGER.maxTries; tries += 1) {
    const put = await ledger.put(newBead({ ...given, id: newId(prefix, kind) }), { expects: 0, write, ...more });
    if (put.is === 'done') return put.bead;
  }
  throw busy(prefix);
}

/** A new bead for which these wait from the first moment on: stored with them in one write, where the door lets several in at once. */
export async function createBefore(
  ledger: Ledger,
  given: Omit<NewBead, 'id'>,
  { waiting, prefix, link }: { readonly waiting: readonly string[]; readonly prefix: string; readonly link: Link },
): Promise<Bead> {
  for (let tries = 0; tries < LEDGER.maxTries; tries += 1) {
    const id = newId(prefix, '');
    const found = await ledger.beads([id, ...waiting]);
    if (found.some((one) => one.id === id)) continue;
    const linked = found.map((one) => ({
      bead: link(one, id),
      condition: { expects: one.version, write: newWrite() },
    }));
    const made = { bead: newBead({ ...given, id }), condition: { expects: 0, write: newWrite() } };
    const [put, ...puts] = await ledger.putAll([made, ...linked]);
    if (put?.is !== 'done') throw busy(id);
    // Another writer came between.
    for (const [nth, one] of puts.entries())
      if (one.is !== 'done') await changeBead(ledger, linked[nth]?.bead.id ?? '', (bead) => link(bead, id));
    return put.bead;
  }
  throw busy(prefix);
}
type Link = (bead: Bead, on: string) => Bead;
