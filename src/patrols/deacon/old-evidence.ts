/**
 * P-16: evidence goes after a month, but the newest of each author, by which patrols and escalations know what they did last. Its author
 * decides nothing here: an agent in a loop fills no disk for ever.
 */
import { LEDGER } from '../../../state/ledger/policy.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { items } from '../../ledger/walk.ts';
import { knownSpans } from '../../ports/age.ts';
import { PATROL_HANDS } from '../policy.ts';

/** Resolves with false where there is more than one look forgets. */
export async function forgetOldEvidence(ledger: Ledger, now: number): Promise<boolean> {
  // By a clock that was set ahead everything would be old.
  const before = Math.min(now, ...(knownSpans() ?? []).map(({ until }) => until)) - PATROL_HANDS.evidenceMs;
  let left: number = PATROL_HANDS.maxForgotten;
  for await (const { author } of items((page) => ledger.newestOfEach(page))) {
    for (let gone: number = LEDGER.maxPage; gone === LEDGER.maxPage; left -= gone) {
      if (left <= 0) return false;
      gone = await ledger.forgetEvidence(author, before);
    }
  }
  return true;
}
