/**
 * One patrol of a running town: a rig's witness, or the Deacon's round over the whole town's work. Owns its pace and
 * the memory of its last cycle. Tables decide what a cycle does (machines/witness, machines/patrols/dispatch.ts).
 * 1. One cycle runs at a time, each an order under its own limit; the next one comes even after a failure.
 * 2. It opens by reading its record, so that a cycle keeps its number over a crash.
 * 3. Failing cycles alert once, until one succeeds (law 8). A cycle that finds all well says nothing (P-18).
 */
import { enqueueActions, setup } from 'xstate';
import { keeps } from '../kernel/kept.ts';
import { nextBeat } from '../kernel/schedule.ts';
import { isDue, stampOf } from '../kernel/turn.ts';
import type { Fact, Instant, Ms, Order, Stamp } from '../protocol.ts';
import type { Patrolled, PatrolRecord } from '../protocol/patrols.ts';
import type { DeaconPolicy } from '../watchdog/policy.ts';
import { CASE_MS, type RoundsPolicy } from './policy.ts';

/** P-1: one pace while an agent works, another while none does. */
export type Pace = RoundsPolicy & Pick<DeaconPolicy, 'activeMs' | 'idleMs'>;

type Poked = Extract<Fact, { type: 'POKED' }>['what'];

export interface RoundInput {
  readonly policy: Pace;
  /** A rig, or `deacon`. */
  readonly of: string;
}
export interface Ctx extends RoundInput {
  /** null = it has not been read, or there was no cycle yet. */
  readonly record: PatrolRecord | null;
  /** Work, mail or a case came since the cycle began: the next one follows at this pace; null = nothing came. */
  readonly wokenMs: Ms | null;
  readonly wakeAt: Instant | null;
}

const cycleOf = ({ record }: Ctx): number => (record?.cycle ?? 0) + 1;

/** P-18: how many cycles there were that say whether they needed a decision, and how many did. An agent counts its own itself. */
function counted(record: PatrolRecord | null, observed: PatrolRecord['observed']): PatrolRecord['observed'] {
  const { needs_triage: needs } = observed;
  const { cycles = 0, triage_cycles: before = 0, agent_cycles, agent_triage_cycles } = record?.observed ?? {};
  const agents = agent_cycles === undefined ? {} : { agent_cycles, agent_triage_cycles: agent_triage_cycles ?? 0 };
  const own =
    needs === undefined ? { cycles, triage_cycles: before } : { cycles: cycles + 1, triage_cycles: before + needs };
  return { ...agents, ...observed, ...(own.cycles > 0 && own) };
}

/** A rig has no use for a case; the Deacon's round gives it to a reasoner. */
const wakes = ({ of }: Ctx, what: Poked): boolean =>
  what === 'work' || what === 'mail' || (what === 'cases' && of === 'deacon');
/** Work and mail wait for the pace of an active rig. A case does not wait: cases are few. */
const wakeMs = ({ policy }: Ctx, event: Fact): Ms =>
  event.type === 'POKED' && event.what === 'cases' ? CASE_MS : policy.activeMs;

/** A cycle came to its end. */
function afterCycle(context: Ctx, found: Patrolled, now: Stamp): Partial<Ctx> {
  const { of, policy, wokenMs } = context;
  const ownMs = found.isActive ? policy.activeMs : policy.idleMs;
  const wakeAt = nextBeat(now.at, Math.min(ownMs, wokenMs ?? ownMs));
  if (found.isPaused) return { wakeAt };
  const { observed, stranded, deeds } = found;
  const done = deeds.filter((deed) => deed.done).length;
  const about = { of, cycle: cycleOf(context), endedAt: found.endedAt ?? now.wall, why: null, failures: 0 };
  const seen = counted(context.record, observed);
  const record: PatrolRecord = { ...about, observed: seen, done, undone: deeds.length - done, stranded };
  return { record, wakeAt };
}

/** It came to nothing. */
function afterFailure(context: Ctx, why: string, now: Stamp): Partial<Ctx> {
  const { of, policy, record } = context;
  const failures = (record?.failures ?? 0) + 1;
  const before = { observed: {}, done: 0, undone: 0, stranded: [], ...record };
  const next: PatrolRecord = { ...before, of, cycle: cycleOf(context), endedAt: now.wall, why, failures };
  return { record: next, wakeAt: nextBeat(now.at, policy.activeMs) };
}

export const round = setup({
  types: {} as { context: Ctx; events: Fact; input: RoundInput; emitted: Order },
  actions: {
    read: enqueueActions(({ enqueue, context: { of } }) => {
      enqueue.emit({ type: 'readPatrol', id: { giver: 'patrol', rig: of, verb: 'read' }, of });
      enqueue.assign({ wakeAt: null });
    }),
    recall: enqueueActions(({ enqueue, event }) => {
      if (event.type === 'PATROL_READ') enqueue.assign({ record: event.record, wakeAt: 0 });
    }),
    begin: enqueueActions(({ enqueue, context }) => {
      const { of } = context;
      enqueue.emit({ type: 'patrol', id: { giver: 'patrol', rig: of, turn: cycleOf(context) }, of });
      enqueue.assign({ wakeAt: null, wokenMs: null });
    }),
    end: enqueueActions(({ enqueue, context, event }) => {
      const why = event.type === 'ORDER_FAILED' ? event.why : 'it did not end';
      const now = stampOf(event);
      enqueue.assign(
        event.type === 'PATROLLED' ? afterCycle(context, event.found, now) : afterFailure(context, why, now),
      );
    }),
    note: enqueueActions(({ enqueue, context, event }) => {
      const ms = wakeMs(context, event);
      enqueue.assign({ wokenMs: Math.min(context.wokenMs ?? ms, ms) });
    }),
    soon: enqueueActions(({ enqueue, context, event }) => {
      const soon = nextBeat(stampOf(event).at, wakeMs(context, event));
      enqueue.assign({ wakeAt: Math.min(context.wakeAt ?? soon, soon) });
    }),
    later: enqueueActions(({ enqueue, context, event }) => {
      enqueue.assign({ wakeAt: nextBeat(stampOf(event).at, context.policy.activeMs) });
    }),
  },
  guards: {
    due: isDue,
    wakes: ({ context, event }) => event.type === 'POKED' && wakes(context, event.what),
  },
}).createMachine({
  id: 'patrol',
  context: ({ input }) => ({ ...input, record: null, wokenMs: null, wakeAt: null }),
  initial: 'opening',
  states: {
    opening: {
      entry: 'read',
      on: {
        PATROL_READ: { target: 'resting', actions: 'recall' },
        ORDER_FAILED: { target: 'blind', actions: 'later' },
      },
    },
    blind: { on: { TICK: { guard: 'due', target: 'opening' } } },
    resting: {
      on: { TICK: { guard: 'due', target: 'patrolling' }, POKED: { guard: 'wakes', actions: 'soon' } },
    },
    patrolling: {
      entry: 'begin',
      on: {
        POKED: { guard: 'wakes', actions: 'note' },
        PATROLLED: { target: 'resting', actions: 'end' },
        ORDER_FAILED: { target: 'resting', actions: 'end' },
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
keeps(round, ({ context: { record } }) => (record === null ? [] : [{ kind: 'patrol', id: record.of, value: record }]));
