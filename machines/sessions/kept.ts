/** What of the sessions is durable: each record, what was forgotten, deaths of the tmux server. */
import type { SavedRecord, SessionRecord, WallMs } from '../protocol.ts';
import type { SessionsState } from './state.ts';

interface Kept {
  readonly deaths: SessionsState['serverDeaths'];
  readonly list: readonly SavedRecord[];
}
const records = new WeakMap<SessionRecord, SavedRecord>();
/** Returns the same object for the same session, so that unchanged records are recognised by identity. */
function recordOf(value: SessionRecord): SavedRecord {
  let kept = records.get(value);
  if (kept === undefined) records.set(value, (kept = { kind: 'session', id: value.spec.name, value }));
  return kept;
}

declare module '../protocol/facts.ts' {
  interface Durable {
    /** The record of this session goes. */
    readonly forgotten: { readonly at: WallMs };
  }
}
/** What this process forgot, unless there is a session of that name again. */
const forgottenIn = (book: SessionsState): SavedRecord[] =>
  Object.entries(book.forgotten).flatMap(([id, at]): SavedRecord[] =>
    id in book.records ? [] : [{ kind: 'forgotten', id, value: { at } }],
  );

const lists = new WeakMap<object, Kept>();
/** The same list for the same book: a thousand quiet sessions are then one comparison. */
export function sessionRecords(book: SessionsState): readonly SavedRecord[] {
  const { records: all, serverDeaths: deaths } = book;
  const kept = lists.get(all);
  if (kept?.deaths === deaths) return kept.list;
  const sessions = [...Object.values(all).map(recordOf), ...forgottenIn(book)];
  const list = deaths === null ? sessions : [...sessions, { kind: 'note', id: 'serverDeaths', value: deaths } as const];
  lists.set(all, { deaths, list });
  return list;
}
