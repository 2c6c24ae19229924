/**
 * Cells of starts (C-6): who is started, and what came of it.
 * 1. One start of a name at a time; a caller gets exactly one reply.
 * 2. An order that failed may have got through, so it is repeated under the same uuid; one that did not gets a new one.
 * 3. A start that fails again and again is tried on at the pace of restarts, and a person is told.
 */
import { spread, uuidOf } from '../kernel/seeded-random.ts';
import { order } from '../kernel/decision.ts';
import type { Instant, Order, SessionRecord, Stamp } from '../protocol.ts';
import { WORDS } from './policy.ts';
import {
  AT_PEACE,
  differences,
  isFailing,
  renewRecord,
  takenWait,
  withoutCause,
  withoutTrouble,
  waitFor,
} from './lifecycle.ts';
import { loginText } from './account-alerts.ts';
import { refuses, type Anybody, type Events, type Next, type Scene, type Start, type States } from './session.ts';
import { idOf, NOT_LIVE, refusal, replies, viewOf, type Live, type SessionsState } from './state.ts';
import { afterStart, conversationText, whyLeft } from './conversation.ts';
import { endsFirst, NOT_ENDING, startOrder } from './survivors.ts';

type Begun = States['starting'];
type Failed = { readonly why: string };

export const uuidFor = ({ book: { entropy }, starts, now }: Scene, key: string): string =>
  uuidOf(entropy, `${key}/${starts}/${now.at}/${now.wall}`);

/** It is due; who waits at the keys of its pane is the same person still. */
const dueAt = ({ personSince }: Live, at: Instant): Live => ({
  dueAt: at,
  rpc: null,
  ...(personSince !== undefined && { personSince }),
});

/** Starts a new life, at once if the session has its turn. */
export const begins = (
  { name, r, live }: Anybody,
  { spec, by, uuid, rpc, byHand = false }: Start,
  at: Scene,
): Next => ({
  record: renewRecord(r, spec, uuid ?? uuidFor(at, `${name}/${by}`)),
  live: { ...dueAt(live, at.now.at), rpc, byHand },
  drawn: true,
});

/** The same, with the command and folder of the last start. */
export const beginsAgain = (session: States['ended'], start: Events['RESTART_ASKED'], at: Scene): Next =>
  begins(session, { ...start, spec: session.r.spec }, at);

/**
 * A start of one that starts or runs: where it keeps dying it is left as it is and counted anew, else there is nothing to do.
 * Another command cannot be taken while a life runs, or may.
 */
export function insists({ name, r, live }: Begun, { spec, rpc, byHand = false }: Start, { book, now }: Scene): Next {
  if (!r.crashLoop && r.restless !== true && !isFailing(r, book.policy)) {
    const text = `session ${name} is ${r.state} already. See: town session status ${name}`;
    return refuses(rpc, 'already_running', text);
  }
  const [key] = differences(r.spec, spec);
  if (key !== undefined) {
    const text = `session ${name} is ${r.state} already, with another ${key}: end it first (town session stop ${name}), then start it again`;
    return refuses(rpc, 'already_running', text);
  }
  const record = { ...withoutTrouble(r), ...AT_PEACE };
  // It waits for its next try: that one is made now, or in its turn if it waits for that, and its outcome is the reply.
  if (live.dueAt !== null) return { record, live: { ...live, dueAt: Math.min(live.dueAt, now.at), rpc, byHand } };
  return { record, orders: replies(rpc, { ok: true, value: { ...viewOf(record), reset: true } }) };
}

export const isEnding = ({ name }: Anybody, { rpc }: Start): Next => {
  const text = `session ${name} is being ended by an order; once it has ended: town session start ${name}; or, to have it end and start again: town session restart ${name}`;
  return refuses(rpc, 'stopping', text);
};

/** Its record was read: what was starting is started again under the same uuid, what waited waits the rest. */
export const resumes = ({ r }: Begun, _: object, { now }: Scene): Next => ({
  live: { ...NOT_LIVE, dueAt: now.at + (r.state === 'starting' ? 0 : r.waitMs) },
});

