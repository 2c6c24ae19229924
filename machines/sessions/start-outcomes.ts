/**
 * What came of a start (C-6).
 * 1. An order that failed may have got through, so it is repeated under the same uuid; one that did not gets a new one.
 * 2. A start that fails again and again is tried on at the pace of restarts, and a person is told.
 */
import type { Ms, Order, OutcomeBody, Reply, SessionRecord, Stamp } from '../protocol.ts';
import {
  alertOrder,
  endAlert,
  endNameTaken,
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
import { isFailing, startFailing, takenWait, waitFor } from './lifecycle.ts';
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
  const orders = [
    ...replies(rpc, { ok: true, value: viewOf(record) }),
    ...endNameTaken(r, `${name} is started.`),
    ...(isFailing(r, book.policy) ? [endAlert(startFailing(name), `${name} is started.`)] : []),
    ...filing(record),
  ];
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
  const orders: Order[] = [...replies(rpc, refusalOf(name, failed))];
  const isKnown = failed.type === 'SESSION_NOT_STARTED';
  if (isKnown && !isTaken(failed)) orders.push(...endNameTaken(r, `Nobody else is in ${name} any more.`));
  if (rpc !== null && isKnown) return notTriedOn(book, r, failed, { orders, now });
  const state = isKnown ? ({ state: 'backing_off', pending: null } as const) : ({ state: 'starting' } as const);
  const nameTaken = isTaken(failed) || (!isKnown && r.nameTaken === true);
  const { nameTaken: _, ...rest } = r;
  const record: SessionRecord = {
    ...{ ...rest, ...state, ...triedAgain(r, failed, book) },
    ...(nameTaken && { nameTaken }),
  };
  if (isTaken(failed)) orders.push(takenAlert(name, failed.why, now));
  else if (isFailing(record, book.policy)) orders.push(failingAlert(record, failed.why, now));
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
  const over = isTaken(failed) ? endNameTaken(r, `${name} was tried by hand and is not tried on.`) : [];
  return { book: woken(book, withSession(book, record, NOT_LIVE)), orders: [...orders, ...over] };
}

/** A person is at the keys of the pane that its last life left (law 6): it starts when they are gone, and whoever waits too long is told of. */
function waitsForPerson(book: SessionsState, r: SessionRecord, met: { why: string; personMs: Ms }, now: Stamp): Turn {
  const { name } = r.spec;
  const since = book.personSince[name] ?? now.at;
  const isLong = r.nameTaken === true || now.at - since > met.personMs;
  const note = `waits with its start: ${met.why}`;
  const record: SessionRecord = {
    ...{ ...r, state: 'backing_off', pending: null, waitMs: takenWait(r, book.policy, book.entropy), note },
    ...(isLong && { nameTaken: true }),
  };
  const live = { dueAt: now.at + record.waitMs, rpc: null };
  const personSince = { ...book.personSince, [name]: since };
  const text = `session ${name} ${note}; a start by an operator does not wait: town session start ${name}`;
  return {
    book: woken(book, { ...withSession(book, record, live), personSince }),
    orders: [
      ...replies(book.live[name]?.rpc ?? null, refusal('person', text)),
      ...(isLong ? [personAlert(name, met.why, now)] : []),
    ],
  };
}

function personAlert(name: string, why: string, now: Stamp): Order {
  const text = `${name} waits with its start, since ${why}, in the pane that its last life left. It starts once nobody types there; or by hand: town session start ${name}`;
  return alertOrder({ episode: `name-taken/${name}`, severity: 'medium', session: name, text }, now);
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

function takenAlert(name: string, why: string, now: Stamp): Order {
  const text = `${name} cannot be started again: ${why}. It is tried on; free the name, or adopt what is in it.`;
  return alertOrder({ episode: `name-taken/${name}`, severity: 'medium', session: name, text }, now);
}

/** Raised at every failure from then on: an alarm that a crash of the town swallowed is not lost. */
function failingAlert({ spec: { name }, failedStarts = 0 }: SessionRecord, why: string, now: Stamp): Order {
  const text = `${name} could not be started ${failedStarts} times in a row (last: ${why}). It is tried on at a slower pace. After mending it: town session start ${name}`;
  return alertOrder({ episode: startFailing(name), severity: 'high', session: name, text }, now);
}
