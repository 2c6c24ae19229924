/**
 * Named timers (M-6): words that an operator wants typed to a session again and again. Owns: daemon/timers.json.
 * 1. A name has one timer: a later one of the same name takes its place.
 * 2. The first time is one interval after the start, of the timer or of the town.
 * 3. The timer of an agent that monitors (M-10) comes from the configuration: it is on no record, and starts with the town.
 * 4. What cannot be typed, since its session is away or its pane is not safe, is left out; the timer goes on.
 */
import { assign, emit, enqueueActions, setup } from 'xstate';
import { persists } from '../kernel/persistence.ts';
import { isDue, NOTHING, order, reply, stampOf, applyDecision, unread, type Decision } from '../kernel/decision.ts';
import { nudgeObstacleText, type Fact, type Instant, type Order, type OrderId, type Outcome } from '../protocol.ts';
import type { Request, Stamp, Timer } from '../protocol.ts';
import { MAX_TIMERS, WATCHDOG, type MonitorPolicy } from './policy.ts';

export interface TimersInput {
  readonly policy: MonitorPolicy;
}
export interface TimersState extends TimersInput {
  /** By name. */
  readonly timers: Readonly<Record<string, Timer>>;
  /** When each is due, by name. */
  readonly due: Readonly<Record<string, Instant>>;
  /** What came of each last, in words, by name. */
  readonly results: Readonly<Record<string, string>>;
  readonly rounds: number;
  /** There is a file of them. */
  readonly isKept: boolean;
  /** Why the file could not be read last; '' = it was read. */
  readonly unread: string;
  readonly wakeAt: Instant | null;
}
type TimersDecision = Decision<TimersState>;
type Ours = Request & { readonly verb: 'startTimer' | 'stopTimer' };

const SECOND = 1_000;
const idOf = (verb: string, more: Omit<OrderId, 'issuer' | 'verb'> = {}): OrderId => ({
  issuer: 'timers',
  verb,
  ...more,
});
const isOurs = (request: Request): request is Ours => request.verb === 'startTimer' || request.verb === 'stopTimer';

const nextOf = (due: TimersState['due']): Instant | null => {
  const all = Object.values(due);
  return all.length === 0 ? null : Math.min(...all);
};
const without = <T>(of: Readonly<Record<string, T>>, name: string): Record<string, T> =>
  Object.fromEntries(Object.entries(of).filter(([key]) => key !== name));

/** By its name; empty = no agent monitors. */
function ofConfig({ mode, pollIntervalSecs: intervalSecs }: MonitorPolicy): Readonly<Record<string, Timer>> {
  return mode === 'session'
    ? { [WATCHDOG]: { name: WATCHDOG, session: WATCHDOG, intervalSecs, message: 'check' } }
    : {};
}
const isOfConfig = ({ name, session, intervalSecs, message }: Timer, policy: MonitorPolicy): boolean => {
  const own = ofConfig(policy)[name];
  return own?.session === session && own.intervalSecs === intervalSecs && own.message === message;
};

function remind({ timers, due, rounds }: TimersState, now: Stamp): TimersDecision {
  const next = { ...due };
  const orders = Object.values(timers).flatMap(({ name, session, intervalSecs, message }) => {
    if ((due[name] ?? Infinity) > now.at) return [];
    next[name] = now.at + intervalSecs * SECOND;
    return [order(idOf('remind', { round: rounds + 1, name }), { type: 'remind', session, text: message })];
  });
  return { changes: { due: next, rounds: rounds + 1, wakeAt: nextOf(next) }, orders };
}

function start(
  context: TimersState,
  { name, timer, interval, message }: Ours & { verb: 'startTimer' },
  now: Stamp,
): TimersDecision {
  const intervalSecs = interval;
  const timers = { ...context.timers, [timer]: { name: timer, session: name, intervalSecs, message } };
  const due = { ...context.due, [timer]: now.at + intervalSecs * SECOND };
  const results = without(context.results, timer);
  return { changes: { timers, due, results, isKept: true, wakeAt: nextOf(due) }, orders: [] };
}

/** One by its name, or all. */
function stop({ timers, due, results }: TimersState, timer: string | null): TimersDecision {
  if (timer === null) return { changes: { timers: {}, due: {}, results: {}, wakeAt: null }, orders: [] };
  const left = without(due, timer);
  const changes = { timers: without(timers, timer), due: left, results: without(results, timer), wakeAt: nextOf(left) };
  return { changes, orders: [] };
}

