/**
 * Tickle, the stall watch (T-1 … T-6): it looks whose evidence is old, and pages those agents. Owns: daemon/tickle.json.
 * 1. It judges by evidence alone, restarts no agent, files no warrant and kills nothing; its last word goes to a person.
 * 2. What it remembers is on disk before a page leaves, so that a kill repeats no page and forgets none.
 * 3. Stopped or not switched on it looks at nothing, but for pages under way and for who asks.
 */
import { assign, enqueueActions, setup } from 'xstate';
import { persists } from '../kernel/persistence.ts';
import { isDue, stampOf, applyDecision, unread } from '../kernel/decision.ts';
import type { Fact, Order, Stamp } from '../protocol.ts';
import { RETRY_MS } from './policy.ts';
import { NO_RECORD, type TickleInput, type TickleState } from './state.ts';
import { decide } from './decide.ts';

const DECIDE = { actions: 'decide' } as const;

export const tickle = setup({
  types: {} as { context: TickleState; events: Fact; input: TickleInput; emitted: Order },
  actions: {
    read: enqueueActions(({ enqueue }) => {
      enqueue.emit({ type: 'readNote', note: 'tickle', id: { issuer: 'tickle', verb: 'read' } });
      enqueue.assign({ wakeAt: null });
    }),
    remember: assign(({ event }) => {
      const { at } = stampOf(event);
      const record = (event.type === 'NOTE_READ' && event.note === 'tickle' ? event.value : null) ?? NO_RECORD;
      // A page without a sign of its end was cut off.
      return { record, isFresh: true, startedAt: at, countedAt: at, wakeAt: 0 };
    }),
    later: assign(({ event }) => ({
      wakeAt: stampOf(event).at + RETRY_MS,
      unread: event.type === 'ORDER_FAILED' ? event.why : '',
    })),
    refuse: enqueueActions(({ enqueue, context, event }) => {
      if (event.type === 'REQUESTED') enqueue.emit(unread(event.rpc, context.unread));
    }),
    decide: enqueueActions(({ enqueue, context, event }) =>
      applyDecision(enqueue, decide(context, event as Fact & Stamp)),
    ),
  },
  guards: {
    due: isDue,
    ours: ({ event }) => event.type === 'REQUESTED' && event.request.verb === 'tickle',
  },
}).createMachine({
  id: 'tickle',
  context: ({ input }) => ({
    ...input,
    record: null,
    isFresh: true,
    startedAt: 0,
    countedAt: 0,
    nextScanAt: 0,
    look: null,
    looks: 0,
    waiting: [],
    paging: [],
    writing: 0,
    writes: 0,
    seen: new Map(),
    unread: '',
    wakeAt: null,
  }),
  initial: 'opening',
  states: {
    opening: { entry: 'read', on: { NOTE_READ: { target: 'open', actions: 'remember' }, ORDER_FAILED: 'blind' } },
    blind: {
      entry: 'later',
      on: { TICK: { guard: 'due', target: 'opening' }, REQUESTED: { guard: 'ours', actions: 'refuse' } },
    },
    open: {
      on: {
        TICK: { guard: 'due', ...DECIDE },
        REQUESTED: { guard: 'ours', ...DECIDE },
        EVIDENCE_READ: DECIDE,
        EVIDENCE_NOTED: DECIDE,
        BELL_RUNG: DECIDE,
        SAID_ON_IRC: DECIDE,
        NUDGED: DECIDE,
        NOT_NUDGED: DECIDE,
        ORDER_FAILED: DECIDE,
      },
    },
  },
});

/** Nothing before it was read, or was ever used. */
persists(tickle, ({ context: { record } }) =>
  record === null || record === NO_RECORD ? [] : [{ kind: 'note', id: 'tickle', value: record }],
);
