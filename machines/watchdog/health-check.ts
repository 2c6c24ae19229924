/**
 * Health checks (C-15): one question with a code, half a minute for the answer, and a count. Owns: health-check-state.json.
 * 1. It recommends, it files no warrant: failures in a row end in an alert that names the command.
 * 2. A counter is one life's (law 3); a check lives as long as the process, its count is durable.
 */
import { assign, emit, enqueueActions, setup } from 'xstate';
import { persists } from '../kernel/persistence.ts';
import { timesOf, decide, type Ctx, type HealthInput } from './health-rules.ts';
import { isDue, reply, stampOf, applyDecision } from '../kernel/decision.ts';
import type { Fact, Order } from '../protocol.ts';

const s = setup({
  types: {} as { context: Ctx; events: Fact; input: HealthInput; emitted: Order },
  actions: {
    readHealth: emit((): Order => ({ type: 'readNote', note: 'healthChecks', id: { issuer: 'health', verb: 'read' } })),
    remember: assign(({ event }) =>
      // A question of an earlier process got no answer that this one could see.
      event.type === 'NOTE_READ' && event.note === 'healthChecks' ? { checks: event.value ?? {} } : {},
    ),
    wait: enqueueActions(({ enqueue, context, event }) => {
      if (event.type !== 'REQUESTED' || event.request.verb !== 'healthCheck') return;
      enqueue.assign({ waiting: [...context.waiting, { rpc: event.rpc, session: event.request.session }] });
      enqueue.emit({ type: 'readSessions', id: { issuer: 'health', verb: 'sessions' } });
    }),
    soon: assign({ wakeAt: 0 }),
    decide: enqueueActions(({ enqueue, context, event }) => {
      const { changes, orders } = decide(context, event);
      applyDecision(enqueue, {
        orders,
        changes: { ...changes, ...timesOf({ ...context, ...changes }, stampOf(event).at) },
      });
    }),
    refuse: enqueueActions(({ enqueue, context, event }) => {
      const text = event.type === 'ORDER_FAILED' ? event.why : '';
      for (const { rpc } of context.waiting)
        enqueue.emit(
          reply(rpc, { ok: false, exit: 1, code: 'records_unreadable', text: `the sessions cannot be read: ${text}` }),
        );
      enqueue.assign({ waiting: [] });
    }),
  },
  guards: {
    ours: ({ event }) => event.type === 'REQUESTED' && event.request.verb === 'healthCheck',
    due: isDue,
    sessions: ({ event }) => 're' in event && event.re.verb === 'sessions',
    isOpen: ({ context, event }) =>
      event.type === 'ALIVE_ANSWERED' && Object.values(context.open).some(({ attempt }) => attempt.code === event.code),
  },
});

const ON = {
  REQUESTED: { guard: 'ours', actions: 'wait' },
  SESSIONS_READ: { actions: 'decide' },
  ALIVE_ANSWERED: { guard: 'isOpen', actions: 'decide' },
  ASKED: { actions: 'decide' },
  NOT_ASKED: { actions: 'decide' },
  LOOKED: { actions: 'decide' },
  ORDER_FAILED: [{ guard: 'sessions', actions: 'refuse' }, { actions: 'decide' }],
  TICK: { guard: 'due', actions: 'decide' },
} as const;

export const health = s.createMachine({
  id: 'health',
  context: ({ input }) => ({ ...input, checks: null, open: {}, asked: 0, waiting: [], reviewAt: 0, wakeAt: null }),
  initial: 'opening',
  states: {
    opening: {
      entry: 'readHealth',
      on: { NOTE_READ: { target: 'open', actions: 'remember' }, ORDER_FAILED: 'open' },
    },
    open: { entry: 'soon', on: ON },
  },
});

/** Nothing before something was asked or read. */
persists(health, ({ context: { checks } }) =>
  checks === null || Object.keys(checks).length === 0 ? [] : [{ kind: 'note', id: 'healthChecks', value: checks }],
);
