/**
 * Spells of stability: who died and now lives on for long enough is as good as new (C-6). Counted at each scan in memory, on
 * record in steps: a restart would otherwise cost a write every two seconds for ten minutes. What a kill -9 takes of a spell
 * only makes it longer.
 */
import type { Ms, SeenSession, SessionRecord, Stamp } from '../protocol.ts';
import { isOf, type SessionsState } from './state.ts';
import { CALM } from './lifecycle.ts';

/** Nothing is counted against it. */
export const isCalm = (r: SessionRecord): boolean => r.streak === 0 && !r.crashLoop;

/** What one more scan that saw them alive changes; nothing while all are calm. */
export function noteStable(book: SessionsState, seen: readonly SeenSession[], now: Stamp): Partial<SessionsState> {
  const { policy, scannedAt } = book;
  const spentMs = scannedAt === null ? 0 : Math.max(0, Math.min(now.at - scannedAt, 2 * policy.scanEveryMs));
  const stepMs = policy.stableMs / policy.stableSteps;
  const settling: Record<string, Ms> = {};
  const changed: Record<string, SessionRecord> = {};
  for (const s of seen) {
    const { name, uuid, life } = s;
    const r = book.records[name];
    if (!r || isCalm(r) || !isOf(r, s)) continue;
    const stableMs = (book.settling[uuid] ?? r.stableMs) + (life === 'alive' ? spentMs : 0);
    if (life === 'unknown' || (life === 'alive' && stableMs < policy.stableMs)) {
      settling[uuid] = stableMs;
      if (stableMs - r.stableMs >= stepMs) changed[name] = { ...r, stableMs };
    } else if (life === 'alive') {
      changed[name] = { ...r, stableMs: 0, streak: 0, crashLoop: false, restartAgesMs: [], ...CALM };
    }
  }
  const isQuiet = Object.keys(settling).length === 0 && Object.keys(book.settling).length === 0;
  return {
    ...(!isQuiet && { settling }),
    ...(Object.keys(changed).length > 0 && { records: { ...book.records, ...changed } }),
  };
}