function requested(context: TimersState, asked: Ours, rpc: string, now: Stamp): TimersDecision {
  const refused = (code: string, text: string): TimersDecision => ({
    changes: {},
    orders: [reply(rpc, { ok: false, exit: 2, code, text })],
  });
  const { timers } = context;
  const isKnown = asked.timer !== null && Object.hasOwn(timers, asked.timer);
  if (asked.verb === 'stopTimer') {
    if (asked.timer !== null && !isKnown)
      return refused('unknown_timer', `there is no timer ${asked.timer}; see: town watchdog status`);
    const { changes } = stop(context, asked.timer);
    const stopped = asked.timer === null ? Object.keys(timers) : [asked.timer];
    return { changes, orders: [reply(rpc, { ok: true, value: { stopped } })] };
  }
  if (!isKnown && Object.keys(timers).length >= MAX_TIMERS)
    return refused(
      'many_timers',
      `there are ${MAX_TIMERS} timers, which is the most; stop one: town watchdog stop NAME`,
    );
  const { changes } = start(context, asked, now);
  return { changes, orders: [reply(rpc, { ok: true, value: changes.timers?.[asked.timer] ?? null })] };
}

/** What came of one, for people. */
function resultOf(context: TimersState, fact: Outcome): TimersDecision {
  const { name, verb } = fact.re;
  if (verb !== 'remind' || name === undefined || !Object.hasOwn(context.timers, name)) return NOTHING;
  const text =
    fact.type === 'NUDGED'
      ? 'typed'
      : fact.type === 'NOT_NUDGED'
        ? `not typed: ${nudgeObstacleText(fact.obstacle)}`
        : fact.type === 'ORDER_FAILED'
          ? `not typed: ${fact.why}`
          : null;
  return text === null ? NOTHING : { changes: { results: { ...context.results, [name]: text } }, orders: [] };
}

const s = setup({
  types: {} as { context: TimersState; events: Fact; input: TimersInput; emitted: Order },
  actions: {
    read: emit((): Order => ({ type: 'readNote', note: 'timers', id: idOf('read') })),
    remember: assign(({ context, event }) => {
      if (event.type !== 'NOTE_READ' || event.note !== 'timers') return {};
      const read = event.value?.timers ?? [];
      const kept = Object.fromEntries(read.map((one) => [one.name, one]));
      const timers = { ...ofConfig(context.policy), ...kept };
      const due = Object.fromEntries(
        Object.values(timers).map((one) => [one.name, event.at + one.intervalSecs * SECOND]),
      );
      return { timers, due, isKept: read.length > 0, wakeAt: nextOf(due) };
    }),
    remind: enqueueActions(({ enqueue, context, event }) => applyDecision(enqueue, remind(context, stampOf(event)))),
    requested: enqueueActions(({ enqueue, context, event }) => {
      if (event.type === 'REQUESTED' && isOurs(event.request))
        applyDecision(enqueue, requested(context, event.request, event.rpc, event));
    }),
    result: enqueueActions(({ enqueue, context, event }) => {
      if ('re' in event) applyDecision(enqueue, resultOf(context, event));
    }),
    later: assign(({ event }) => ({
      wakeAt: stampOf(event).at + SECOND,
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

export const timers = s.createMachine({
  id: 'timers',
  context: ({ input }) => ({
    ...input,
    timers: {},
    due: {},
    results: {},
    rounds: 0,
    isKept: false,
    unread: '',
    wakeAt: null,
  }),
  initial: 'opening',
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
        TICK: { guard: 'due', actions: 'remind' },
        REQUESTED: { guard: 'ours', actions: 'requested' },
        NUDGED: { actions: 'result' },
        NOT_NUDGED: { actions: 'result' },
        ORDER_FAILED: { actions: 'result' },
      },
    },
  },
});

persists(timers, ({ value, context: { timers: all, isKept, policy } }) => {
  const kept = Object.values(all).filter((one) => !isOfConfig(one, policy));
  return value === 'open' && isKept ? [{ kind: 'note', id: 'timers', value: { timers: kept } }] : [];
});
