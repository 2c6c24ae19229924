/**
 * When to notify a person of an episode: at its start, as a reminder until it is acknowledged, and at its end (law 8).
 * Pure.
 * 1. An episode has at most one notice under way. No end is reported before its beginning.
 * 2. Only an episode that asks a person for something is repeated. News is reported once.
 * 3. Each notice is delivered at least once, with the mayor's letter: it counts after delivery, so a crash in between sends both again.
 * 4. Of a kind that climbs, a reminder is a step graver and told as news; below `high` a person finds it in the questions alone.
 * 5. Another question in an open episode is told as news, and no acknowledgement of the one before counts for it.
 * 6. The one alert that stands for many is announced at the next look, so that its notice counts the flood that began it.
 */
import { nextMultiple } from '../kernel/schedule.ts';
import { inOrder, NOTHING, order, type Decision } from '../kernel/decision.ts';
import { aboutOf, isGroup, isSameOrder, orderName, subjectOf } from '../protocol.ts';
import type {
  Acked,
  Acks,
  Alert,
  AlertChange,
  Checked,
  Ended,
  Episode,
  EpisodeName,
  Order,
  OrderId,
  OutcomeBody,
  Stamp,
} from '../protocol.ts';
import {
  checkedOf,
  exceeds,
  groupOf,
  hasMember,
  openNames,
  standingAmong,
  withMember,
  withoutMembers,
} from './many.ts';
import { endText } from './end-text.ts';
import { isOpen, noticeOf, type AlertsState, type Held, type Notice, type Owed } from './holding.ts';
import { letterAbout, putAwayAbout } from './mayor.ts';
import { isOtherQuestion, joinedQuestion, withQuestion } from './question.ts';
import { graver, isLoud, rank } from './severity.ts';

type AlertsDecision = Decision<AlertsState>;
type OfType<T extends AlertChange['type']> = Extract<AlertChange, { readonly type: T }>;
type OutcomeOf<T extends OutcomeBody['type']> = Extract<OutcomeBody, { readonly type: T }>;

const confirm = (to: OrderId, ended: readonly Ended[] = []): Order =>
  order({ issuer: 'alerts', verb: 'confirm', name: orderName(to) }, { type: 'confirmAlert', to, ended });

/** The notice that is due now; null = none. `reminds`: this turn has just checked for an acknowledgement. */
function dueOf(
  { policy, asks }: AlertsState,
  { record, telling, acked }: Held,
  now: Stamp,
  reminds: boolean,
): Notice | null {
  const { told_at: told, ended_at: ended, episode, session } = record;
  if (telling !== null) return null;
  const isCounting = isGroup(episode) && record.severity !== 'critical' && ended === null;
  if (told === null && isCounting && !reminds) return null;
  if (told === null) return 'alert'; // also of what ended meanwhile: it has a beginning all the same
  if (ended !== null) return 'recovered';
  // A clock that was set back far does not put off a reminder until it has caught up.
  const isDue = reminds && acked === null && Math.abs(now.wall - told) >= policy.realertMs;
  return isDue && asks(episode, session) !== null ? 'alert' : null;
}

/** Stores the episode in this state, and gives the notice that is then due. */
function hold(context: AlertsState, known: Held, now: Stamp, reminds = false): AlertsDecision {
  const what = dueOf(context, known, now, reminds);
  const { climbs = false, isForMayor = false } = context.kindOf(known.record.episode) ?? {};
  const held = climbs && what === 'alert' ? climbed(known) : known;
  const { record } = held;
  const { episode, severity, session, question, text, count } = record;
  const keep = (one: Held): Partial<AlertsState> => ({ held: { ...context.held, [episode]: one } });
  if (what === null) return { changes: keep(held), orders: [] };
  // The person reads it in the list of questions; no notice is sent.
  if (climbs && !isLoud(record)) return delivered(context, held, what, now);
  const id: OrderId = { issuer: 'alerts', verb: 'notify', name: episode, turn: context.notices };
  const isOver = what === 'recovered';
  const alert = withQuestion<Alert>({ episode, severity, session, text: isOver ? endText(record) : text }, question);
  const asks = isOver ? null : context.asks(episode, session);
  const notice = order(id, { type: 'notify', what, alert, count, asks });
  const orders = [notice, ...(isForMayor && !isOver ? letterAbout(record, asks) : [])];
  const telling = { what, orders: orders.map((one) => one.id) };
  return { changes: { ...keep({ ...held, telling }), notices: context.notices + 1 }, orders };
}

