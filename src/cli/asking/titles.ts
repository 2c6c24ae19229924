/** The titles of beads, for a list that does without them where the ledger does not tell. */
import { FILES } from '../../../state/files/layout.ts';
import { beadsCalled } from '../../ledger/walk.ts';
import type { Context } from '../context.ts';
import { withLedger } from './ledger.ts';

/** By id. Never rejects. Opening a ledger makes one. */
export async function titlesOf(context: Context, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  try {
    if ((await (await context.disk()).stat(FILES.ledger)) === null) return new Map();
    const found = await withLedger(context, (ledger) => beadsCalled(ledger, ids));
    return new Map(found.map(({ id, title }) => [id, title]));
  } catch {
    return new Map();
  }
}
