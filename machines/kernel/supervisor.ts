/**
 * A generic supervisor in OTP's words. Owns: which children run, and when a crashed one starts again.
 * 1. An error event carries no time: a crash is stamped by the next TICK, which it asks for at once (`wakeAt: 0`).
 * 2. Start in order, stop in reverse; grandchildren of a crashed child are reaped (XState leaves them running).
 * 3. Intensity exceeded: it stops its children and throws, so that its parent sees *it* crash.
 * OTP's `shutdown` has no field: a machine holds nothing outside, so stopping it is immediate; its orders end in the hands.
 */
import { causeOf } from './cause.ts';
import { enqueueActions, setup, stopChild } from 'xstate';
import type { AnyActorLogic, AnyActorRef, AnyStateMachine, DoneActorEvent, ErrorActorEvent } from 'xstate';
import { backoffMs } from './schedule.ts';
import { spread } from './seeded-random.ts';
import type { SupervisorPolicy } from './policy.ts';
import type { Instant, News, Tick } from '../protocol.ts';

export type Strategy = 'one_for_one' | 'rest_for_one' | 'one_for_all';
/** permanent: always again. transient: again after a crash, not after its end. temporary: never. */
export type Restart = 'permanent' | 'transient' | 'temporary';

export interface ChildSpec {
  readonly id: string;
  readonly src: string;
  readonly input?: unknown;
  readonly restart?: Restart;
}
export interface Plan {
  readonly strategy: Strategy;
  readonly children: readonly ChildSpec[];
  readonly policy: SupervisorPolicy;
  /** Spreads the backoff; the same entropy gives the same spread. */
  readonly entropy: string;
  /** For children that come and go: who they are by this news; null = it is about something else. Absent = they stay. */
  readonly membersIn?: (event: News) => readonly ChildSpec[] | null;
}

interface Crash {
  readonly id: string;
  readonly message: string;
}
interface Ctx {
  readonly plan: Plan;
  /** Crashes that no TICK has stamped yet. */
  readonly crashed: readonly Crash[];
  /** Stopped children, and when each starts again. */
  readonly due: readonly { readonly id: string; readonly at: Instant }[];
  readonly restarts: readonly { readonly id: string; readonly at: Instant }[];
  /** Restarts of each child since this supervisor began, for people. */
  readonly restarted: Readonly<Record<string, number>>;
  readonly wakeAt: Instant | null;
}

/** A supervisor's children crashed more often than its policy allows; its parent decides what is next. */
class IntensityExceeded extends Error {
  override readonly name = 'IntensityExceeded';
  constructor(supervisor: string, child: string, reason: string) {
    super(`${supervisor}: ${child} crashed too often; last: ${reason}`);
  }
}

/** The children to stop and start again after `id` crashed, in start order. */
export const affectedBy = (strategy: Strategy, ids: readonly string[], id: string): readonly string[] =>
  ({ one_for_one: [id], rest_for_one: ids.slice(ids.indexOf(id)), one_for_all: ids })[strategy];

/** Whether a child that crashed (or just ended) starts again. */
export const startsAgain = (restart: Restart, crashed: boolean): boolean =>
  ({ permanent: true, transient: crashed, temporary: false })[restart];

interface Shown {
  readonly status: string;
  readonly children?: Record<string, AnyActorRef | undefined>;
}
const shown = (ref: AnyActorRef | undefined): Shown | undefined => ref?.getSnapshot() as Shown | undefined;
const isUp = (ref: AnyActorRef | undefined) => shown(ref)?.status === 'active';

/** Stops everything below an actor: XState leaves the children of a crashed machine running. */
function reap(ref: AnyActorRef | undefined): void {
  for (const child of Object.values(shown(ref)?.children ?? {})) {
    reap(child);
    (child as unknown as { _stop(): void })._stop(); // what the actor scope's stopChild calls; there is no public way
  }
}

const childrenOf = (self: AnyActorRef) => shown(self)?.children ?? {};
const idsOf = (plan: Plan) => plan.children.map((c) => c.id);
const wakeOf = (crashed: Ctx['crashed'], due: Ctx['due']): Instant | null =>
  crashed.length > 0 ? 0 : due.length > 0 ? Math.min(...due.map((d) => d.at)) : null;

/** One TICK: stamps crashes, counts them against the intensity, says who starts now. */
export function settle(
  ctx: Ctx,
  id: string,
  now: Instant,
): Pick<Ctx, 'crashed' | 'due' | 'restarts' | 'wakeAt'> & { ready: string[] } {
  const { policy, strategy, entropy } = ctx.plan;
  let restarts = ctx.restarts.filter((r) => now - r.at < policy.withinMs);
  let due = ctx.due;
  for (const crash of ctx.crashed) {
    restarts = [...restarts, { id: crash.id, at: now }];
    if (restarts.length > policy.maxRestarts) throw new IntensityExceeded(id, crash.id, crash.message);
    const inARow = restarts.filter((r) => r.id === crash.id).length;
    const waitMs = backoffMs(inARow, policy.backoffMs, policy.maxBackoffMs);
    const at = now + spread(waitMs, policy.jitter, entropy, `${crash.id}/${now}`);
    const ids = affectedBy(strategy, idsOf(ctx.plan), crash.id);
    due = [...due.filter((d) => !ids.includes(d.id)), ...ids.map((i) => ({ id: i, at }))];
  }
  const ready = due.filter((d) => d.at <= now).map((d) => d.id);
  due = due.filter((d) => d.at > now);
  return { crashed: [], due, restarts, wakeAt: wakeOf([], due), ready };
}

