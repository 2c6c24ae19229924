/**
 * `town report`: what became of work, and of sessions, from the ledger, the journal and git (V-3, R-4); works with the town down.
 * How often a model was called is part of every report: only triage does, and only where a reasoner is configured.
 */
import { readJournal } from '../../../state/journal.ts';
import { textOf } from '../../../state/files/disk.ts';
import { Spool } from '../../../state/channels/spool.ts';
import { STATE } from '../../../state/files/policy.ts';
import { inLedger } from '../asking/in-ledger.ts';
import { asking } from '../story/asking.ts';
import { seeWork, type LedgerSeen, type Stretch } from '../story/gather-work.ts';
import { rememberLook, startOf } from '../story/last-look.ts';
import { pageMarkdown, pageText } from '../story/report-page.ts';
import { modelCalls } from '../story/model-calls.ts';
import { overseerWaits } from '../story/waits.ts';
import { workOf } from '../story/work.ts';
import { countsOf } from '../story/work-text.ts';
import { digestOf } from '../../journal/digest.ts';
import { reportPage, type Report } from '../story/report-text.ts';
import type { Context } from '../context.ts';
import { totalOf } from './costs.ts';
import { agedBy } from '../asking/aged.ts';
import { note } from '../../terminal/print.ts';

/** So much earlier lines are read to know what was under way when the stretch began; a hearing that old is put away. */
const BEFORE_MS = STATE.completedMs;

export interface ReportOptions {
  readonly since?: string;
  readonly markdown?: boolean;
}

async function isUp(context: Context): Promise<boolean> {
  return (await context.askIfUp(async (town) => town.status())) !== null;
}

/** What conversations took in the stretch; null = no town runs, or an older one. */
async function tokensOf(context: Context, since: number): Promise<Report['tokens']> {
  const rows = await context.askIfUp(async (town) => town.costs(since)).catch(() => null);
  return rows && { known: rows.length - totalOf(rows).unknown, ...totalOf(rows) };
}

/** null = there is no ledger, or it cannot be read. */
async function workSeen(context: Context, stretch: Stretch): Promise<LedgerSeen | null> {
  return agedBy(context, () => seeWork(context, stretch)).catch((error: unknown) => {
    note(`what became of work is unknown: ${textOf(error)}`);
    return null;
  });
}

export async function report(context: Context, { since: asked, markdown = false }: ReportOptions): Promise<void> {
  context.existing();
  const until = Date.now();
  const { since, is } = await startOf(context, asked, until);
  const running = await isUp(context);
  const lines = readJournal(await context.disk(), { since: since - BEFORE_MS, onUnreadable: note });
  const digest = await digestOf(lines, { since, until, isDown: !running });
  const { under_way, ...waiting } = await overseerWaits(context);
  const calls = await modelCalls(context, since);
  const { alerts } = waiting;
  const { questions } = asking(waiting, await inLedger(context, alerts));
  const seen = await workSeen(context, { since, now: until, worked: digest.worked, alerts, questions });
  const items = seen === null ? null : workOf(seen.work);
  const [from, to] = [new Date(since).toISOString(), new Date(until).toISOString()];
  const sent = await new Spool(await context.disk()).messages(since, until);
  const data: Report = {
    since: from,
    until: to,
    since_is: is,
    running,
    work: items && { counts: countsOf(items), items },
    convoys: seen?.convoys ?? [],
    ...digest,
    waiting,
    questions,
    under_way,
    model_calls: calls,
    tokens: running ? await tokensOf(context, since) : null,
    messages: sent.count,
    messages_told: sent.notices,
  };
  const page = () => reportPage(data, until - since);
  if (markdown) context.answerPlain('report', data, () => pageMarkdown(page()));
  else context.answer('report', data, () => pageText(page()));
  await rememberLook(context, { from: since, at: until });
}
