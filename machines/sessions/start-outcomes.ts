/**
 * What came of a start (C-6).
 * 1. An order that failed may have got through, so it is repeated under the same uuid; one that did not gets a new one.
 * 2. A start that fails again and again is tried on at the pace of restarts, and a person is told.
 */
import type { Ms, Order, OutcomeBody, Reply, SessionRecord, Stamp } from '../protocol.ts';
import {
  isStopping,
  NOT_LIVE,
  NOTHING,
  paneKey,
  refusal,
  replies,
  viewOf,
  withSession,
  type SessionsState,
  type Turn,
  woken,
} from './state.ts';
import { scanSoon } from './starts.ts';
import { forgotten } from './remove.ts';
import { takenWait, waitFor } from './lifecycle.ts';
import { filing, laidDown } from './stop.ts';

type Started = Extract<OutcomeBody, { type: 'SESSION_STARTED' }>;
/** A start got through. One that nobody waits for any more changes nothing. */
export function recordStart(book: SessionsState, { incarnation, tokenHash }: Started, now: Stamp): Turn {
  const r = book.records[incarnation.session];
  if (r?.pending !== incarnation.uuid) return NOTHING;
  const { failedStarts: _, nameTaken: _taken, ...rest } = r;
  const record: SessionRecord = {
    ...rest,
    state: 'running',
    incarnation,
    tokenHash,
    pending: null,
    restarts: r.restarts + (r.startedAt === null ? 0 : 1),
    stableMs: 0,
    startedAt: now.wall,
    note: isStopping(r) ? r.note : 'running',
  };
  const { name } = r.spec;
  const rpc = book.live[name]?.rpc ?? null;
  const { [name]: _person, ...personSince } = book.personSince;
  const orders = [...replies(rpc, { ok: true, value: viewOf(record) }), ...filing(record)];
  const changes = woken(book, { ...withSession(book, record, NOT_LIVE), personSince });
  const isDead = paneKey(incarnation.server.pid, incarnation.paneId) in book.deaths;
  // Its death was told before its start was: the look that followed did not know it yet.
  return { book: isDead ? { ...changes, ...scanSoon({ ...book, ...changes }, now) } : changes, orders };
}

type NotStarted = Extract<OutcomeBody, { type: 'SESSION_NOT_STARTED' | 'ORDER_FAILED' }>;
/** A start did not get through, or nobody knows. */
export function notStarted(book: SessionsState, re: string, failed: NotStarted, now: Stamp): Turn {
  const r = Object.values(book.records).find((x) => x.pending !== null && re === `sessions/start/${x.pending}`);
  if (!r) return NOTHING;
  if (failed.type === 'SESSION_NOT_STARTED' && isStopping(r)) return stoppedBefore(book, r, now);
  if (failed.type === 'SESSION_NOT_STARTED' && failed.personMs !== undefined)
    return waitsForPerson(book, r, { why: failed.why, personMs: failed.personMs }, now);
  const { name } = r.spec;
  const rpc = book.live[name]?.rpc ?? null;
  const orders = replies(rpc, refusalOf(name, failed));
  const isKnown = failed.type === 'SESSION_NOT_STARTED';
  if (rpc !== null && isKnown) return notTriedOn(book, r, failed, { orders, now });
  const state = isKnown ? ({ state: 'backing_off', pending: null } as const) : ({ state: 'starting' } as const);
  const nameTaken = isTaken(failed) || (!isKnown && r.nameTaken === true);
  const { nameTaken: _, ...rest } = r;
  const record: SessionRecord = {
    ...{ ...rest, ...state, ...triedAgain(r, failed, book) },
    ...(nameTaken && { nameTaken }),
  };
  return { book: woken(book, withSession(book, record, { dueAt: now.at + record.waitMs, rpc: null })), orders };
}

