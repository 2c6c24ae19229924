/**
 * Work that a person sent to sessions and that waits until their agents are at rest. Owns: daemon/sends.json.
 * 1. What was sent is on record before its sender hears so, and leaves the record once it was typed and submitted. How it
 *    ended stays on record for a while: the same request once more types nothing twice.
 * 2. The work of one session is typed in its order, one at a time; work for a session that is away waits for its next life.
 * 3. What its agent's work keeps waiting is no trouble. What anything else keeps waiting becomes an alert, and goes on waiting.
 * 4. What no waiting mends is undone: its text cannot be typed, or its session was removed, and a later one of that name is
 *    another. It stays on record, as an alert, until its sender cancels it, and keeps nothing behind it.
 * 5. A kill between the last key and the record types it once more: twice is better than never. What its program may have been given
 *    without a key is never typed: where the program does not say that it has it, a person looks.
 * 6. What the town itself has to say to a life comes before work, goes to that life only, and is dropped when it is over.
 */
import { assign, emit, enqueueActions, setup } from 'xstate';
import { keeps } from '../kernel/kept.ts';
import { isDue, NOTHING, order, reply, stampOf, take, type Turn } from '../kernel/turn.ts';
import type {
  Fact,
  Instant,
  NudgeObstacle,
  Order,
  OrderId,
  Outcome,
  Reply,
  Request,
  Send,
  SendEnd,
  SendReply,
  Stamp,
} from '../protocol.ts';
import { REMOVED, SENDS } from './policy.ts';

/** Why the first one of a session was not typed at the last try. */
export interface Waits {
  readonly why: string;
  /** Since when something else than its agent's work keeps it; null = its agent works. */
  readonly since: Instant | null;
  /** That was long ago. */
  readonly isLate: boolean;
}

export interface SendsState {
  /** Oldest first. */
  readonly sends: readonly Send[];
  /** How earlier ones ended, oldest first. */
  readonly ended: readonly SendEnd[];
  /** By session: when the next try is due. One that is being tried is not due. */
  readonly due: Readonly<Record<string, Instant>>;
  /** By session: the id of the one that is being tried. */
  readonly typing: Readonly<Record<string, string>>;
  /** By session: what came of the last try. */
  readonly waits: Readonly<Record<string, Waits>>;
  readonly rounds: number;
  /** There is a file of them. */
  readonly isKept: boolean;
  readonly wakeAt: Instant | null;
}
type SendsTurn = Turn<SendsState>;
type Ours = Request & { readonly verb: 'send' | 'cancelSend' };

const idOf = (verb: string, more: Omit<OrderId, 'giver' | 'verb'> = {}): OrderId => ({ giver: 'sends', verb, ...more });
const isOurs = (request: Request): request is Ours => request.verb === 'send' || request.verb === 'cancelSend';

/** Those of a session that wait to be typed, in their order. */
const waitingFor = (sends: readonly Send[], session: string): readonly Send[] =>
  sends.filter((one) => one.session === session && one.undone === undefined);

const without = <T>(all: Readonly<Record<string, T>>, session: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => name !== session));

/** As it is with these on record: what is known of sessions for which none waits is forgotten. */
function withSends({ due, waits }: Pick<SendsState, 'due' | 'waits'>, sends: readonly Send[]): Partial<SendsState> {
  const ofThese = <T>(all: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(all).filter(([session]) => waitingFor(sends, session).length > 0));
  const left = ofThese(due);
  const times = Object.values(left);
  return { sends, due: left, waits: ofThese(waits), wakeAt: times.length === 0 ? null : Math.min(...times) };
}

/** What a request that comes again must have, too. */
const workOf = ({ id, session, text }: Pick<Send, 'id' | 'session' | 'text'>): Omit<SendEnd, 'end'> => ({
  id,
  session,
  begins: text.slice(0, SENDS.endBegins),
});

/** As it is when one has ended: off the record. */
const endedAs = (context: SendsState, one: Send, end: SendEnd['end']): Partial<SendsState> => ({
  ...withSends(
    context,
    context.sends.filter((other) => other !== one),
  ),
  ended: [...context.ended, { ...workOf(one), end }].slice(-SENDS.endedKept),
});

/** As it is when these are never typed. */
const asUndone = (context: SendsState, isMeant: (one: Send) => boolean, why: string): Partial<SendsState> =>
  withSends(
    context,
    context.sends.map((one) => (one.undone === undefined && isMeant(one) ? { ...one, undone: why } : one)),
  );

