/**
 * What a hearing leaves to a person is told to them before any requester reads its verdict, also over deaths in between (law 7).
 */
import { of, type EntryOf, type Log } from './log.ts';

/** Episodes that are left to a person; others about a hearing (its length, how often) stand for none of them. */
const LEFT = /^(dance-escalated|dance-failed|dance-survivors|needs-input)\//;

/** Of the account that sessions share, or of a session whose account is not known. */
const ACCOUNT = /^account-logged-out\/(.+)/;

/** Why a person must know; null = nothing is left to them. */
function needOf({ verdict, reason, survivors }: EntryOf<'told'>): string | null {
  if (verdict === 'escalated' || verdict === 'failed') return `was told ${verdict}`;
  if (survivors > 0) return `was told ${verdict} with ${survivors} survivor(s)`;
  return verdict === 'pardoned' && reason.startsWith('blocked on a person')
    ? 'was told that its agent is blocked'
    : null;
}

/** `alone`: sessions that share no account with others. */
export function judgeAlerts(log: Log, alone: readonly string[] = []): string[] {
  const alerted = new Set<string>();
  const told = of(log, 'alerted').flatMap(({ episode }) => ACCOUNT.exec(episode)?.[1] ?? []);
  const accounts = new Set(told.filter((one) => !alone.includes(one)));
  const found =
    accounts.size > 1 ? [`one dead login was alerted as ${accounts.size}: ${[...accounts].join(', ')}`] : [];
  for (const entry of log) {
    if (entry.what === 'alerted' && LEFT.test(entry.episode)) alerted.add(entry.dance);
    if (entry.what !== 'told') continue;
    const need = needOf(entry);
    if (need !== null && !alerted.has(entry.dance))
      found.push(`${entry.warrant} ${need} (${entry.dance}), and no person was alerted before`);
  }
  return found;
}
