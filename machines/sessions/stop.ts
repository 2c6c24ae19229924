/**
 * What an operator does to one session by intent: it ends, it ends and starts again.
 * 1. The intent is on record before its warrant is filed, and each opening files it again under the same id: a town that was
 *    killed at any step in between goes on with it.
 * 2. It ends as all do whom no hearing is for: the kennel saves its work, then signals, then clears (law 4).
 * 3. What was stopped is started by a person only (isRetired); a crash loop is over with the order.
 * 4. What the town did not start it does not stop: it could not start it again as it was.
 */
import { STOP } from '../hearings/dance.ts';
import type { Incarnation, Order, Reply, Request, SessionRecord, Stamp, Warrant, WallMs } from '../protocol.ts';
import {
  isStopping,
  NOT_LIVE,
  order,
  refusal,
  replies,
  viewOf,
  withSession,
  type SessionsState,
  type Turn,
  woken,
} from './state.ts';
import { requestStart, type Call } from './starts.ts';
import { CALM, STOPPED } from './lifecycle.ts';

const FILING = 'sessions/stop/';
const RESTARTED = 'restarted by the operator';
/** Of a uuid, in an id. */
const SHORT = 8;

/** The same for the same order, however often it is filed. */
function warrantOf(target: Incarnation, then: 'restart' | 'end', filedAt: WallMs): Warrant {
  const reason = then === 'end' ? STOPPED : RESTARTED;
  const id = `${STOP}${filedAt}-${target.uuid.slice(0, SHORT)}`;
  return { id, target, reason, requester: 'overseer', filedAt, force: true, via: 'operator' };
}

/** The warrant by which this life ends; null = none does. Without a pane nothing of it could be saved, so the town ends nobody there (C-7). */
function warrantFor(r: SessionRecord): Warrant | null {
  const { state, incarnation, asked } = r;
  if (state !== 'running' || incarnation?.origin !== 'started' || !isStopping(r)) return null;
  return warrantOf(incarnation, asked?.then ?? 'end', asked?.operatorAt ?? 0);
}

/** What files it; nothing for one that is not stopped. */
export function filing(r: SessionRecord): readonly Order[] {
  const warrant = warrantFor(r);
  return warrant === null ? [] : [order(`${FILING}${r.spec.name}/${warrant.id}`, { type: 'fileWarrant', warrant })];
}

/** The warrant of this order could not be written: it is tried again after the next scan. null = it is no such order. */
export function notFiled({ unfiled }: SessionsState, re: string): Turn | null {
  if (!re.startsWith(FILING)) return null;
  const name = re.slice(FILING.length).split('/', 1)[0] ?? '';
  return { book: { unfiled: [...unfiled.filter((one) => one !== name), name] }, orders: [] };
}

/** After a scan: those that could not be written are tried again. */
export function withUnfiled(book: SessionsState, scanned: Turn): Turn {
  if (book.unfiled.length === 0) return scanned;
  const records = scanned.book.records ?? book.records;
  const orders = book.unfiled.flatMap((name) => (records[name] === undefined ? [] : filing(records[name])));
  return { book: { ...scanned.book, unfiled: [] }, orders: [...scanned.orders, ...orders] };
}

/** The record of one that has no life and gets none any more, by an operator's order. */
export function laidDown(r: SessionRecord, operatorAt: WallMs): SessionRecord {
  const { failedStarts: _, nameTaken: _taken, ...rest } = r;
  return {
    ...{ ...rest, state: 'ended', pending: null, waitMs: 0, note: STOPPED },
    ...{ crashLoop: false, streak: 0, restartAgesMs: [], stableMs: 0, ...CALM },
    asked: { uuid: r.incarnation?.uuid ?? '', then: 'end', operatorAt },
  };
}

type Stop = Request & { readonly verb: 'stopSession' };

