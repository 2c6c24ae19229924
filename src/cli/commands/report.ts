/**
 * `town report`: the morning digest (V-3), from the journal and what waits for a person now; works with the town down.
 * How often a model was called is part of every report: only triage does, and only where a reasoner is configured.
 */
import { readJournal } from '../../../state/journal.ts';
import { textOf } from '../../../state/files/disk.ts';
import { FILES } from '../../../state/files/layout.ts';
import { STATE } from '../../../state/files/policy.ts';
import { asking } from '../story/asking.ts';
import { overseerWaits } from '../story/waits.ts';
import { digestOf } from '../../journal/digest.ts';
import { reportLength } from '../story/since.ts';
import { reportText, type Report } from '../story/report-text.ts';
import type { Context } from '../context.ts';
import { withLedger } from '../asking/ledger.ts';
import { note } from '../../terminal/print.ts';

/** So much earlier lines are read to know what was under way when the stretch began; a hearing that old is put away. */
const BEFORE_MS = STATE.completedMs;

async function isUp(context: Context): Promise<boolean> {
  return (await context.askIfUp(async (town) => town.status())) !== null;
}

/** Of a root without a ledger none was: no ledger is made for the question. null = unknown. */
async function modelCalls(context: Context, since: number): Promise<number | null> {
  if ((await (await context.disk()).stat(FILES.ledger)) === null) return 0;
  const { modelCallsSince } = await import('../../triage/run.ts');
  return withLedger(context, (ledger) => modelCallsSince(ledger, since)).catch((error: unknown) => {
    note(`how often a model was called cannot be told: ${textOf(error)}`);
    return null;
  });
}

export async function report(context: Context, options: { readonly since?: string }): Promise<void> {
  context.existing();
  const lengthMs = reportLength(options.since, await context.settings());
  const running = await isUp(context);
  const until = Date.now();
  const since = until - lengthMs;
  const lines = readJournal(await context.disk(), { since: since - BEFORE_MS, onUnreadable: note });
  const digest = await digestOf(lines, { since, until, isDown: !running });
  const { under_way, ...waiting } = await overseerWaits(context);
  const calls = await modelCalls(context, since);
  const { questions } = asking(waiting);
  const [from, to] = [new Date(since).toISOString(), new Date(until).toISOString()];
  const data: Report = {
    since: from,
    until: to,
    running,
    ...digest,
    waiting,
    questions,
    under_way,
    model_calls: calls,
  };
  context.answer('report', data, () => reportText(data, lengthMs));
}
