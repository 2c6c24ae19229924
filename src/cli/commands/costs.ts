/**
 * `town costs`: what conversations took, as their programs tell it (M-12). The town counts nothing itself and knows no prices; what it
 * called itself stands beside it.
 */
import { sumOf, NOTHING, type Sums } from '../../costs/tally.ts';
import type { CostRow } from '../../costs/view.ts';
import { when } from '../../journal/when.ts';
import { countText, times } from '../../../machines/kernel/span.ts';
import { clean, table } from '../../terminal/print.ts';
import type { Context } from '../context.ts';
import { knownSession } from '../naming/names.ts';
import { sessionCalled } from '../naming/resolve.ts';
import { modelCalls, modelCallsText } from '../story/model-calls.ts';
import { readSince } from '../story/since.ts';
import { costText, sumsText } from '../session-table.ts';

export interface CostsOptions {
  readonly since?: string;
}

/** `costs/1`. */
export interface CostsPage {
  readonly conversations: readonly CostRow[];
  /** Of those that are known; its cost is of those whose program names one. */
  readonly sum: Sums;
  /** Conversations and sessions whose tokens are not known. */
  readonly unknown: number;
  /** By the town itself. null = unknown. */
  readonly model_calls: number | null;
}

export async function costs(context: Context, words: readonly string[], { since }: CostsOptions): Promise<void> {
  context.existing();
  const from = since === undefined ? null : Date.now() - readSince(since);
  const names: string[] = [];
  for (const word of words) names.push(await sessionCalled(context, word));
  const all = await context.ask((town) => town.costs(from));
  for (const name of names) if (!all.some(({ session }) => session === name)) await knownSession(context, name);
  const conversations = all.filter(({ session }) => names.length === 0 || names.includes(session));
  const data: CostsPage = {
    conversations,
    ...totalOf(conversations),
    model_calls: await modelCalls(context, from ?? 0),
  };
  context.answer('costs', data, () => pageOf(data));
}

/** The sum of what is known. */
export function totalOf(rows: readonly CostRow[]): Pick<CostsPage, 'sum' | 'unknown'> {
  const known = rows.flatMap(({ tokens }) => tokens ?? []);
  return { sum: known.reduce((sum, one) => sumOf(sum, one), NOTHING), unknown: rows.length - known.length };
}

const COLUMNS = [
  { head: 'SESSION' },
  { head: 'PROGRAM', drop: 1 },
  { head: 'INPUT', right: true },
  { head: 'CACHED', right: true },
  { head: 'OUTPUT', right: true },
  { head: 'COST', right: true, drop: 3 },
  { head: 'SINCE', drop: 2 },
  { head: 'CONVERSATION' },
] as const;

function pageOf({ conversations, sum, unknown, model_calls: calls }: CostsPage): string {
  const now = Date.now();
  const town = `${modelCallsText(calls)} by the town`;
  if (conversations.length === 0) return `no sessions; ${town}`;
  const rows = conversations.map(({ session, program, conversation, tokens, since }) => [
    session,
    program ?? '-',
    ...(tokens === null
      ? ['-', '-', '-', '-']
      : [countText(tokens.input), countText(tokens.cached), countText(tokens.output), costText(tokens.cost)]),
    since === null ? '-' : when(since, now),
    clean(conversation ?? '-'),
  ]);
  const missing = unknown === 0 ? '' : `, and ${times(unknown, 'conversation')} not known`;
  return [table(COLUMNS, rows), `sum: ${sumsText(sum)}${missing}`, town].join('\n');
}