/** Why it is not stopped so; null = it is. */
function whyNot(
  { isProtected }: SessionsState,
  { name, then, force }: Stop,
  r: SessionRecord | undefined,
): Reply | null {
  const word = then === 'end' ? 'stop' : 'restart';
  if (r === undefined)
    return refusal('unknown_session', `no session ${name} was ever seen here; see \`town session list\``, 2);
  if (r.state === 'observed') {
    const text = `${name} was adopted: the town did not start it and could not start it again as it was. End it in its own pane (town session attach ${name}); or have it heard, and its work saved first: town session kill ${name}`;
    return refusal('adopted', text, 5);
  }
  if (!force && isProtected?.(name) === true) {
    const text = `${name} is protected by [town] protected; an operator may: town session ${word} ${name} --force`;
    return refusal('protected_target', text, 5);
  }
  if (then === 'restart' && r.spec.command.length === 0) {
    const text = `no command for ${name} is known; write it after --: town session start ${name} -- claude`;
    return refusal('no_command', text, 2);
  }
  return null;
}

/** An operator wants it to end, or to end and start again. */
export function requestStop(book: SessionsState, asked: Stop, call: Call, now: Stamp): Turn {
  const { name, then } = asked;
  const r = book.records[name];
  const refused = whyNot(book, asked, r);
  if (r === undefined || refused !== null)
    return { book: {}, orders: refused === null ? [] : replies(call.rpc, refused) };
  switch (r.state) {
    case 'running':
      return ends(book, r, { ...call, then }, now);
    case 'starting':
      return then === 'end' ? endsAtStart(book, r, call, now) : startsAnyway(book, r, call);
    default:
      return then === 'end' ? staysDown(book, r, call, now) : requestStart(book, r.spec, call, now);
  }
}

const calm = { crashLoop: false, streak: 0, restartAgesMs: [], stableMs: 0, ...CALM } as const;

/** It runs: its end is on record, and then its warrant is filed. */
function ends(book: SessionsState, r: SessionRecord, { rpc, then }: Call & Pick<Stop, 'then'>, now: Stamp): Turn {
  const { name } = r.spec;
  const { uuid = '', agent, origin } = r.incarnation ?? {};
  const { failedStarts: _, nameTaken: _taken, ...rest } = r;
  const note = then === 'end' ? 'is being stopped by the operator' : 'is being restarted by the operator';
  const record = { ...rest, ...calm, asked: { uuid, then, operatorAt: now.wall }, note };
  const { live = book.live, records } = withSession(book, record, book.live[name] ?? NOT_LIVE);
  const text = `${name} runs without tmux, where the town ends nobody: it could not save its work. End it yourself: kill ${agent?.pid ?? '<pid>'}; ${then === 'end' ? 'it is not started again' : 'then it starts again'}, that is on record`;
  const reply: Reply =
    origin === 'detached'
      ? refusal('no_pane', text)
      : { ok: true, value: { ...viewOf(record), warrant: warrantFor(record)?.id ?? null } };
  return {
    book: { live, ...(records !== undefined && { records }) },
    orders: [...replies(rpc, reply), ...filing(record)],
  };
}

/** Its start is out, and nobody knows yet what comes of it: what does is ended. */
function endsAtStart(book: SessionsState, r: SessionRecord, { rpc }: Call, now: Stamp): Turn {
  const { name } = r.spec;
  const asked = { uuid: r.pending ?? '', then: 'end', operatorAt: now.wall } as const;
  const record = { ...r, ...calm, asked, note: 'is being stopped by the operator' };
  return {
    book: withSession(book, record, book.live[name] ?? NOT_LIVE),
    orders: [...replies(rpc, { ok: true, value: { ...viewOf(record), warrant: null } })],
  };
}

/** It is being started: that is all a restart wants. */
function startsAnyway(book: SessionsState, r: SessionRecord, { rpc }: Call): Turn {
  const record = r.asked === undefined || r.asked === null ? r : { ...r, asked: null, note: 'starting' };
  return {
    book: record === r ? {} : withSession(book, record, book.live[r.spec.name] ?? NOT_LIVE),
    orders: replies(rpc, { ok: true, value: { ...viewOf(record), warrant: null } }),
  };
}

/** It has no life: it gets none, whatever it waited for and whatever would start it at the town's next start. */
function staysDown(book: SessionsState, r: SessionRecord, { rpc }: Call, now: Stamp): Turn {
  const record = laidDown(r, now.wall);
  const value = { ...viewOf(record), warrant: null, was: r.state };
  return {
    book: woken(book, withSession(book, record, NOT_LIVE)),
    orders: replies(rpc, { ok: true, value }),
  };
}
