/**
 * Lives that nobody can judge though tmux answers: an agent that outlived its pane, a process that cannot be looked at. Unknown
 * changes nothing (law 1), so such a session would neither run nor be started again, unseen, for ever (law 9).
 * One episode each when it lasts; that it was told stands in its record, so its end is told by whatever town sees it. Each
 * process raises it anew: an alarm that a crash of the town swallowed is not lost.
 */
import type { EpisodeName, Instant, Order, SeenSession, SessionRecord, Stamp } from '../protocol.ts';
import { alertOrder, endAlert, isOf, type SessionsState, type Turn } from './state.ts';

const episodeOf = (name: string): EpisodeName => `life-unknown/${name}`;

function alertOf({ spec: { name }, incarnation }: SessionRecord, now: Stamp): Order {
  const pid = incarnation?.agent.pid ?? 'unknown';
  const text = `Nobody can tell whether ${name} lives (pid ${pid}), though tmux answers: its process outlived its pane, or cannot be looked at. It is neither judged nor started again meanwhile. Look at the process, or end it (town session kill ${name} --force); once it is gone, the town goes on.`;
  return alertOrder({ episode: episodeOf(name), severity: 'medium', session: name, text }, now);
}

/** What lives that were seen as unknown, or are known again, change; nothing while all are known. */
export function noteUnknown(book: SessionsState, seen: readonly SeenSession[], now: Stamp): Turn {
  const since: Record<string, Instant | null> = {};
  const changed: Record<string, SessionRecord> = {};
  const orders: Order[] = [];
  for (const s of seen) {
    const { name, uuid, life } = s;
    const r = book.records[name];
    if (!r || !isOf(r, s)) continue;
    if (life === 'unknown') {
      const { [uuid]: began = now.at } = book.unknownLives;
      const isDue = began !== null && now.at - began >= book.policy.unknownAlarmMs;
      since[uuid] = isDue ? null : began;
      if (!isDue) continue;
      if (r.unknownTold !== true) changed[name] = { ...r, unknownTold: true };
      orders.push(alertOf(r, now));
    } else if (r.unknownTold === true) {
      const { unknownTold: _, ...known } = r;
      changed[name] = known;
      orders.push(endAlert(episodeOf(name), `It is known again whether ${name} lives.`));
    }
  }
  const isQuiet = Object.keys(since).length === 0 && Object.keys(book.unknownLives).length === 0;
  return {
    book: {
      ...(!isQuiet && { unknownLives: since }),
      ...(Object.keys(changed).length > 0 && { records: { ...book.records, ...changed } }),
    },
    orders,
  };
}
