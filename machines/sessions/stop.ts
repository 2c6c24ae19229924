/**
 * Cells of ends by intent: by order of the operator or the town (it ends; it ends and starts again), and its agent's own (C-10).
 * 1. The intent is on record before its warrant is filed, and each opening files it again under the same id: a town
 *    killed at any step in between goes on with it.
 * 2. It ends without a hearing: the kennel saves its work, then signals, then clears (law 4). Without a pane its work
 *    could not be saved, so it is not ended (C-7), and a person is alerted.
 * 3. Only a person starts again what the operator stopped (callers.ts); the order ends a crash loop. A person at the keys
 *    suspends the end that the town ordered, not the operator's (law 6).
 * 4. The town stops only what it started: it could not start another one again as it was.
 */
import { commandFor } from './background.ts';
import { RENEWAL, STOP } from '../hearings/dance.ts';
import { order } from '../kernel/decision.ts';
import type { Asked, Order, Reply, SessionRecord, Warrant, WallMs } from '../protocol.ts';
import { steadies } from './findings.ts';
import { AT_PEACE, STOPPED, STOPPED_BY_TOWN, withoutTrouble } from './lifecycle.ts';
import { refuses, sessionOf, type Anybody, type Events, type Next, type Scene, type States } from './session.ts';
import { idOf, NOT_LIVE, refusal, replies, viewOf } from './state.ts';
import { doubts, isEnding, runs } from './starts.ts';

/** The caller who gives the order, and waits for the reply. */
type Caller = Pick<Events['RESTART_ASKED'], 'rpc'>;
type Ordering = Pick<Events['RESTART_ASKED'], 'rpc' | 'byHand'>;

/** Why it ends, on its warrant, and then where it stays down. */
const stoppedBy = (byHand: boolean): string => (byHand ? STOPPED : STOPPED_BY_TOWN);
const whoIs = (byHand: boolean): string => (byHand ? 'the operator' : 'the town');
const orderOf = (byHand: boolean, at: WallMs): Pick<Asked, 'operatorAt' | 'townAt'> =>
  byHand ? { operatorAt: at } : { townAt: at };
const RENEWED = 'was restarted, since its account is logged in again and it used the old login';
const BY_TOWN = { requester: 'daemon', via: 'town' } as const;
/** Of a uuid, in an id. */
const SHORT = 8;

/** The same for the same order, however often it is filed. */
function warrantOf({ life: target, then, orderedAt: filedAt, byHand }: States['stopping']): Warrant {
  const reason = then === 'end' ? stoppedBy(byHand) : `restarted by ${whoIs(byHand)}`;
  const id = `${STOP}${filedAt}-${target.uuid.slice(0, SHORT)}`;
  const by = byHand ? ({ requester: 'overseer', via: 'operator' } as const) : BY_TOWN;
  return { id, target, reason, filedAt, force: true, ...by };
}

/** The order that files the warrant by which this one ends; none for one that is not stopped. */
export function filing(r: SessionRecord): readonly (Order & { type: 'fileWarrant' })[] {
  const s = sessionOf(r.spec.name, r);
  if (s.is !== 'stopping' || s.life.origin !== 'started') return [];
  const warrant = warrantOf(s);
  return [{ type: 'fileWarrant', id: idOf('stop', { session: s.name, name: warrant.id }), warrant }];
}
export const filesAgain = ({ r, live }: States['stopping']): Next => ({
  live: { ...live, dueAt: null },
  orders: filing(r),
});
/** It could not be written. */
export const filesLater = ({ live }: States['stopping'], _: object, { book, now }: Scene): Next => ({
  live: { ...live, dueAt: now.at + book.policy.scanEveryMs },
});

/** It is seen alive. Where that is what came of this very order, the note says so; the wish stands, for when it ends by itself. */
export function livesOn(session: States['stopping'], { spared }: Events['SEEN_ALIVE'], at: Scene): Next {
  const { r, live, then } = session;
  const { isSpared: _, ...other } = live;
  if (spared?.stops.includes(warrantOf(session).id) !== true) return steadies({ ...session, live: other }, {}, at);
  const note = `could not be ended: ${spared.why}; ${then === 'end' ? 'not started again' : 'started again'} when it ends`;
  const record = r.note === note ? r : { ...r, note };
  return steadies({ ...session, r: record, live: { ...live, isSpared: true } }, {}, at);
}

/** Its end came to nothing, and is not wanted any more. */
export function staysUp(session: States['stopping'], start: Events['START_ASKED']): Next {
  const { r, live } = session;
  if (live.isSpared !== true) return isEnding(session, start);
  const { isSpared: _, ...other } = live;
  const record = { ...r, asked: null, note: 'running' };
  return { record, live: other, orders: accepted(start.rpc, record) };
}

/** It runs: its end is on record, and then its warrant is filed. */
const ends =
  (then: 'restart' | 'end') =>
  ({ name, r, life }: States['running'], { rpc, byHand }: Ordering, { now }: Scene): Next => {
    const note = `is being ${then === 'end' ? 'stopped' : 'restarted'} by ${whoIs(byHand)}`;
    const asked = { uuid: life.uuid, then, ...orderOf(byHand, now.wall) };
    const record = { ...withoutTrouble(r), ...AT_PEACE, asked, note };
    const orders = filing(record);
    const text = `${name} runs without tmux, where the town ends no agent: it could not save its work. End it yourself: kill ${life.agent.pid}; ${then === 'end' ? 'it is not started again' : 'then it starts again'}, that is on record`;
    const reply: Reply =
      life.origin === 'detached'
        ? refusal('no_pane', text)
        : { ok: true, value: { ...viewOf(record), warrant: orders[0]?.warrant.id ?? null } };
    return { record, orders: [...replies(rpc, reply), ...orders] };
  };
