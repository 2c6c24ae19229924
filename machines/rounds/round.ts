/**
 * One patrol of a running town: a rig's witness, or the Deacon's round over the whole town's work. Owns its pace, the acts of its
 * cycle and the memory of its last cycle. Tables decide what a cycle does (machines/witness, machines/patrols/dispatch.ts).
 * 1. One cycle runs at a time: an order looks, and then one order carries out each act, or each step of the Deacon's round, under its
 *    own limit. An act that came to nothing stops only those that rest on it, and a step no other; the next cycle comes even after a
 *    failure.
 * 2. It opens by reading its record, so that a cycle keeps its number over a crash. What a killed town was at is seen anew.
 * 3. Failing cycles alert once, until one succeeds (law 8), and so do acts that fail again and again (law 7). A cycle that finds all
 *    well says nothing (P-18).
 * 4. Who asks for a cycle gets the outcome of one that began after the request.
 */
import { enqueueActions, setup } from 'xstate';
import { persists } from '../kernel/persistence.ts';
import { nextMultiple } from '../kernel/schedule.ts';
import { isDue, reply, stampOf } from '../kernel/decision.ts';
import {
  isSameOrder,
  type Fact,
  type Ms,
  type NewsBody,
  type Order,
  type OrderBody,
  type OrderId,
  type Reply,
} from '../protocol.ts';
import type { Patrolled, PatrolRecord } from '../protocol/patrols.ts';
import { aboutOf, notDone, wantedIn } from '../witness/acting.ts';
import { handledIn } from '../witness/letters.ts';
import { afterCycle, afterFailure } from './after.ts';
import { CASE_MS } from '../patrols/policy.ts';
import { cycleAfter, cycleFor, foundIn, freesWork, tellsPerson, took } from './cycle.ts';
import { cycleOf, type Asker, type RoundInput, type RoundState } from './state.ts';
import { afterStep, beginSteps, foundBySteps, isThrough } from './steps.ts';

type WhatChanged = Extract<Fact, { type: 'CHANGED' }>['what'];

interface Enqueue {
  readonly emit: (order: Order) => void;
  readonly assign: (changes: Partial<RoundState>) => void;
}

/** `name`: of what it is about. An order of the same name is the same order. */
const idOf = (context: RoundState, verb?: string, name?: string): OrderId => ({
  issuer: 'patrol',
  rig: context.of,
  ...(verb !== undefined && { verb }),
  ...(name !== undefined && { name }),
  turn: cycleOf(context),
});

/** Gives the one order that this patrol waits for. */
function give(enqueue: Enqueue, id: OrderId, body: OrderBody): void {
  enqueue.emit({ ...body, id });
  enqueue.assign({ awaiting: id });
}

/** A rig has no use for a case; the Deacon's round gives it to a reasoner. The end of a rig's session is for the witnesses. */
const wakes = ({ of }: RoundState, what: WhatChanged): boolean =>
  what === 'work' || what === 'mail' || what === (of === 'deacon' ? 'cases' : 'ends');
/** Work, mail and ends wait for the pace of an active rig. A case does not wait: cases are few. */
const wakeMs = ({ policy }: RoundState, event: Fact): Ms =>
  event.type === 'CHANGED' && event.what === 'cases' ? CASE_MS : policy.activeMs;

/** News for other patrols: a new case, or work that another round goes on with. */
const changed = (context: RoundState, what: WhatChanged): Order => {
  const news: NewsBody = { type: 'CHANGED', what };
  return { type: 'announce', id: idOf(context, 'announce', what), news };
};

const IS_PAUSED = 'the Deacon is paused, and only the operator may patrol then; end the pause: town deacon resume';

function answerOf(found: Patrolled | string): Reply {
  if (typeof found === 'string') return { ok: false, exit: 1, code: 'patrol_failed', text: found };
  const { isPaused, why = IS_PAUSED } = found;
  return isPaused ? { ok: false, exit: 1, code: 'paused', text: why } : { ok: true, value: found };
}

/** The operator's wish counts for more than an agent's. */
const askedBy = (callers: readonly Asker[]): Asker['via'] | null =>
  callers.some(({ via }) => via === 'operator') ? 'operator' : (callers[0]?.via ?? null);

/** The cycle is over: its record, its next time, and an answer to who asked for it. */
function end(enqueue: Enqueue, context: RoundState, changes: Partial<RoundState>, found: Patrolled | string): void {
  for (const { rpc } of context.served) enqueue.emit(reply(rpc, answerOf(found)));
  enqueue.assign({ ...changes, awaiting: null, cycle: null, steps: null, served: [] });
}

/** What the cycle under way comes to; a text says why it came to nothing. */
function outcomeOf(context: RoundState, event: Fact): Patrolled | string | null {
  if (event.type === 'PATROLLED') return event.found;
  if (context.steps !== null) return foundBySteps(context.steps);
  return context.cycle === null ? null : foundIn(context, context.cycle);
}