/** The children to stop after a crash, in order, and the note of it; null = the child is not started again. */
function crashOf(
  plan: Plan,
  up: ReturnType<typeof childrenOf>,
  child: string,
  error: unknown,
): { readonly stops: readonly string[]; readonly message: string | null } {
  const spec = plan.children.find((c) => c.id === child);
  if (!spec || isUp(up[child])) return { stops: [], message: null }; // an older incarnation's event
  if (!startsAgain(spec.restart ?? 'permanent', error !== undefined)) return { stops: [child], message: null };
  const others = affectedBy(plan.strategy, idsOf(plan), child).filter((other) => other !== child && up[other]);
  const message = error === undefined ? 'ended' : causeOf(error);
  return { stops: [child, ...others.reverse()], message };
}

const withRestarts = ({ restarted }: Ctx, ready: readonly string[]): Ctx['restarted'] => ({
  ...restarted,
  ...Object.fromEntries(ready.map((id) => [id, (restarted[id] ?? 0) + 1])),
});

/** The children that this news ends, in reverse, and those that it starts; null = the news is about something else. */
function membersBy({ plan, crashed, due }: Ctx, event: News) {
  const members = plan.membersIn?.(event) ?? null;
  if (members === null) return null;
  const [before, now] = [new Set(idsOf(plan)), new Set(members.map((one) => one.id))];
  const stay = { crashed: crashed.filter(({ id }) => now.has(id)), due: due.filter(({ id }) => now.has(id)) };
  return {
    gone: [...before].filter((id) => !now.has(id)).reverse(),
    come: members.filter(({ id }) => !before.has(id)),
    context: { plan: { ...plan, children: members }, ...stay, wakeAt: wakeOf(stay.crashed, stay.due) },
  };
}

/** A supervisor of these kinds of children; `planOf` makes its plan from its input. */
export function createSupervisor(
  id: string,
  actors: Record<string, AnyActorLogic>,
  planOf: (input: never) => Plan,
): AnyStateMachine {
  return setup({
    types: { context: {} as Ctx, events: {} as Tick | News | ErrorActorEvent | DoneActorEvent, input: {} as never },
    actors,
    actions: {
      startAll: enqueueActions(({ enqueue, context }) => {
        for (const c of context.plan.children) enqueue.spawnChild(c.src, { id: c.id, input: c.input });
      }),
      crash: enqueueActions(({ enqueue, self, context }, { id: child, error }: { id: string; error?: unknown }) => {
        const up = childrenOf(self);
        const { stops, message } = crashOf(context.plan, up, child, error);
        for (const one of stops) {
          reap(up[one]);
          enqueue(stopChild(one));
        }
        if (message !== null) enqueue.assign({ crashed: [...context.crashed, { id: child, message }], wakeAt: 0 });
      }),
      enrol: enqueueActions(({ enqueue, self, context }, event: News) => {
        const change = membersBy(context, event);
        if (change === null) return;
        for (const gone of change.gone) reap(childrenOf(self)[gone]);
        for (const gone of change.gone) enqueue(stopChild(gone));
        for (const { src, id: one, input } of change.come) enqueue.spawnChild(src, { id: one, input });
        enqueue.assign(change.context);
      }),
      tick: enqueueActions(({ enqueue, self, context }, now: Instant) => {
        let settled;
        try {
          settled = settle(context, id, now);
        } catch (error) {
          reap(self); // escalating: nothing of ours may run on
          throw error;
        }
        const { ready, ...rest } = settled;
        for (const { id: one, src, input } of context.plan.children.filter((c) => ready.includes(c.id)))
          enqueue.spawnChild(src, { id: one, input });
        enqueue.assign({ ...rest, restarted: withRestarts(context, ready) });
      }),
    },
  }).createMachine({
    id,
    context: ({ input }) => ({ plan: planOf(input), crashed: [], due: [], restarts: [], restarted: {}, wakeAt: null }),
    initial: 'running',
    states: { running: {} },
    entry: 'startAll',
    on: {
      TICK: { actions: { type: 'tick', params: ({ event }) => event.at } },
      RIGS_SEEN: { actions: { type: 'enrol', params: ({ event }) => event } },
      'xstate.error.actor.*': {
        actions: { type: 'crash', params: ({ event }) => ({ id: event.actorId, error: event.error ?? 'unknown' }) },
      },
      'xstate.done.actor.*': { actions: { type: 'crash', params: ({ event }) => ({ id: event.actorId }) } },
    },
  }) as unknown as AnyStateMachine;
}