/** Its order goes out, or the first of those that end what its earlier lives left. */
export function goes({ name, r, live }: Begun, _: object, at: Scene): Next {
  const pending = r.pending ?? uuidFor({ ...at, starts: at.starts + 1 }, name);
  const record: SessionRecord = { ...r, state: 'starting', pending, waitMs: 0 };
  const first = endsFirst(at.book, record);
  return {
    record,
    live: { ...live, dueAt: null, ...(first !== null && { ending: NOT_ENDING }) },
    orders: [first ?? startOrder(at.book, record, live)],
    drawn: true,
  };
}

/** The start succeeded. */
export function runs(
  { r, live }: Begun,
  { incarnation, tokenHash, program, conversation: spoken, forgets, prompt }: Events['STARTED'],
  { book, now }: Scene,
): Next {
  const { conversation: _, ...before } = withoutTrouble(r);
  const conversation = afterStart(r, { conversation: spoken, prompt }, book.policy);
  // Of a program that says later which one it is in, only what came before tells why.
  const why = r.startedAt === null ? undefined : (forgets ?? whyLeft(r, book.policy));
  const text = conversationText(spoken && conversation, why);
  const record: SessionRecord = {
    ...before,
    ...(conversation !== undefined && { conversation }),
    ...(prompt !== undefined && { prompt }),
    state: 'running',
    incarnation,
    tokenHash,
    pending: null,
    restarts: r.restarts + (r.startedAt === null ? 0 : 1),
    stableMs: 0,
    startedAt: now.wall,
    program,
    note: text === '' ? 'running' : `running; ${text}`,
  };
  const orders = replies(live.rpc, { ok: true, value: viewOf(record) });
  return { record, live: NOT_LIVE, orders: [...wordsTo(record), ...orders] };
}

/** What a life is to hear that its start could not say: said again while it is young, since a kill may have lost it. */
function wordsTo({ state, incarnation, spec, conversation }: SessionRecord): readonly Order[] {
  const text = conversation?.untold;
  if (text === undefined || incarnation === null || state !== 'running') return [];
  const words = { type: 'WORDS_WANTED', session: spec.name, life: incarnation.uuid, text } as const;
  return [order(idOf('words', { life: incarnation.uuid }), { type: 'announce', news: words })];
}

/** Of records that were just read. */
export const wordsAgain = (records: SessionsState['records'], { wall }: Stamp): readonly Order[] =>
  Object.values(records).flatMap((r) =>
    r.startedAt !== null && wall - r.startedAt < WORDS.youngMs && wall >= r.startedAt ? wordsTo(r) : [],
  );

const notStarted = (name: string, why: string): string => `session ${name} was not started: ${why}`;

/** The caller gets the reason and mends it. A name that never had a life leaves no record. */
function givesUp(
  { name, r, live }: Begun,
  { why, missing }: Events['NOT_STARTED'],
  code: string,
  exit: 1 | 2 | 5,
): Next {
  const text = notStarted(name, why);
  const isMistake = missing === true && r.incarnation === null && r.configured === undefined;
  const record: SessionRecord = { ...withoutCause(r), state: 'ended', pending: null, note: text };
  return { record: isMistake ? null : record, live: NOT_LIVE, orders: replies(live.rpc, refusal(code, text, exit)) };
}

/** The n-th wait of a session whose starts fail. */
function failedAgain(r: SessionRecord, { book }: Scene): Pick<SessionRecord, 'streak' | 'failedStarts' | 'waitMs'> {
  const streak = r.streak + 1;
  const waitMs = waitFor(streak, book.policy, book.entropy, `${r.spec.name}/start/${streak}`);
  return { streak, failedStarts: (r.failedStarts ?? 0) + 1, waitMs };
}

/** The start failed: a caller gets the reason; without a caller the town tries again. */
export function fails(session: Begun, failed: Events['NOT_STARTED'], at: Scene): Next {
  const { name, r, live } = session;
  if (failed.heldBack === true) return waitsForWord(session, failed, at);
  if (live.rpc !== null)
    return failed.missing === true
      ? givesUp(session, failed, 'no_program', 2)
      : givesUp(session, failed, 'not_started', 1);
  const note = `${notStarted(name, failed.why)}; tried again`;
  const record: SessionRecord = { ...waitingFor(r, failed), ...failedAgain(r, at), note };
  return { record, live: dueAt(live, at.now.at + record.waitMs) };
}

