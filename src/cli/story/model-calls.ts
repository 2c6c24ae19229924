/** How often the town itself called a model: only triage does, and only where a reasoner is configured. */
import { FILES } from '../../../state/files/layout.ts';
import { textOf } from '../../../state/files/disk.ts';
import { note } from '../../terminal/print.ts';
import { withLedger } from '../asking/ledger.ts';
import type { Context } from '../context.ts';

/** Of a root without a ledger none was: no ledger is made for the question. null = unknown. */
export async function modelCalls(context: Context, since: number): Promise<number | null> {
  if ((await (await context.disk()).stat(FILES.ledger)) === null) return 0;
  const { modelCallsSince } = await import('../../triage/run.ts');
  return withLedger(context, (ledger) => modelCallsSince(ledger, since)).catch((error: unknown) => {
    note(`how often a model was called is not known: ${textOf(error)}`);
    return null;
  });
}

export const modelCallsText = (calls: number | null): string =>
  calls === 1 ? '1 model call' : `${calls ?? 'an unknown number of'} model calls`;
