/**
 * Work that a person sent to sessions and that waits until their agents are at rest. Owns: daemon/sends.json.
 * 1. What was sent is on record before its sender hears so, and leaves the record once it was typed and submitted. How it
 *    ended stays on record for a while: the same request once more types nothing twice.
 * 2. The work of one session is typed in its order, one at a time; work for a session that is away waits for its next life.
 * 3. What its agent's work keeps waiting is no trouble. What anything else keeps waiting becomes an alert, and goes on waiting.
 * 4. What no waiting mends is undone: its text cannot be typed, its program gave it back at each try for a day, or its session was removed, and
 *    a later one of that name is another. It stays on record, as an alert, until its sender cancels it, and keeps nothing behind it.
 * 5. A kill between the last key and the record types it once more: twice is better than never. What its program may have been given
 *    without a key is never typed: where the program does not say that it has it, a person looks.
 * 6. What the town itself has to say to a life comes before work, goes to that life only, and is dropped when it is over.
 */
import { assign, emit, enqueueActions, setup } from 'xstate';
import { persists } from '../kernel/persistence.ts';
import { span } from '../kernel/span.ts';
import { isDue, NOTHING, order, reply, stampOf, applyDecision, unread, type Decision } from '../kernel/decision.ts';
import type { Fact, Order, OrderId, Outcome, Reply, Request, Send, SendEnd, Stamp } from '../protocol.ts';
import {
  asUndone,
  endedAs,
  replyOf,
  waitingFor,
  without,
  withSends,
  workOf,
  type SendsState,
  type Waits,
} from './book.ts';
import { nudgeObstacleText } from '../protocol.ts';
import { REMOVED, SENDS } from './policy.ts';

type SendsDecision = Decision<SendsState>;
type Ours = Request & { readonly verb: 'send' | 'cancelSend' };

const idOf = (verb: string, more: Omit<OrderId, 'issuer' | 'verb'> = {}): OrderId => ({
  issuer: 'sends',
  verb,
  ...more,
});
const isOurs = (request: Request): request is Ours => request.verb === 'send' || request.verb === 'cancelSend';

function type(context: SendsState, now: Stamp): SendsDecision {
  const { sends, rounds } = context;
  const typing = { ...context.typing };
  const orders = Object.entries(context.due).flatMap(([session, at]) => {
    const [first] = waitingFor(sends, session);
    if (at > now.at || first === undefined) return [];
    typing[session] = first.id;
    const id = idOf('type', { round: rounds + 1, name: first.id });
    const { text, life } = first;
    return [order(id, { type: 'remind', session, text, isTask: true, ...(life !== undefined && { life }) })];
  });
  const due = Object.fromEntries(Object.entries(context.due).filter(([session]) => typing[session] === undefined));
  return { changes: { ...withSends({ ...context, due }, sends), typing, rounds: rounds + 1 }, orders };
}

/** With these on record, one of them new. */
function withNew(context: SendsState, sends: readonly Send[], { session }: Send, now: Stamp): Partial<SendsState> {
  const isTyped = context.typing[session] !== undefined;
  const due = isTyped ? context.due : { ...context.due, [session]: context.due[session] ?? now.at };
  return { ...withSends({ ...context, due }, sends), isKept: true };
}
const isKnown = ({ sends, ended }: SendsState, id: string): boolean =>
  [...sends, ...ended].some((one) => one.id === id);

/** What the town itself has to say to a life: before a person's work, and instead of what an earlier life was to hear. */
function withWords(
  context: SendsState,
  { session, life, text }: Extract<Fact, { type: 'WORDS_WANTED' }>,
  now: Stamp,
): Partial<SendsState> {
  if (isKnown(context, life)) return {};
  const one: Send = { id: life, session, text, from: 'town', sentAt: now.wall, life };
  const others = context.sends.filter((other) => other.life === undefined || other.session !== session);
  return withNew(context, [one, ...others], one, now);
}