/** An operator wanted it ended meanwhile: it never began. */
function stoppedBefore(book: SessionsState, r: SessionRecord, now: Stamp): Turn {
  const { name } = r.spec;
  const rpc = book.live[name]?.rpc ?? null;
  const record = laidDown(r, r.asked?.operatorAt ?? now.wall);
  return {
    book: woken(book, withSession(book, record, NOT_LIVE)),
    orders: replies(rpc, refusal('stopped', `session ${name} was stopped before it was started`)),
  };
}

/** Whoever asked for it is told, and sees to it. */
function notTriedOn(
  book: SessionsState,
  r: SessionRecord,
  failed: NotStarted,
  { orders, now }: { readonly orders: readonly Order[]; readonly now: Stamp },
): Turn {
  const { name } = r.spec;
  const isMissing = failed.type === 'SESSION_NOT_STARTED' && failed.missing === true;
  // Of a name that was never anything but a mistake nothing stays.
  if (isMissing && r.incarnation === null && r.configured === undefined) {
    const without = forgotten(book, r, now, null);
    return { book: without.book, orders: [...orders, ...without.orders] };
  }
  const { nameTaken: _, ...rest } = r;
  const record: SessionRecord = { ...rest, state: 'ended', pending: null, note: textOf(name, failed) };
  return { book: woken(book, withSession(book, record, NOT_LIVE)), orders };
}

/** How the note of one begins that waits for a person. */
export const WAITS = 'waits with its start';

/** A person is at the keys of the pane that its last life left (law 6): it starts when they are gone, and whoever waits too long is told of. */
function waitsForPerson(book: SessionsState, r: SessionRecord, met: { why: string; personMs: Ms }, now: Stamp): Turn {
  const { name } = r.spec;
  const since = book.personSince[name] ?? now.at;
  const isLong = r.nameTaken === true || now.at - since > met.personMs;
  const note = `${WAITS}: ${met.why}`;
  const record: SessionRecord = {
    ...{ ...r, state: 'backing_off', pending: null, waitMs: takenWait(r, book.policy, book.entropy), note },
    ...(isLong && { nameTaken: true }),
  };
  const live = { dueAt: now.at + record.waitMs, rpc: null };
  const personSince = { ...book.personSince, [name]: since };
  const text = `session ${name} ${note}; a start by an operator does not wait: town session start ${name}`;
  return {
    book: woken(book, { ...withSession(book, record, live), personSince }),
    orders: replies(book.live[name]?.rpc ?? null, refusal('person', text)),
  };
}

const isTaken = (failed: NotStarted): boolean => failed.type === 'SESSION_NOT_STARTED' && failed.taken;

const textOf = (name: string, failed: NotStarted): string =>
  failed.type === 'SESSION_NOT_STARTED'
    ? `session ${name} was not started: ${failed.why}`
    : `nobody knows whether session ${name} was started (${failed.why}); the town goes on trying`;

function refusalOf(name: string, failed: NotStarted): Reply {
  if (failed.type === 'ORDER_FAILED') return refusal('start_pending', textOf(name, failed));
  if (failed.missing === true) return refusal('no_program', textOf(name, failed), 2);
  return failed.taken ? refusal('name_taken', textOf(name, failed), 5) : refusal('not_started', textOf(name, failed));
}

/** How it is tried again. Somebody else in it is no failure of its own. */
function triedAgain(
  r: SessionRecord,
  failed: NotStarted,
  { policy, entropy }: SessionsState,
): Pick<SessionRecord, 'streak' | 'failedStarts' | 'waitMs' | 'note'> {
  if (isTaken(failed)) {
    const { streak, failedStarts } = r;
    return { streak, failedStarts, waitMs: takenWait(r, policy, entropy), note: `the name is taken: ${failed.why}` };
  }
  const { name } = r.spec;
  const streak = r.streak + 1;
  const waitMs = waitFor(streak, policy, entropy, `${name}/start/${streak}`);
  const text = textOf(name, failed);
  const note = failed.type === 'SESSION_NOT_STARTED' ? `${text}; tried again` : text;
  return { streak, failedStarts: (r.failedStarts ?? 0) + 1, waitMs, note };
}
