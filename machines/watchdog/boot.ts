/**
 * Boot: one triage of the Deacon per tick (C-2, C-5), without a model. Owns: its mark, its status, what it remembers of
 * a life.
 * 1. It always ends: observing and acting share one deadline.
 * 2. One action per triage, and each goes to its owner: starts to the sessions, typing to the pane's queue, ends to the
 *    kennel.
 * 3. A mark of this town that it finds younger than its time to live keeps it from running: another Boot may be at work.
 */
import { assign, emit, enqueueActions, setup } from 'xstate';
import { persists } from '../kernel/persistence.ts';
import { isDue, stampOf, applyDecision } from '../kernel/decision.ts';
import { actionOrder, closing, orderOf, type BootInput, type Ctx } from './acts.ts';
import { freshMemory, judge, who } from './matrix.ts';
import type { Fact, Order } from '../protocol.ts';

const s = setup({
  types: {} as { context: Ctx; events: Fact; input: BootInput; emitted: Order },
  actions: {
    readBoot: emit((): Order => ({ type: 'readBoot', id: { issuer: 'boot', verb: 'read' } })),
    remember: assign(({ context, event }) => {
      if (event.type !== 'BOOT_READ') return {};
      const restMs = event.runningMs === null ? 0 : context.policy.boot.runningTtlMs - Math.max(0, event.runningMs);
      return { memory: event.status?.memory ?? context.memory, keptUntil: event.at + restMs };
    }),
    wanted: assign(({ context, event }) => ({
      isDue: true,
      rpcs: event.type === 'REQUESTED' ? [...context.rpcs, event.rpc] : context.rpcs,
    })),
    begin: enqueueActions(({ enqueue, context, event }) => {
      const { at, wall } = stampOf(event);
      const next = { ...context, runs: context.runs + 1 };
      const { boot } = context.policy;
      enqueue.assign({
        runs: next.runs,
        isDue: false,
        running: { at: wall },
        seen: null,
        judgement: null,
        wakeAt: at + boot.deadlineMs,
        rpcs: event.type === 'REQUESTED' ? [...context.rpcs, event.rpc] : context.rpcs,
      });
      enqueue.emit(orderOf(next, 'observe', { type: 'observeDeacon', session: context.deacon?.name ?? null }));
    }),
    decide: enqueueActions(({ enqueue, context, event }) => {
      if (event.type !== 'DEACON_OBSERVED') return;
      const { seen } = event;
      const judgement = judge(seen, context.memory, context.policy, who(context));
      enqueue.assign({ seen, judgement });
      const body = actionOrder(context, judgement, seen, event);
      if (body !== null) enqueue.emit(orderOf(context, 'act', body));
    }),
    end: enqueueActions(({ enqueue, context, event }) => applyDecision(enqueue, closing(context, event))),
  },
  guards: {
    due: isDue,
    triage: ({ event }) => event.type === 'REQUESTED' && event.request.verb === 'bootTriage',
    mine: ({ context, event }) => 're' in event && event.re.round === context.runs,
    acted: ({ context, event }) => 're' in event && event.re.round === context.runs && event.re.verb === 'act',
    free: ({ context, event }) => stampOf(event).at >= context.keptUntil,
    isDue: ({ context, event }) => context.isDue && (context.rpcs.length > 0 || stampOf(event).at >= context.keptUntil),
    nothingToDo: ({ context, event }) => {
      if (context.judgement === null || context.seen === null) return false;
      return actionOrder(context, context.judgement, context.seen, stampOf(event)) === null;
    },
  },
});

const WANTED = { guard: 'triage', actions: 'wanted' } as const;
const ACTED = { guard: 'acted', target: 'resting', actions: 'end' } as const;

export const boot = s.createMachine({
  id: 'boot',
  context: ({ input }) => ({
    ...input,
    runs: 0,
    alerts: [],
    wasWell: false,
    memory: freshMemory(null),
    isDue: false,
    keptUntil: -Infinity,
    rpcs: [],
    seen: null,
    judgement: null,
    wakeAt: null,
  }),
  initial: 'opening',
  states: {
    opening: {
      entry: 'readBoot',
      on: {
        BOOT_READ: { target: 'resting', actions: 'remember' },
        ORDER_FAILED: 'resting',
        BOOT_DUE: { actions: 'wanted' },
        REQUESTED: WANTED,
      },
    },
    resting: {
      always: { guard: 'isDue', target: 'observing', actions: 'begin' },
      on: {
        BOOT_DUE: { guard: 'free', target: 'observing', actions: 'begin' },
        REQUESTED: { guard: 'triage', target: 'observing', actions: 'begin' },
      },
    },
    observing: {
      on: {
        DEACON_OBSERVED: { guard: 'mine', target: 'acting', actions: 'decide' },
        ORDER_FAILED: { guard: 'mine', target: 'resting', actions: 'end' },
        TICK: { guard: 'due', target: 'resting', actions: 'end' },
        REQUESTED: WANTED,
      },
    },
    acting: {
      always: { guard: 'nothingToDo', target: 'resting', actions: 'end' },
      on: {
        NUDGED: ACTED,
        NOT_NUDGED: ACTED,
        ANNOUNCED: ACTED,
        WARRANT_WRITTEN: ACTED,
        ORDER_FAILED: ACTED,
        TICK: { guard: 'due', target: 'resting', actions: 'end' },
        REQUESTED: WANTED,
      },
    },
  },
});

/** Nothing before the first triage. */
persists(boot, ({ context: { running, status } }) => [
  ...(running === undefined ? [] : [{ kind: 'note', id: 'bootRunning', value: running } as const]),
  ...(status === undefined ? [] : [{ kind: 'note', id: 'bootStatus', value: status } as const]),
]);