function requested(context: SendsState, asked: Ours, rpc: string, now: Stamp): SendsDecision {
  const answer = (said: Reply, changes: Partial<SendsState> = {}): SendsDecision => ({
    changes,
    orders: [reply(rpc, said)],
  });
  const refused = (code: string, text: string, exit: 2 | 5 = 2): SendsDecision =>
    answer({ ok: false, exit, code, text });
  return asked.verb === 'send' ? sent() : cancelled(asked.send);

  function sent(): SendsDecision {
    const { name: session, send: id, text, from } = asked as Ours & { verb: 'send' };
    const { sends, ended } = context;
    const same = sends.find((one) => one.id === id);
    const before = ended.find((one) => one.id === id);
    const wanted = { id, session, text };
    if (!isSameWork(wanted, same, before)) {
      const other = same?.session ?? before?.session ?? session;
      return refused('other_request', `the request ${id} is of other work, for ${other}; choose another id`);
    }
    // The same request once more.
    if (same !== undefined || before !== undefined) return answer({ ok: true, value: replyOf(context, id) });
    const waiting = sends.filter(({ life, undone }) => life === undefined && undone === undefined);
    const isFull =
      sends.length >= SENDS.maxWaiting ||
      waiting.filter((one) => one.session === session).length >= SENDS.maxPerSession;
    const way = 'see: town send --list, and give the rest as a plan';
    if (isFull) return refused('many_sends', `much work waits for ${session} already; ${way}`);
    const one: Send = { id, session, text, from, sentAt: now.wall };
    const changes = withNew(context, [...sends, one], one, now);
    return answer({ ok: true, value: replyOf({ ...context, ...changes }, id) }, changes);
  }

  function cancelled(id: string): SendsDecision {
    const one = context.sends.find((other) => other.id === id);
    if (one === undefined)
      return refused('unknown_send', `no work ${id} waits: it was typed, or never sent; see: town send --list`);
    if (context.typing[one.session] === id)
      return refused('typing', `${id} is being typed to ${one.session} at this moment; see: town send --list`, 5);
    return answer({ ok: true, value: { cancelled: id } }, endedAs(context, one, 'cancelled'));
  }
}

const isSameWork = (wanted: Pick<Send, 'id' | 'session' | 'text'>, same?: Send, before?: SendEnd): boolean => {
  if (same !== undefined) return same.text === wanted.text && same.session === wanted.session;
  const { session, begins, sum } = workOf(wanted);
  return (
    before === undefined || (before.session === session && before.begins === begins && (before.sum ?? sum) === sum)
  );
};

/** What came of a try. */
function resultOf(before: SendsState, fact: Outcome): SendsDecision {
  const { name: id = '', verb } = fact.re;
  if (verb === 'see') return { changes: provedBy(before, id, fact), orders: [] };
  const session = Object.keys(before.typing).find((one) => before.typing[one] === id);
  if (verb !== 'type' || session === undefined) return NOTHING;
  // A program that gives words back may have no connection now. Each try presses keys: the next one comes as a person hears of it.
  const isGivenBack = fact.type === 'NOT_NUDGED' && fact.obstacle.kind === 'refused';
  const due = { ...before.due, [session]: fact.at + (isGivenBack ? SENDS.lateMs : SENDS.againMs) };
  const context = { ...before, due, typing: without(before.typing, session) };
  const one = before.sends.find((other) => other.id === id);
  const changes = changesBy(context, one, fact);
  const all = { ...withSends(context, context.sends), ...changes, typing: context.typing };
  // Its program may say that it began what was typed. A piece that is off the record already is typed no second time for that.
  const isSeen = one !== undefined && one.life === undefined && fact.type === 'NUDGED' && fact.way === undefined;
  if (!isSeen) return { changes: all, orders: [] };
  const see = order(idOf('see', { name: id }), { type: 'seeTurn', session });
  return { changes: { ...all, proving: [...context.proving, id] }, orders: [see] };
}

/** A look that failed proves nothing: it was typed, and no more is known. */
function provedBy({ proving, ended }: SendsState, id: string, fact: Outcome): Partial<SendsState> {
  const hasBegun = fact.type === 'TURN_SEEN' && fact.hasBegun;
  return {
    proving: proving.filter((one) => one !== id),
    ...(hasBegun && { ended: ended.map((one) => (one.id === id ? { ...one, end: 'started' } : one)) }),
  };
}

/** Since when its program gives this piece back; null = the last try ended in another way. */
function refusedBy(before: Waits | undefined, { id }: Send, fact: Outcome): Waits['refused'] {
  if (fact.type !== 'NOT_NUDGED' || fact.obstacle.kind !== 'refused') return null;
  return before?.refused?.id === id ? before.refused : { id, since: fact.at };
}

/** Why what its program gives back is tried no more; null = it is tried again. */
const givenUp = (refused: Waits['refused'], { at }: Stamp): string | null =>
  refused !== null && at - refused.since >= SENDS.giveUpMs
    ? `its program gave it back for ${span(at - refused.since)}`
    : null;