/** At a reminder the episode becomes one step graver, and the person hears of that as of something new. */
function climbed(held: Held): Held {
  const { record } = held;
  const severity = graver(record, 1);
  if (record.told_at === null || severity === record.severity) return held;
  return { ...held, isAsRead: false, record: { ...record, severity, climbs: (record.climbs ?? 0) + 1, told_at: null } };
}

/** `by`: the order whose issuer waits until a person is notified. `mark`: of the file that it is about. */
interface Whence {
  readonly by?: OrderId | undefined;
  readonly mark?: string | undefined;
}

/** Begins an episode, or counts one more occurrence of it. */
function begin(context: AlertsState, { alert }: OfType<'alert'>, now: Stamp, { by, mark }: Whence): AlertsDecision {
  if (exceeds(context.held, alert)) return holdFor(context, withMember(context.held, alert, now.wall, mark), now, by);
  const before = context.held[alert.episode];
  const goesOn = ongoing(before);
  const record = recordOf(alert, goesOn?.record, now);
  const isGraver = isNowGraver(context, goesOn?.record, record);
  const isOther = isOtherQuestion(goesOn?.record.question, alert.question);
  if (goesOn !== null && isOpen(goesOn) && !isGraver && !isOther && isSame(goesOn.record, record)) {
    const { question } = record;
    const isAsRead = goesOn.isAsRead && question === goesOn.record.question;
    return holdFor(context, { ...goesOn, mark, isAsRead, record: withQuestion(goesOn.record, question) }, now, by);
  }
  const { acked, waiting } = goesOn ?? { acked: null, waiting: [] };
  const as = isGraver || isOther ? { acked: null, record: { ...record, told_at: null } } : { acked, record };
  // What is on its way tells of the question before.
  const telling = isOther ? null : noticeOf(before);
  return holdFor(context, { ...as, waiting, telling, isAsRead: false, mark }, now, by);
}

/** An episode that ended while its first notice was on its way goes on. */
const ongoing = (held: Held | undefined): Held | null =>
  held !== undefined && (isOpen(held) || held.telling?.what === 'alert') ? held : null;

const isSame = (one: Episode, other: Episode): boolean => one.text === other.text && one.life === other.life;
/** `before`: the episode that goes on. */
function recordOf(alert: Alert, before: Episode | undefined, now: Stamp): Episode {
  const { count, told_at, climbs } = before ?? { count: 0, told_at: null };
  // An acknowledgement names the beginning of what it is about.
  const isOther = isOtherQuestion(before?.question, alert.question);
  const since = before === undefined || isOther ? now.wall : before.since;
  const question = isOther ? alert.question : joinedQuestion(before?.question, alert.question);
  const severity = graver(alert, climbs ?? 0);
  const record = { ...alert, severity, since, count: count + 1, climbs, told_at, ended_at: null, recovery: null };
  return withQuestion(record, question);
}

const isNowGraver = ({ kindOf }: AlertsState, before: Episode | undefined, now: Episode): boolean =>
  before !== undefined && kindOf(now.episode)?.climbs === true && rank(now) > rank(before);

/** Its issuer waits until a person is notified; of one among many until the one alert is on record. */
function holdFor(context: AlertsState, held: Held, now: Stamp, by: OrderId | undefined): AlertsDecision {
  if (by === undefined) return hold(context, held, now);
  const { told_at: told, episode } = held.record;
  if (told === null && !isGroup(episode)) return hold(context, { ...held, waiting: [...held.waiting, by] }, now);
  const decision = hold(context, held, now);
  return { ...decision, orders: [...decision.orders, confirm(by)] };
}

