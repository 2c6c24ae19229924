/**
 * Turns wisps into one closed bead with a line for each, and deletes them. The digest's id comes from theirs, so that a
 * process killed half way repeats the same step, and no line appears twice.
 */
import { createHash } from 'node:crypto';
import { newBead, type Bead } from '../../machines/ledger/bead.ts';
import { close } from '../../machines/ledger/changes.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { isAcked, isEscalation } from './escalations.ts';
import { PREFIX } from './ids.ts';
import { beadsCalled } from './walk.ts';

const DIGEST_SIGNS = 12;

export type Squashed =
  | { readonly ok: true; readonly digest: Bead }
  /** Nothing was done: the bead is not there, is worth keeping, or is a question that no answer came to (P-11). */
  | { readonly ok: false; readonly is: 'missing' | 'no wisp' | 'an open question'; readonly id: string };

interface Wanted {
  /** Title of the digest; undefined = it counts them. */
  readonly summary: string | undefined;
  readonly by: string;
  readonly at: string;
}

function digestOf(id: string, wisps: readonly Bead[], { summary, by, at }: Wanted): Bead {
  const lines = wisps.map((one) => `${one.id} (${one.status}) ${one.title}: ${one.closeReason}`);
  const title = summary ?? `digest of ${wisps.length} wisps`;
  const made = newBead({ id, title, description: lines.join('\n'), labels: ['digest'], createdBy: by, createdAt: at });
  return close(made, 'squashed', at);
}

export async function squashWisps(ledger: Ledger, words: readonly string[], wanted: Wanted): Promise<Squashed> {
  const ids = [...new Set(words)].sort();
  const sum = createHash('sha256').update(ids.join(' ')).digest('hex').slice(0, DIGEST_SIGNS);
  const id = `${PREFIX}-digest-${sum}`;
  const [before] = await ledger.beads([id]);
  const wisps = await beadsCalled(ledger, ids);
  const missing = ids.find((one) => !wisps.some((wisp) => wisp.id === one));
  if (missing !== undefined && before === undefined) return { ok: false, is: 'missing', id: missing };
  const kept = wisps.find(({ isWisp }) => !isWisp);
  if (kept !== undefined) return { ok: false, is: 'no wisp', id: kept.id };
  const asks = wisps.find((one) => isEscalation(one) && one.status !== 'closed' && !isAcked(one));
  if (asks !== undefined && before === undefined) return { ok: false, is: 'an open question', id: asks.id };
  const digest = before ?? digestOf(id, wisps, wanted);
  if (before === undefined) await ledger.put(digest, { expects: 0, write: id });
  for (const wisp of wisps) await ledger.remove(wisp.id, wisp.version);
  return { ok: true, digest };
}
