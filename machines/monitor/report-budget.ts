/**
 * How many reports of one life its orchestrators get (M-5, law 8): an hour's number at once, then one for each that the hour gives
 * back. A report beyond that waits, and a newer one takes its place. Pure.
 */
import { HOUR_MS } from './policy.ts';
import type { Ms, SentReports, Stamp } from '../protocol.ts';
import type { MonitorPolicy } from './policy.ts';

/** How soon the budget has one report more. */
export const reportPaceMs = ({ reportsPerHour }: Pick<MonitorPolicy, 'reportsPerHour'>): Ms => HOUR_MS / reportsPerHour;

/** Once the budget is whole, nothing counts as left out any more. */
export const renewBudget = (sent: SentReports | undefined, now: Stamp): SentReports | undefined =>
  sent === undefined || sent.spentUntil > now.wall ? sent : { ...sent, leftOut: 0, waiting: null };

/** After the report `key`, which was not sent; `waiting` null = it is sent now. */
export function afterReport(
  before: SentReports | undefined,
  key: string,
  policy: MonitorPolicy,
  { wall }: Stamp,
): SentReports {
  const pace = reportPaceMs(policy);
  // A clock that was set back makes no report wait for more than one step of the budget.
  const spentUntil = Math.min(Math.max(before?.spentUntil ?? wall, wall), wall + HOUR_MS);
  const isReplaced = before !== undefined && before.waiting !== null && before.waiting !== key;
  const leftOut = (before?.leftOut ?? 0) + (isReplaced ? 1 : 0);
  if (before !== undefined && spentUntil + pace > wall + HOUR_MS)
    return { ...before, spentUntil, leftOut, waiting: key };
  return { key, spentUntil: spentUntil + pace, leftOut, waiting: null };
}
