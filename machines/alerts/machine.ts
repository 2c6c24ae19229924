/**
 * Owns the episodes: decides which alerts a person gets and when, and keeps them on record.
 * 1. It reads the disk first and notifies no person before that; earlier orders wait. If the disk cannot be read, it
 *    works from memory, writes no record, and reads again at each look.
 * 2. It depends on no sibling: it delivers alerts while other actors are down or the disk refuses records.
 */
import { assign, emit, enqueueActions, setup } from 'xstate';
import { persists } from '../kernel/persistence.ts';
import { nextMultiple } from '../kernel/schedule.ts';
import { inOrder, isDue, NOTHING, stampOf, applyDecision, type Decision } from '../kernel/decision.ts';
import type { Fact, News, Order } from '../protocol.ts';
import { afterCheck, afterNotice, change, look, read } from './episodes.ts';
import { recordsOf, type AlertsState } from './holding.ts';
import { changeIn } from './things.ts';

export type AlertsInput = Pick<AlertsState, 'policy' | 'asks' | 'kindOf'>;

interface Ctx extends AlertsState {
  /** Facts and orders that came before the disk was read. */
  readonly early: readonly News[];
}

function decide(context: Ctx, fact: Fact): Decision<AlertsState> {
  switch (fact.type) {
    case 'ALERTS_READ':
      return context.isRead ? NOTHING : read(context, fact, fact);
    case 'ALERTS_CHECKED':
      return afterCheck(context, fact, fact);
    case 'NOTIFIED':
    case 'MAILED':
    case 'ORDER_FAILED':
      return afterNotice(context, fact.re, fact);
    default: {
      const ordered = changeIn(fact);
      if (ordered === null) return NOTHING;
      const by = fact.type === 'ALERT_ORDERED' ? fact.by : undefined;
      return change(context, ordered, fact, { by, mark: fact.type === 'FILE_REFUSED' ? fact.mark : undefined });
    }
  }
}

const s = setup({
  types: {} as { context: Ctx; events: Fact; input: AlertsInput; emitted: Order },
  actions: {
    read: emit((): Order => ({ type: 'readAlerts', id: { issuer: 'alerts', verb: 'read' } })),
    wait: assign(({ context, event }) => ({ early: [...context.early, event as News] })),
    open: enqueueActions(({ enqueue, context, event }) => {
      const facts = [event, ...context.early];
      applyDecision(enqueue, inOrder<Ctx>(context, ...facts.map((fact) => (state: Ctx) => decide(state, fact))));
      enqueue.assign({ early: [], wakeAt: nextMultiple(stampOf(event).at, context.policy.remindEveryMs) });
    }),
    look: enqueueActions(({ enqueue, context, event }) => applyDecision(enqueue, look(context, stampOf(event)))),
    decide: enqueueActions(({ enqueue, context, event }) => applyDecision(enqueue, decide(context, event))),
  },
  guards: { due: isDue },
});

const news = <Action extends 'wait' | 'decide'>(actions: Action) => ({
  ALERT_ORDERED: { actions },
  CONDITION_FOUND: { actions },
  FILE_REFUSED: { actions },
  OUTPUT_KEPT: { actions },
});

export const alerts = s.createMachine({
  id: 'alerts',
  context: ({ input }) => ({ ...input, held: {}, over: {}, isRead: false, notices: 0, wakeAt: null, early: [] }),
  initial: 'opening',
  states: {
    opening: {
      entry: 'read',
      on: {
        ...news('wait'),
        ALERTS_READ: { target: 'open', actions: 'open' },
        ORDER_FAILED: { target: 'open', actions: 'open' },
      },
    },
    open: {
      on: {
        ...news('decide'),
        ALERTS_READ: { actions: 'decide' },
        ALERTS_CHECKED: { actions: 'decide' },
        NOTIFIED: { actions: 'decide' },
        MAILED: { actions: 'decide' },
        ORDER_FAILED: { actions: 'decide' },
        TICK: { guard: 'due', actions: 'look' },
      },
    },
  },
});

persists(alerts, ({ context }) => recordsOf(context));