export const stops = ends('end');
export const restarts = ends('restart');

const accepted = (rpc: string | null, record: SessionRecord, more: object = {}): readonly Order[] =>
  replies(rpc, { ok: true, value: { ...viewOf(record), warrant: null, ...more } });

/** Its start is under way with an unknown outcome: if it starts, it is ended. */
export function withdraws({ r }: States['starting'], { rpc, byHand }: Ordering, { now }: Scene): Next {
  const asked = { uuid: r.pending ?? '', then: 'end', ...orderOf(byHand, now.wall) } as const;
  const record = { ...r, ...AT_PEACE, asked, note: `is being stopped by ${whoIs(byHand)}` };
  return { record, orders: accepted(rpc, record) };
}

/** It is being started: that is all a restart wants. */
export const startsAnyway = ({ r }: States['starting'], { rpc }: Caller): Next =>
  r.asked === undefined || r.asked === null
    ? { orders: accepted(rpc, r) }
    : { record: { ...r, asked: null, note: 'starting' }, orders: accepted(rpc, r) };

/** The record of one that has no life and gets none any more, by an order. */
const laidDown = (r: SessionRecord, byHand: boolean, at: WallMs): SessionRecord => ({
  ...withoutTrouble(r),
  state: 'ended',
  pending: null,
  waitMs: 0,
  note: stoppedBy(byHand),
  ...AT_PEACE,
  asked: { uuid: r.incarnation?.uuid ?? '', then: 'end', ...orderOf(byHand, at) },
});

/** It has no life and gets none: a waiting start is dropped, and the town's next start leaves it down. */
export function staysDown({ r }: States['waiting'], { rpc, byHand }: Ordering, { now }: Scene): Next {
  const record = laidDown(r, byHand, now.wall);
  return { record, live: NOT_LIVE, orders: accepted(rpc, record, { was: r.state }) };
}

/** It was to be ended meanwhile: it never began. */
export const neverBegins = ({ name, r, live, orderedAt, byHand }: States['withdrawn']): Next => ({
  record: laidDown(r, byHand, orderedAt),
  live: NOT_LIVE,
  orders: replies(live.rpc, refusal('stopped', `session ${name} was stopped before it was started`)),
});

/** Its start failed: either it is unknown whether it began, or it did not. */
export const mayNotBegin = (session: States['withdrawn'], failed: Events['ORDER_FAILED'], at: Scene): Next =>
  session.live.ending === undefined ? doubts(session, failed, at) : neverBegins(session);

/** It lives, and is ended: its warrant can be filed now. */
export function runsToEnd(session: States['withdrawn'], started: Events['STARTED'], at: Scene): Next {
  const { record, orders = [], ...next } = runs(session, started, at);
  if (!record) return next;
  const kept = { ...record, note: session.r.note };
  return { ...next, record: kept, orders: [...orders, ...filing(kept)] };
}

export const isUnknown = ({ name }: Anybody, { rpc }: Caller): Next =>
  refuses(rpc, 'unknown_session', `no session ${name} was ever seen here; see \`town session list\``, 2);
export const isNotOurs = ({ name, r }: Anybody, { rpc }: Caller): Next => {
  const { background } = r?.spec ?? {};
  const text = background
    ? `${name} was adopted: the town did not start it. Its own program ends it: ${commandFor(background, 'stop').join(' ')}`
    : `${name} was adopted: the town did not start it and could not start it again as it was. End it in its own pane (town session attach ${name}); or have it heard, and its work saved first: town session kill ${name}`;
  return refuses(rpc, 'adopted', text, 5);
};

/** Its agent wants its own end: noted, and carried out by the kennel. */
export function endsAsAsked({ name, r, life }: States['running'], asked: Events['END_ASKED']): Next {
  const { then, id, filedAt, why } = asked;
  const isNoted = r.asked?.uuid === life.uuid && r.asked.then === then && r.asked.renewedAt === undefined;
  const warrant = { id, target: life, reason: why, requester: name, filedAt, force: true };
  return {
    ...(!isNoted && { record: { ...r, asked: { uuid: life.uuid, then } } }),
    ...(life.origin !== 'detached' && {
      orders: [order(idOf('end', { name: id }), { type: 'fileWarrant', warrant })],
    }),
  };
}

/**
 * It still uses an old login, and nothing is lost by its end as it stands now. Its warrant is filed once: where a town dies before it
 * is written, or the hearing finds it at work, a later look decides anew.
 */
export function renewsLogin({ name, r, life }: States['running'], _: object, { now }: Scene): Next {
  const id = `${RENEWAL}${now.wall}-${life.uuid.slice(0, SHORT)}`;
  const warrant: Warrant = { id, target: life, reason: RENEWED, filedAt: now.wall, force: true, ...BY_TOWN };
  return {
    record: { ...r, asked: { uuid: life.uuid, then: 'restart', renewedAt: now.wall } },
    orders: [order(idOf('renew', { session: name, name: id }), { type: 'fileWarrant', warrant })],
  };
}