function type(context: SendsState, now: Stamp): SendsTurn {
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

function requested(context: SendsState, asked: Ours, rpc: string, now: Stamp): SendsTurn {
  const answer = (said: Reply, changes: Partial<SendsState> = {}): SendsTurn => ({
    changes,
    orders: [reply(rpc, said)],
  });
  const refused = (code: string, text: string, exit: 2 | 5 = 2): SendsTurn => answer({ ok: false, exit, code, text });
  return asked.verb === 'send' ? sent() : cancelled(asked.send);

  function sent(): SendsTurn {
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

  function cancelled(id: string): SendsTurn {
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
  const { session, begins } = workOf(wanted);
  return before === undefined || (before.session === session && before.begins === begins);
};

function replyOf({ sends, ended }: Pick<SendsState, 'sends' | 'ended'>, id: string): SendReply {
  const end = ended.find((one) => one.id === id)?.end ?? null;
  return { id, ahead: aheadOf(sends, id), end, undone: sends.find((one) => one.id === id)?.undone ?? null };
}

/** How much of the same session is typed before it. */
function aheadOf(sends: readonly Send[], id: string): number {
  const one = sends.find((other) => other.id === id);
  return one === undefined ? 0 : Math.max(0, waitingFor(sends, one.session).indexOf(one));
}

const wordsOf = (obstacle: NudgeObstacle): string =>
  'what' in obstacle ? obstacle.what : 'why' in obstacle ? obstacle.why : `its agent is ${obstacle.kind}`;

/** What came of a try. */
function resultOf(before: SendsState, fact: Outcome): SendsTurn {
  const { name: id, verb } = fact.re;
  const session = Object.keys(before.typing).find((one) => before.typing[one] === id);
  if (verb !== 'type' || session === undefined) return NOTHING;
  // A program that gives words back may have no connection now. Each try presses keys: the next one comes as a person hears of it.
  const isGivenBack = fact.type === 'NOT_NUDGED' && fact.obstacle.kind === 'refused';
  const due = { ...before.due, [session]: fact.at + (isGivenBack ? SENDS.lateMs : SENDS.againMs) };
  const context = { ...before, due, typing: without(before.typing, session) };
  const one = before.sends.find((other) => other.id === id);
  const changes = changesBy(context, one, fact);
  return { changes: { ...withSends(context, context.sends), ...changes, typing: context.typing }, orders: [] };
}

/** `one`: the piece that was tried; absent = it was replaced meanwhile. */
function changesBy(context: SendsState, one: Send | undefined, fact: Outcome): Partial<SendsState> {
  if (one === undefined) return {};
  const { session, life } = one;
  if (fact.type === 'NUDGED')
    return endedAs({ ...context, waits: without(context.waits, session) }, one, fact.way ?? 'typed');
  const kind = fact.type === 'NOT_NUDGED' ? fact.obstacle.kind : null;
  const why = fact.type === 'NOT_NUDGED' ? wordsOf(fact.obstacle) : fact.type === 'ORDER_FAILED' ? fact.why : '';
  const isNever = kind === 'unfit' || kind === 'protected';
  // What the town has to say to a life is dropped where that life is over, or cannot hear it: that is no person's trouble.
  if (life !== undefined && (kind === 'replaced' || isNever)) return endedAs(context, one, 'cancelled');
  if (isNever) return asUndone(context, (other) => other === one, why);
  const since = kind === 'working' ? null : (context.waits[session]?.since ?? fact.at);
  const isLate = since !== null && fact.at - since >= SENDS.lateMs;
  const waits = { ...context.waits, [session]: { why, since, isLate } };
  return withSends({ ...context, waits }, context.sends);
}

const s = setup({
  types: {} as { context: SendsState; events: Fact; emitted: Order },
  actions: {
    read: emit((): Order => ({ type: 'readSends', id: idOf('read') })),
    remember: assign(({ context, event }) => {
      if (event.type !== 'SENDS_READ') return {};
      const { ended } = event;
      // What the town had to say meanwhile.
      const all = [...context.sends.filter(({ id }) => !isKnown({ ...context, ...event }, id)), ...event.sends];
      const due = Object.fromEntries(all.map(({ session }) => [session, event.at]));
      return { ...withSends({ ...context, due }, all), ended, isKept: all.length + ended.length > 0 };
    }),
    type: enqueueActions(({ enqueue, context, event }) => take(enqueue, type(context, stampOf(event)))),
    requested: enqueueActions(({ enqueue, context, event }) => {
      if (event.type === 'REQUESTED' && isOurs(event.request))
        take(enqueue, requested(context, event.request, event.rpc, event));
    }),
    result: enqueueActions(({ enqueue, context, event }) => {
      if ('re' in event) take(enqueue, resultOf(context, event));
    }),
    wanted: assign(({ context, event }) => (event.type === 'WORDS_WANTED' ? withWords(context, event, event) : {})),
    removed: assign(({ context, event }) =>
      event.type === 'SESSION_REMOVED' ? asUndone(context, ({ session }) => session === event.session, REMOVED) : {},
    ),
    later: assign(({ event }) => ({ wakeAt: stampOf(event).at + SENDS.againMs })),
  },
  guards: {
    due: isDue,
    ours: ({ event }) => event.type === 'REQUESTED' && isOurs(event.request),
  },
});

export const sends = s.createMachine({
  id: 'sends',
  context: { sends: [], ended: [], due: {}, typing: {}, waits: {}, rounds: 0, isKept: false, wakeAt: null },
  initial: 'opening',
  on: { WORDS_WANTED: { actions: 'wanted' } },
  states: {
    opening: {
      entry: 'read',
      on: { SENDS_READ: { target: 'open', actions: 'remember' }, ORDER_FAILED: 'resting' },
    },
    resting: {
      entry: 'later',
      on: { TICK: { guard: 'due', target: 'opening', actions: assign({ wakeAt: null }) } },
    },
    open: {
      on: {
        TICK: { guard: 'due', actions: 'type' },
        REQUESTED: { guard: 'ours', actions: 'requested' },
        SESSION_REMOVED: { actions: 'removed' },
        NUDGED: { actions: 'result' },
        NOT_NUDGED: { actions: 'result' },
        ORDER_FAILED: { actions: 'result' },
      },
    },
  },
});

keeps(sends, ({ value, context: { sends: all, ended, isKept } }) =>
  value === 'open' && isKept ? [{ kind: 'note', id: 'sends', value: { sends: all, ended } }] : [],
);