/** `one`: the piece that was tried; absent = it was replaced meanwhile. */
function changesBy(context: SendsState, one: Send | undefined, fact: Outcome): Partial<SendsState> {
  if (one === undefined) return {};
  const { session, life } = one;
  if (fact.type === 'NUDGED')
    return endedAs({ ...context, waits: without(context.waits, session) }, one, fact.way ?? 'typed');
  const kind = fact.type === 'NOT_NUDGED' ? fact.obstacle.kind : null;
  const why =
    fact.type === 'NOT_NUDGED' ? nudgeObstacleText(fact.obstacle) : fact.type === 'ORDER_FAILED' ? fact.why : '';
  const isNever = kind === 'unfit' || kind === 'protected';
  // What the town has to say to a life is dropped where that life is over, or cannot hear it: that is no person's trouble.
  if (life !== undefined && (kind === 'replaced' || isNever)) return endedAs(context, one, 'cancelled');
  const before = context.waits[session];
  const since = kind === 'working' ? null : (before?.since ?? fact.at);
  const refused = refusedBy(before, one, fact);
  const undone = isNever ? why : givenUp(refused, fact);
  if (undone !== null) return asUndone(context, (other) => other === one, undone);
  const isLate = since !== null && fact.at - since >= SENDS.lateMs;
  const waits = { ...context.waits, [session]: { why, since, isLate, refused } };
  return withSends({ ...context, waits }, context.sends);
}

const s = setup({
  types: {} as { context: SendsState; events: Fact; emitted: Order },
  actions: {
    read: emit((): Order => ({ type: 'readNote', note: 'sends', id: idOf('read') })),
    remember: assign(({ context, event }) => {
      if (event.type !== 'NOTE_READ' || event.note !== 'sends') return {};
      const note = event.value ?? { sends: [], ended: [] };
      // What the town had to say meanwhile.
      const all = [...context.sends.filter(({ id }) => !isKnown({ ...context, ...note }, id)), ...note.sends];
      const due = Object.fromEntries(all.map(({ session }) => [session, event.at]));
      return { ...withSends({ ...context, due }, all), ended: note.ended, isKept: all.length + note.ended.length > 0 };
    }),
    type: enqueueActions(({ enqueue, context, event }) => applyDecision(enqueue, type(context, stampOf(event)))),
    requested: enqueueActions(({ enqueue, context, event }) => {
      if (event.type === 'REQUESTED' && isOurs(event.request))
        applyDecision(enqueue, requested(context, event.request, event.rpc, event));
    }),
    result: enqueueActions(({ enqueue, context, event }) => {
      if ('re' in event) applyDecision(enqueue, resultOf(context, event));
    }),
    wanted: assign(({ context, event }) => (event.type === 'WORDS_WANTED' ? withWords(context, event, event) : {})),
    removed: assign(({ context, event }) =>
      event.type === 'SESSION_REMOVED' ? asUndone(context, ({ session }) => session === event.session, REMOVED) : {},
    ),
    later: assign(({ event }) => ({
      wakeAt: stampOf(event).at + SENDS.againMs,
      unread: event.type === 'ORDER_FAILED' ? event.why : '',
    })),
    refuse: enqueueActions(({ enqueue, context, event }) => {
      if (event.type === 'REQUESTED') enqueue.emit(unread(event.rpc, context.unread));
    }),
  },
  guards: {
    due: isDue,
    ours: ({ event }) => event.type === 'REQUESTED' && isOurs(event.request),
  },
});

export const sends = s.createMachine({
  id: 'sends',
  context: {
    sends: [],
    ended: [],
    due: {},
    typing: {},
    proving: [],
    waits: {},
    rounds: 0,
    isKept: false,
    unread: '',
    wakeAt: null,
  },
  initial: 'opening',
  on: { WORDS_WANTED: { actions: 'wanted' } },
  states: {
    opening: {
      entry: 'read',
      on: { NOTE_READ: { target: 'open', actions: 'remember' }, ORDER_FAILED: 'resting' },
    },
    resting: {
      entry: 'later',
      on: {
        TICK: { guard: 'due', target: 'opening', actions: assign({ wakeAt: null }) },
        REQUESTED: { guard: 'ours', actions: 'refuse' },
      },
    },
    open: {
      on: {
        TICK: { guard: 'due', actions: 'type' },
        REQUESTED: { guard: 'ours', actions: 'requested' },
        SESSION_REMOVED: { actions: 'removed' },
        NUDGED: { actions: 'result' },
        NOT_NUDGED: { actions: 'result' },
        TURN_SEEN: { actions: 'result' },
        ORDER_FAILED: { actions: 'result' },
      },
    },
  },
});

persists(sends, ({ value, context: { sends: all, ended, isKept } }) =>
  value === 'open' && isKept ? [{ kind: 'note', id: 'sends', value: { sends: all, ended } }] : [],
);