export const round = setup({
  types: {} as { context: RoundState; events: Fact; input: RoundInput; emitted: Order },
  actions: {
    read: enqueueActions(({ enqueue, context: { of } }) => {
      give(enqueue, { issuer: 'patrol', rig: of, verb: 'read' }, { type: 'readPatrol', of });
      enqueue.assign({ wakeAt: null });
    }),
    recall: enqueueActions(({ enqueue, event }) => {
      if (event.type === 'PATROL_READ') enqueue.assign({ record: event.record, wakeAt: 0, awaiting: null });
    }),
    begin: enqueueActions(({ enqueue, context, event }) => {
      const { of, record, callers } = context;
      const handled = handledIn(record?.letters ?? null, stampOf(event).wall);
      give(enqueue, idOf(context), {
        type: 'patrol',
        of,
        handled,
        lastAt: record?.endedAt ?? null,
        asked: askedBy(callers),
        stands: record?.claims?.map(({ kind }) => kind) ?? [],
      });
      enqueue.assign({ wakeAt: null, wokenMs: null, served: callers, callers: [] });
    }),
    decide: enqueueActions(({ enqueue, context, event }) => {
      if (event.type === 'SURVEYED') enqueue.assign({ cycle: cycleFor(context, event), policies: event.policies });
    }),
    noteWanted: enqueueActions(({ enqueue, context }) => {
      const doing = context.cycle === null ? [] : wantedIn(context.cycle);
      give(enqueue, idOf(context, 'begin'), { type: 'noteCycle', of: context.of, doing });
    }),
    act: enqueueActions(({ enqueue, context }) => {
      if (context.cycle === null) return;
      const cycle = cycleAfter(context.cycle);
      enqueue.assign({ cycle });
      const [first] = cycle.batch?.acts ?? [];
      if (cycle.batch === null || first === undefined) return;
      const id = idOf(context, 'act', `${first.act}/${aboutOf(first)}`);
      give(enqueue, id, { type: 'act', of: context.of, acts: cycle.batch.acts });
    }),
    took: enqueueActions(({ enqueue, context, event }) => {
      const { cycle } = context;
      if (cycle === null || cycle.batch === null) return;
      if (event.type === 'ORDER_FAILED') enqueue.assign({ cycle: took(cycle, notDone(cycle.batch, event.why)) });
      if (event.type !== 'ACTED') return;
      enqueue.assign({ cycle: took(cycle, event.outcomes) });
      if (event.hasNewCase) enqueue.emit(changed(context, 'cases'));
      if (tellsPerson(event.outcomes)) enqueue.emit(changed(context, 'escalations'));
    }),
    open: enqueueActions(({ enqueue, context, event }) => {
      if (event.type === 'ROUND_OPENED') enqueue.assign({ steps: beginSteps(event.watched, context.record) });
    }),
    step: enqueueActions(({ enqueue, context }) => {
      const { of, steps } = context;
      const [wanted] = steps?.wants ?? [];
      if (wanted !== undefined) {
        const { step: _, ...what } = wanted;
        const id = idOf(context, 'act', `${what.act}/${what.about}`);
        // Acts that are left of it are orders of other names.
        const nth = steps?.deeds.filter(({ act, about }) => act === what.act && about === what.about).length ?? 0;
        give(enqueue, { ...id, ...(nth > 0 && { step: nth }) }, { type: 'begin', of, wanted: what });
        return;
      }
      const step = steps?.left[0];
      if (step === undefined) return;
      give(enqueue, idOf(context, 'step', step), { type: 'step', of, step, memory: steps?.memory[step] ?? [] });
    }),
    stepped: enqueueActions(({ enqueue, context, event }) => {
      if (context.steps !== null) enqueue.assign({ steps: afterStep(context.steps, event) });
    }),
    noteDone: enqueueActions(({ enqueue, context }) => {
      const did = (context.steps ?? context.cycle)?.deeds ?? [];
      give(enqueue, idOf(context, 'end'), { type: 'noteCycle', of: context.of, did });
    }),
    end: enqueueActions(({ enqueue, context, event }) => {
      const found = outcomeOf(context, event);
      if (found === null) return;
      if (freesWork((context.steps ?? context.cycle)?.deeds ?? [])) enqueue.emit(changed(context, 'work'));
      // Programs that do not wake the town write the ledger too.
      if (context.of === 'deacon') enqueue.emit(changed(context, 'escalations'));
      const now = stampOf(event);
      const isOver = typeof found !== 'string';
      const changes = isOver ? afterCycle(context, found, now) : afterFailure(context, found, now);
      end(enqueue, context, changes, found);
    }),
    fail: enqueueActions(({ enqueue, context, event }) => {
      const last = event.type === 'ORDER_FAILED' ? event.why : 'it did not end';
      const why = [...(context.steps?.failed ?? []), last].join('; ');
      end(enqueue, context, afterFailure(context, why, stampOf(event)), why);
    }),
    note: enqueueActions(({ enqueue, context, event }) => {
      const ms = wakeMs(context, event);
      enqueue.assign({ wokenMs: Math.min(context.wokenMs ?? ms, ms) });
    }),
    soon: enqueueActions(({ enqueue, context, event }) => {
      const soon = nextMultiple(stampOf(event).at, wakeMs(context, event));
      enqueue.assign({ wakeAt: Math.min(context.wakeAt ?? soon, soon) });
    }),
    later: enqueueActions(({ enqueue, context, event }) => {
      enqueue.assign({ awaiting: null, wakeAt: nextMultiple(stampOf(event).at, context.policy.activeMs) });
    }),
    waits: enqueueActions(({ enqueue, context, event }) => {
      if (event.type !== 'REQUESTED') return;
      const via = event.via === 'operator' ? 'operator' : 'agent';
      enqueue.assign({ callers: [...context.callers, { rpc: event.rpc, via }] });
    }),
  },
  guards: {
    due: isDue,
    mine: ({ context, event }) => 're' in event && isSameOrder(context.awaiting, event.re),
    wakes: ({ context, event }) => event.type === 'CHANGED' && wakes(context, event.what),
    asked: ({ context, event }) =>
      event.type === 'REQUESTED' && event.request.verb === 'patrol' && event.request.of === context.of,
    isAsked: ({ context }) => context.callers.length > 0,
    hasActs: ({ context }) => context.cycle !== null && context.cycle.left.length > 0,
    isDone: ({ context }) => context.cycle?.batch === null,
    isThrough: ({ context }) => context.steps !== null && isThrough(context.steps),
  },
}).createMachine({
  id: 'patrol',
  context: ({ input }) => ({
    ...input,
    record: null,
    endedAt: null,
    awaiting: null,
    cycle: null,
    steps: null,
    callers: [],
    served: [],
    wokenMs: null,
    wakeAt: null,
  }),
  initial: 'opening',
  on: { REQUESTED: { guard: 'asked', actions: 'waits' }, CHANGED: { guard: 'wakes', actions: 'note' } },
  states: {
    opening: {
      entry: 'read',
      on: {
        PATROL_READ: { guard: 'mine', target: 'resting', actions: 'recall' },
        ORDER_FAILED: { guard: 'mine', target: 'blind', actions: 'later' },
      },
    },
    blind: { on: { TICK: { guard: 'due', target: 'opening' } } },
    resting: {
      always: { guard: 'isAsked', target: 'looking' },
      on: {
        TICK: { guard: 'due', target: 'looking' },
        CHANGED: { guard: 'wakes', actions: 'soon' },
      },
    },
    looking: {
      entry: 'begin',
      on: {
        PATROLLED: { guard: 'mine', target: 'resting', actions: 'end' },
        SURVEYED: { guard: 'mine', target: 'deciding', actions: 'decide' },
        ROUND_OPENED: { guard: 'mine', target: 'stepping', actions: 'open' },
        ORDER_FAILED: { guard: 'mine', target: 'resting', actions: 'fail' },
      },
    },
    deciding: {
      always: [
        { guard: 'hasActs', target: 'beginning' },
        { target: 'resting', actions: 'end' },
      ],
    },
    beginning: {
      entry: 'noteWanted',
      on: {
        CYCLE_NOTED: { guard: 'mine', target: 'acting' },
        ORDER_FAILED: { guard: 'mine', target: 'resting', actions: 'fail' },
      },
    },
    acting: {
      entry: 'act',
      always: { guard: 'isDone', target: 'ending' },
      on: {
        ACTED: { guard: 'mine', target: 'acting', reenter: true, actions: 'took' },
        ORDER_FAILED: { guard: 'mine', target: 'acting', reenter: true, actions: 'took' },
      },
    },
    stepping: {
      entry: 'step',
      always: { guard: 'isThrough', target: 'ending' },
      on: {
        STEP_DONE: { guard: 'mine', target: 'stepping', reenter: true, actions: 'stepped' },
        ACTED: { guard: 'mine', target: 'stepping', reenter: true, actions: 'stepped' },
        ORDER_FAILED: { guard: 'mine', target: 'stepping', reenter: true, actions: 'stepped' },
      },
    },
    ending: {
      entry: 'noteDone',
      on: {
        CYCLE_NOTED: { guard: 'mine', target: 'resting', actions: 'end' },
        ORDER_FAILED: { guard: 'mine', target: 'resting', actions: 'fail' },
      },
    },
  },
});

/** Its last cycle. */
declare module '../protocol/facts.ts' {
  interface Durable {
    /** The last cycle of a patrol. */
    readonly patrol: PatrolRecord;
  }
}
persists(round, ({ context: { record: r } }) => (r === null ? [] : [{ kind: 'patrol', id: r.of, value: r }]));
