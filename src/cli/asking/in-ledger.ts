/** What the ledger tells of the questions behind alerts, for a list that does without it where it cannot be read. */
import type { Context } from '../context.ts';
import type { OpenAlert } from '../../overview/open-alerts.ts';
import { areInLedger, type InLedger } from '../story/asking.ts';
import { byAlert, wordOf } from '../story/questions.ts';

/** Never rejects. */
export async function inLedger(context: Context, alerts: readonly OpenAlert[] | null): Promise<InLedger> {
  if (!areInLedger(alerts)) return new Map();
  try {
    const found = [...(await byAlert(context))];
    return new Map(
      found.map(([episode, { id, options, type }]) => [episode, { id, words: options.map(wordOf), type }]),
    );
  } catch {
    return new Map();
  }
}