/** Not before a person's word, which a scan sees: this is no failure of its own, and who asked for it need not ask again. */
function waitsForWord({ name, r, live }: Begun, { why, waits }: Events['NOT_STARTED'], { book, now }: Scene): Next {
  const note = `waits with its start: ${why}`;
  const waitMs = takenWait(r, book.policy, book.entropy);
  return {
    record: { ...waitingFor(r, { waits }), waitMs, note },
    live: { ...NOT_LIVE, dueAt: now.at + waitMs },
    orders: replies(live.rpc, refusal('after_copy', `session ${name} ${note}. It then starts by itself`)),
  };
}

/** A foreign session has its name: this is no failure of its own. */
export function isTakenBy(session: Begun, taken: Events['NAME_TAKEN'], { book, now }: Scene): Next {
  const { r, live } = session;
  if (live.rpc !== null) return givesUp(session, { why: taken.why }, 'name_taken', 5);
  const waitMs = takenWait(r, book.policy, book.entropy);
  const note = `the name is taken: ${taken.why}`;
  const record: SessionRecord = { ...waitingFor(r, taken), waitMs, note, nameTaken: true };
  return { record, live: dueAt(live, now.at + waitMs) };
}

/** Whether it started is unknown: order it again. */
export function doubts({ name, r, live }: Begun, { why }: Failed, at: Scene): Next {
  const text = `it is unknown whether session ${name} was started (${why}); the town goes on trying`;
  const record: SessionRecord = { ...r, ...failedAgain(r, at), note: text };
  return {
    record,
    live: dueAt(live, at.now.at + record.waitMs),
    orders: replies(live.rpc, refusal('start_pending', text)),
  };
}
/** What was out for it failed: its start, or a step before it that ends what its earlier lives left. */
export const fallsShort = (session: Begun, failed: Failed, at: Scene): Next =>
  session.live.ending === undefined ? doubts(session, failed, at) : fails(session, notEnded(failed), at);
const notEnded = ({ why }: Failed): Failed => ({
  why: `what its earlier lives left running could not be ended: ${why}`,
});

/** Its next start has its time, or comes once a scan sees that the cause of the wait has passed. */
const waitingFor = (r: SessionRecord, { waits }: Pick<Events['NOT_STARTED'], 'waits'>): SessionRecord => ({
  ...withoutCause(r),
  state: 'backing_off',
  pending: null,
  ...(waits === true && { startBlocked: true }),
});

/** Its account is logged out: no failure of its own. It starts once the login is back, which a scan sees. */
export function isHeld({ name, r, live }: Begun, { why, account }: Events['LOGGED_OUT'], { book, now }: Scene): Next {
  const { limitRetryMs, jitter } = book.policy;
  const waitMs = spread(limitRetryMs, jitter, book.entropy, `${name}/login/${r.pending ?? ''}`);
  const note = `waits with its start: ${why}`;
  const text = `session ${name} ${note}. ${loginText(book.records, account)} It then starts by itself`;
  return {
    record: { ...waitingFor(r, { waits: true }), account, waitMs, note },
    live: { ...NOT_LIVE, dueAt: now.at + waitMs },
    orders: replies(live.rpc, refusal('logged_out', text)),
  };
}

/** The cause has passed: its start is due. The time that it waits for is only the net under that. */
export const isFree = ({ r, live }: States['waiting'], _: object, { now }: Scene): Next =>
  r.startBlocked === true ? { live: { ...live, dueAt: now.at } } : {};

/** A person is at the keys: it starts when they are gone, and one that waits too long is told. */
export function waitsForIt(
  { name, r, live }: Begun,
  { why, personMs, waits }: Events['PERSON_THERE'],
  { book, now }: Scene,
): Next {
  const personSince = live.personSince ?? now.at;
  const isLong = r.personThere === true || now.at - personSince > personMs;
  const note = `waits with its start: ${why}`;
  const waitMs = takenWait(r, book.policy, book.entropy);
  const text = `session ${name} ${note}; a start by an operator does not wait: town session start ${name}`;
  return {
    record: { ...waitingFor(r, { waits }), waitMs, note, ...(isLong && { personThere: true }) },
    live: { ...NOT_LIVE, dueAt: now.at + waitMs, personSince },
    orders: replies(live.rpc, refusal('person', text)),
  };
}
