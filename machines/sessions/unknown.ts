/**
 * Lives that nobody can judge though tmux answers: an agent that outlived its pane, a process that cannot be looked at. Unknown
 * changes nothing (law 1), so such a session would neither run nor be started again, unseen, for ever (law 9). That it lasts
 * stands in its record, which is what a person is told by (alerts.ts).
 */
import type { Instant, SeenSession, SessionRecord, Stamp } from '../protocol.ts';
import { isOf, type SessionsState } from './state.ts';

/** What lives that were seen as unknown, or are known again, change; nothing while all are known. */
export function noteUnknown(book: SessionsState, seen: readonly SeenSession[], now: Stamp): Partial<SessionsState> {
  const since: Record<string, Instant> = {};
  const changed: Record<string, SessionRecord> = {};
  for (const s of seen) {
    const { name, uuid, life } = s;
    const r = book.records[name];
    if (!r || !isOf(r, s)) continue;
    if (life === 'unknown') {
      const { [uuid]: began = now.at } = book.unknownLives;
      since[uuid] = began;
      if (r.unknownTold !== true && now.at - began >= book.policy.unknownAlarmMs)
        changed[name] = { ...r, unknownTold: true };
    } else if (r.unknownTold === true) {
      const { unknownTold: _, ...known } = r;
      changed[name] = known;
    }
  }
  const isQuiet = Object.keys(since).length === 0 && Object.keys(book.unknownLives).length === 0;
  return {
    ...(!isQuiet && { unknownLives: since }),
    ...(Object.keys(changed).length > 0 && { records: { ...book.records, ...changed } }),
  };
}
