/**
 * What siblings want of the sessions: that one runs (the watchdog chain), that one ends because its agent asked (C-10).
 * 1. Wanting what runs, starts or waits for its restart changes nothing: its own rules are at work (law 5).
 * 2. What ended because its agent asked for it, or an operator, is started by a person only; a life of it that is found is taken up.
 * 3. An end that was asked for is durable before its warrant is filed, so whatever happens then, the sequel is known.
 */
import { uuidOf } from '../kernel/seeded-random.ts';
import type { NewsBody, Stamp } from '../protocol.ts';
import {
  isRetired,
  isStopping,
  isTaken,
  isWatched,
  NOT_LIVE,
  NOTHING,
  order,
  withSession,
  type SessionsState,
  type Turn,
  type Wanted,
  woken,
} from './state.ts';
import { renewRecord } from './lifecycle.ts';

/** A session that must run; it is started at once unless somebody sees to it already. */
export function wantSession(book: SessionsState, { spec, uuid }: Wanted, now: Stamp): Partial<SessionsState> {
  const old = book.records[spec.name];
  if (old && (isTaken(old) || old.state === 'backing_off')) return {};
  if (uuid === null && old && isRetired(old)) return {};
  const pending = uuid ?? uuidOf(book.entropy, `${spec.name}/wanted/${book.starts}/${now.at}/${now.wall}`);
  const changes = {
    ...withSession(book, renewRecord(old, spec, pending), { ...NOT_LIVE, dueAt: now.at }),
    starts: book.starts + 1,
  };
  return woken(book, changes);
}

/** What was wanted before the records were read, now that they are. */
export function takeWanted(book: SessionsState, opened: Partial<SessionsState>, now: Stamp): Partial<SessionsState> {
  let all: SessionsState = { ...book, ...opened };
  for (const one of book.wanted) all = { ...all, ...wantSession(all, one, now) };
  const { records, live, starts, wakeAt } = all;
  return { ...opened, records, live, starts, wakeAt, wanted: [] };
}

type EndWanted = NewsBody & { readonly type: 'END_WANTED' };

/** An agent asked for its own end: noted in its record, and carried out by the kennel, which saves its work first. */
export function endWanted(book: SessionsState, { session, uuid, then, id, filedAt, why }: EndWanted): Turn {
  const r = book.records[session];
  if (!r || !isWatched(r) || r.incarnation?.uuid !== uuid) return NOTHING;
  if (isStopping(r)) return NOTHING; // An operator's word stands.
  const isNoted = r.asked?.uuid === uuid && r.asked.then === then;
  const record = isNoted ? r : { ...r, asked: { uuid, then } };
  const warrant = { id, target: r.incarnation, reason: why, requester: session, filedAt, force: true };
  const noted = isNoted ? {} : withSession(book, record, book.live[session] ?? NOT_LIVE);
  // Without a pane nothing of it could be saved, so it is not ended (law 4, C-7): a person is told (alerts.ts).
  if (r.incarnation.origin === 'detached') return { book: noted, orders: [] };
  return {
    book: noted,
    orders: [order(`sessions/end/${id}`, { type: 'fileWarrant', warrant })],
  };
}
