/**
 * Work that a person sent to sessions and that waits until their agents are at rest. Owns: daemon/sends.json.
 * 1. What was sent is on record before its sender hears so, and leaves the record once it was typed and submitted.
 * 2. The work of one session is typed in its order, one at a time; work for a session that is away waits for its next life.
 * 3. What its agent's work keeps waiting is no trouble. What anything else keeps waiting becomes an alert, and goes on waiting.
 * 4. A kill between the last key and the record types it once more: twice is better than never.
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
  Stamp,
} from '../protocol.ts';
import { SENDS } from './policy.ts';

/** Why the first one of a session was not typed at the last try. */
export interface Waits {
  /** Its agent works, or was not tried yet. */
  readonly isWork: boolean;
  readonly why: string;
  /** It has waited for long, and not for its agent's work. */
  readonly isLate: boolean;
}

export interface SendsState {
  /** Oldest first. */
  readonly sends: readonly Send[];
  /** By session: when the next try is due, and what came of the last. */
  readonly due: Readonly<Record<string, Instant>>;
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

/** As it is with these left: what is known of sessions without any is forgotten. */
function withSends({ due, waits }: SendsState, sends: readonly Send[]): Partial<SendsState> {
  const sessions = new Set(sends.map(({ session }) => session));
  const ofThese = <T>(all: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(all).filter(([session]) => sessions.has(session)));
  const left = ofThese(due);
  const times = Object.values(left);
  return { sends, due: left, waits: ofThese(waits), wakeAt: times.length === 0 ? null : Math.min(...times) };
}

function type(context: SendsState, now: Stamp): SendsTurn {
  const { sends, rounds } = context;
  const due = { ...context.due };
  const orders = Object.entries(context.due).flatMap(([session, at]) => {
    const first = sends.find((one) => one.session === session);
    if (at > now.at || first === undefined) return [];
    due[session] = now.at + SENDS.againMs;
    const id = idOf('type', { round: rounds + 1, name: first.id });
    return [order(id, { type: 'remind', session, text: first.text, isTask: true })];
  });
  return { changes: { ...withSends({ ...context, due }, sends), rounds: rounds + 1 }, orders };
}

function requested(context: SendsState, asked: Ours, rpc: string, now: Stamp): SendsTurn {
  const { sends } = context;
  const answer = (said: Reply, changes: Partial<SendsState> = {}): SendsTurn => ({
    changes,
    orders: [reply(rpc, said)],
  });
  const refused = (code: string, text: string): SendsTurn => answer({ ok: false, exit: 2, code, text });
  const known = sends.find(({ id }) => id === asked.send);
  if (asked.verb === 'cancelSend') {
    if (known === undefined)
      return refused('unknown_send', `no work ${asked.send} waits: it was typed, or never sent; see: town send --list`);
    const left = sends.filter((one) => one !== known);
    return answer({ ok: true, value: { cancelled: known.id } }, withSends(context, left));
  }
  const { name: session, send: id, text, from } = asked;
  // The same request once more.
  if (known !== undefined) return answer({ ok: true, value: { id, ahead: aheadOf(sends, known) } });
  const isFull =
    sends.length >= SENDS.maxWaiting || sends.filter((one) => one.session === session).length >= SENDS.maxPerSession;
  if (isFull)
    return refused(
      'many_sends',
      `much work waits for ${session} already; see: town send --list, and give the rest as a plan`,
    );
  const one: Send = { id, session, text, from, sentAt: now.wall };
  const due = { ...context.due, [session]: context.due[session] ?? now.at };
  const changes = { ...withSends({ ...context, due }, [...sends, one]), isKept: true };
  return answer({ ok: true, value: { id, ahead: aheadOf(sends, one) } }, changes);
}

/** How much of the same session comes before it. */
function aheadOf(sends: readonly Send[], { id, session }: Send): number {
  const mine = sends.filter((one) => one.session === session);
  const at = mine.findIndex((one) => one.id === id);
  return at === -1 ? mine.length : at;
}

const wordsOf = (obstacle: NudgeObstacle): string =>
  'what' in obstacle ? obstacle.what : 'why' in obstacle ? obstacle.why : `its agent is ${obstacle.kind}`;

/** What came of a try. */
function resultOf(context: SendsState, fact: Outcome): SendsTurn {
  const { name, verb } = fact.re;
  const one = context.sends.find(({ id }) => id === name);
  if (verb !== 'type' || one === undefined) return NOTHING;
  const { session, sentAt } = one;
  if (fact.type === 'NUDGED') {
    const due = { ...context.due, [session]: fact.at + SENDS.againMs };
    const { [session]: _, ...waits } = context.waits;
    return {
      changes: withSends(
        { ...context, due, waits },
        context.sends.filter((other) => other !== one),
      ),
      orders: [],
    };
  }
  const why = fact.type === 'NOT_NUDGED' ? wordsOf(fact.obstacle) : fact.type === 'ORDER_FAILED' ? fact.why : null;
  if (why === null) return NOTHING;
  const isWork = fact.type === 'NOT_NUDGED' && fact.obstacle.kind === 'working';
  const isNever = fact.type === 'NOT_NUDGED' && (fact.obstacle.kind === 'unfit' || fact.obstacle.kind === 'protected');
  const isLate = !isWork && (isNever || fact.wall - sentAt >= SENDS.lateMs);
  return { changes: { waits: { ...context.waits, [session]: { isWork, why, isLate } } }, orders: [] };
}

const s = setup({
  types: {} as { context: SendsState; events: Fact; emitted: Order },
  actions: {
    read: emit((): Order => ({ type: 'readSends', id: idOf('read') })),
    remember: assign(({ context, event }) => {
      if (event.type !== 'SENDS_READ') return {};
      const due = Object.fromEntries(event.sends.map(({ session }) => [session, event.at]));
      return { ...withSends({ ...context, due }, event.sends), isKept: event.sends.length > 0 };
    }),
    type: enqueueActions(({ enqueue, context, event }) => take(enqueue, type(context, stampOf(event)))),
    requested: enqueueActions(({ enqueue, context, event }) => {
      if (event.type === 'REQUESTED' && isOurs(event.request))
        take(enqueue, requested(context, event.request, event.rpc, event));
    }),
    result: enqueueActions(({ enqueue, context, event }) => {
      if ('re' in event) take(enqueue, resultOf(context, event));
    }),
    later: assign(({ event }) => ({ wakeAt: stampOf(event).at + SENDS.againMs })),
  },
  guards: {
    due: isDue,
    ours: ({ event }) => event.type === 'REQUESTED' && isOurs(event.request),
  },
});

export const sends = s.createMachine({
  id: 'sends',
  context: { sends: [], due: {}, waits: {}, rounds: 0, isKept: false, wakeAt: null },
  initial: 'opening',
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
        NUDGED: { actions: 'result' },
        NOT_NUDGED: { actions: 'result' },
        ORDER_FAILED: { actions: 'result' },
      },
    },
  },
});

keeps(sends, ({ value, context: { sends: all, isKept } }) =>
  value === 'open' && isKept ? [{ kind: 'note', id: 'sends', value: { sends: all } }] : [],
);