/** Takes these episodes out of the groups of their kinds. */
function leave(context: AlertsState, ended: readonly Ended[], now: Stamp): AlertsDecision {
  const { fewer, over } = withoutMembers(context.held, ended);
  const holds = fewer.map((held) => (state: AlertsState) => hold(state, held, now));
  return inOrder(context, ...holds, (state) => end(state, over, now));
}

function end(context: AlertsState, ended: readonly Ended[], now: Stamp): AlertsDecision {
  const ends = ended.flatMap(({ episode, text }) => {
    const held = context.held[episode];
    if (held === undefined || !isOpen(held)) return [];
    const record = { ...held.record, ended_at: now.wall, recovery: text };
    return [(state: AlertsState) => hold(state, { ...held, record, isAsRead: false }, now)];
  });
  return inOrder(context, ...ends);
}

const endEach = (context: AlertsState, ended: readonly Ended[], now: Stamp): AlertsDecision =>
  inOrder(
    context,
    (state) => end(state, ended, now),
    (state) => leave(state, ended, now),
  );

/** Applies a change that an order or a piece of news asks for. */
export function change(context: AlertsState, ordered: AlertChange, now: Stamp, whence: Whence = {}): AlertsDecision {
  if (ordered.type === 'alert') return begin(context, ordered, now, whence);
  const known = { ...context, held: standingAmong(context.held, ordered) };
  const open = openNames(known.held);
  const ended = open.filter((episode) => isMeant(episode, ordered)).map((episode) => ({ episode, text: ordered.text }));
  const decision = inOrder(
    context,
    () => ({ changes: { held: known.held }, orders: [] }),
    (state) => endEach(state, ended, now),
  );
  return whence.by === undefined ? decision : { ...decision, orders: [...decision.orders, confirm(whence.by, ended)] };
}

function isMeant(episode: EpisodeName, ordered: Exclude<AlertChange, OfType<'alert'>>): boolean {
  if (ordered.type === 'endAlert') return episode === ordered.episode;
  const { kind, name } = aboutOf(episode);
  const { of, within, except } = ordered;
  if (kind !== of || (within !== undefined && subjectOf(name) !== within)) return false;
  return !except.includes(episode) && !except.includes(`${of}/${subjectOf(name)}`);
}

/** A notice was delivered, or its delivery failed. The deliverer logs the result. */
export function afterNotice(context: AlertsState, re: OrderId, now: Stamp): AlertsDecision {
  const isIt = (id: OrderId): boolean => isSameOrder(id, re);
  const held = Object.values(context.held).find(({ telling }) => telling?.orders.some(isIt));
  if (held === undefined || held.telling === null) return NOTHING;
  const { what, orders } = held.telling;
  if (orders.length === 1) return delivered(context, held, what, now);
  const telling = { what, orders: orders.filter((id) => !isIt(id)) };
  return { changes: { held: { ...context.held, [held.record.episode]: { ...held, telling } } }, orders: [] };
}

/** The person has every notice that this episode owes them; what it owes the mayor comes before its record goes. */
function delivered(context: AlertsState, held: Held, what: Owed, now: Stamp): AlertsDecision {
  const { record, waiting } = held;
  const { episode, told_at: told, ended_at: ended } = record;
  if (what === 'alert') {
    const next = { ...held, telling: null, waiting: [], isAsRead: false, record: { ...record, told_at: now.wall } };
    const decision = hold(context, next, now);
    return { ...decision, orders: [...waiting.map((by) => confirm(by)), ...decision.orders] };
  }
  // The episode may have begun anew meanwhile.
  if (told === null || ended === null) return hold(context, { ...held, telling: null }, now);
  const putAway = what === 'putAway' ? null : putAwayAbout(record, context.kindOf(episode));
  const owing = putAway && { [episode]: { ...held, telling: { what: 'putAway', orders: [putAway.id] } as const } };
  if (putAway !== null) return { changes: { held: { ...context.held, ...owing } }, orders: [putAway] };
  const { [episode]: _, ...rest } = context.held;
  return { changes: { held: rest, over: { ...context.over, [episode]: now.wall } }, orders: [] };
}

