/**
 * `town report`: the morning digest (V-3), from the journal and what waits for a person now; works with the town down.
 * The town calls no model: 0 calls is part of every report, since none is ever made.
 */
import { readJournal } from '../../../state/journal.ts';
import { STATE } from '../../../state/files/policy.ts';
import { asking } from '../story/asking.ts';
import { overseerWaits } from '../story/waits.ts';
import { digestOf } from '../../journal/digest.ts';
import { reportLength } from '../story/since.ts';
import { reportText, type Report } from '../story/report-text.ts';
import type { Context } from '../context.ts';
import { note } from '../../terminal/print.ts';

/** So much earlier lines are read to know what was under way when the stretch began; a hearing that old is put away. */
const BEFORE_MS = STATE.completedMs;

async function isUp(context: Context): Promise<boolean> {
  return (await context.askIfUp(async (town) => town.status())) !== null;
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
  const { questions } = asking(waiting.alerts, waiting.mail);
  const [from, to] = [new Date(since).toISOString(), new Date(until).toISOString()];
  const data: Report = { since: from, until: to, running, ...digest, waiting, questions, under_way, model_calls: 0 };
  context.answer('report', data, () => reportText(data, lengthMs));
}
