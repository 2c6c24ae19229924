/** Beads of a list by their ids, where there is a ledger: opening one makes it. */
import type { Bead } from '../../../machines/ledger/bead.ts';
import { FILES } from '../../../state/files/layout.ts';
import { beadsCalled } from '../../ledger/walk.ts';
import type { Context } from '../context.ts';
import { withLedger } from './ledger.ts';

/** Those of these that are there. */
export async function beadsOnRecord(context: Context, ids: readonly string[]): Promise<readonly Bead[]> {
  if (ids.length === 0 || (await (await context.disk()).stat(FILES.ledger)) === null) return [];
  return withLedger(context, (ledger) => beadsCalled(ledger, ids));
}

/** By id. Never rejects. */
export async function titlesOf(context: Context, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = await beadsOnRecord(context, ids).catch(() => []);
  return new Map(found.map(({ id, title }) => [id, title]));
}