/** Takes over the episodes of an earlier process; those that this process began meanwhile go on. */
export function read(context: AlertsState, { episodes, acked }: OutcomeOf<'ALERTS_READ'>, now: Stamp): AlertsDecision {
  const holds = episodes.map((found) => (state: AlertsState) => {
    const held = state.held[found.episode];
    const asRead: Held = { record: found, isAsRead: true, acked: ackOf(found, acked), telling: null, waiting: [] };
    const question = held?.record.question;
    const isOver = found.ended_at !== null || isOtherQuestion(found.question, question);
    if (held === undefined || isOver) return hold(state, held ?? asRead, now, true);
    const { since, count, told_at } = found;
    const record = { ...held.record, since, count: count + held.record.count, told_at: held.record.told_at ?? told_at };
    const joined = withQuestion(record, joinedQuestion(found.question, question));
    return hold(state, { ...held, acked: asRead.acked, record: joined }, now);
  });
  return inOrder({ ...context, isRead: true }, ...holds, () => ({ changes: { isRead: true }, orders: [] }));
}

/** Ends the episodes that are over, and repeats the notices that are due. */
export function afterCheck(context: AlertsState, seen: OutcomeOf<'ALERTS_CHECKED'>, now: Stamp): AlertsDecision {
  const over = seen.over.filter(({ episode, count, mark }) => {
    const held = context.held[episode];
    if (held !== undefined) return held.record.count === count && held.mark === mark;
    return hasMember(context.held[groupOf(aboutOf(episode).kind)], episode, mark);
  });
  const reminds = Object.keys(context.held).map((episode) => remind(episode, seen.acked, now));
  return inOrder(context, (state) => endEach(state, over, now), ...reminds);
}

const remind = (episode: string, acked: Acks, now: Stamp) => (state: AlertsState) => {
  const held = state.held[episode];
  return held === undefined ? NOTHING : hold(state, { ...held, acked: ackOf(held.record, acked) }, now, true);
};

/** An acknowledgement of an earlier episode does not count: the person is alerted again. */
function ackOf({ episode, since }: Episode, acked: Acks): Acked | null {
  const ack = acked[episode];
  return ack?.since === since ? ack : null;
}

/** The periodic look, which needs no order. */
export const look = (context: AlertsState, now: Stamp): AlertsDecision =>
  inOrder(context, (state) => check(state, now), ...Object.keys(context.held).filter(isGroup).map(announce(now)));

const announce =
  (now: Stamp) =>
  (episode: string) =>
  (state: AlertsState): AlertsDecision => {
    const held = state.held[episode];
    return held === undefined || held.record.told_at !== null ? NOTHING : hold(state, held, now, true);
  };

function check({ held, over, isRead, policy }: AlertsState, now: Stamp): AlertsDecision {
  const of = Object.values(held)
    .filter(isOpen)
    .flatMap((held): readonly Checked[] => {
      const { episode, life, count, session } = held.record;
      const { mark } = held;
      return checkedOf(
        { episode, count, session, ...(life !== undefined && { life }), ...(mark !== undefined && { mark }) },
        held,
      );
    });
  const read = order({ issuer: 'alerts', verb: 'read' }, { type: 'readAlerts' });
  const recent = Object.entries(over).filter(([, since]) => now.wall - since < policy.remindEveryMs);
  return {
    changes: { over: Object.fromEntries(recent), wakeAt: nextMultiple(now.at, policy.remindEveryMs) },
    orders: !isRead
      ? [read]
      : of.length === 0
        ? []
        : [order({ issuer: 'alerts', verb: 'check' }, { type: 'checkAlerts', of })],
  };
}
