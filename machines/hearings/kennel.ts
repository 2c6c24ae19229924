/**
 * The kennel: a dynamic supervisor of dogs over one queue. Owns: who dances, who waits, and what becomes of a dog that crashed.
 * 1. One dance per incarnation; at most `poolSize` hearings at once.
 * 2. It opens by reading the records, at first start and after its own crash alike.
 * 3. A dog that crashes starts again from its last good dance; the record counts `crashes`, and too many end it `failed`.
 */
import { assign, emit, enqueueActions, setup } from 'xstate';
import type { AnyActorRef, DoneActorEvent, ErrorActorEvent } from 'xstate';
import { causeOf } from '../kernel/cause.ts';
import { persists } from '../kernel/persistence.ts';
import { nextMultiple } from '../kernel/schedule.ts';
import { isDue, reply, stampOf } from '../kernel/decision.ts';
import { afterCrash, afterProtection, afterRestart } from './dance.ts';
import { danceOf, type DogSnapshot } from './dog/record.ts';
import { dog } from './dog/chart.ts';
import { byFiling, byOpening, cancelWarrant, plan, whyNotCancelled, withNew, withOverdue } from './queue.ts';
import type { Pool, PoolPlan, PoolTools } from './queue.ts';
import type { HearingsSeen } from './alerts.ts';
import { heardAfter, oftenHeard, onWallNow, worthKeeping, type ClockOffset } from './history.ts';
import type { Dance, Fact, Instant, Order, Reply } from '../protocol.ts';

interface Context extends Pool, HearingsSeen {
  readonly reading: boolean;
  readonly wakeAt: Instant | null;
  readonly clockOffset: ClockOffset;
}
type Event = Fact | ErrorActorEvent | DoneActorEvent<Dance>;

/** A dog's snapshot as it is: without a dance only where its context factory threw. */
const snapshotOf = (self: AnyActorRef, id: string): (Partial<DogSnapshot> & { status: string }) | null => {
  const { children } = self.getSnapshot() as { children: Record<string, AnyActorRef | undefined> };
  return (children[id]?.getSnapshot() as (Partial<DogSnapshot> & { status: string }) | undefined) ?? null;
};
const danceNow = (self: AnyActorRef, id: string): Dance | null => snapshotOf(self, id)?.context?.dance ?? null;

const s = setup({
  types: {} as { context: Context; events: Event; input: PoolTools; emitted: Order; children: Record<string, 'dog'> },
  actors: { dog },
  actions: {
    readRecords: emit((): Order => ({ type: 'readRecords', id: { issuer: 'kennel', verb: 'read' } })),
    readWarrants: enqueueActions(({ enqueue, context }) => {
      enqueue.assign({ reading: true, wakeAt: null });
      if (!context.reading) enqueue.emit({ type: 'readWarrants', id: { issuer: 'kennel', verb: 'warrants' } });
    }),
    readLater: assign(({ context, event }) => ({
      reading: false,
      wakeAt: nextMultiple(stampOf(event).at, context.tools.policy.readWarrantsEveryMs),
    })),
    resumeRecords: enqueueActions(({ enqueue, context, event }) => {
      if (event.type !== 'RECORDS_READ') return;
      const waiting: Dance[] = [];
      for (const found of event.dances) {
        if (found.stage === 'closed') continue;
        const isProtected = event.protected?.includes(found.target.session) === true;
        const dance = isProtected ? afterProtection(found) : afterRestart(found, context.tools.policy);
        waiting.push(dance);
      }
      const known = new Set(event.dances.flatMap((d) => d.warrants.map((w) => w.id)));
      const queue = event.warrants.filter((w) => !known.has(w.id)).sort(byFiling);
      const { lastDanceMs } = event;
      const { heard: all, ahead } = onWallNow(
        event.heard.toSorted((a, b) => a.closedAt - b.closedAt),
        null,
        event,
      );
      const heard = worthKeeping(all, event.wall, context.tools);
      enqueue.assign({
        dogs: {},
        waiting: waiting.sort(byOpening),
        queue,
        pastHearings: heard,
        clockOffset: ahead,
        poisoned: [],
        handled: known,
        lastDanceMs,
      });
    }),
    enqueueWarrants: assign(({ context, event }) => ({
      queue: withNew(
        context,
        event.type === 'WARRANTS_READ' ? event.warrants : event.type === 'WARRANT_FILED' ? [event.warrant] : [],
      ),
    })),
    assignDogs: enqueueActions(({ enqueue, context, event, self }) => {
      if (context.queue.length === 0 && context.waiting.length === 0) return;
      const { start, attach, pool } = plan(context, (id) => danceNow(self, id)?.verdict ?? null, stampOf(event));
      for (const dance of start) enqueue.spawnChild('dog', { id: dance.id, input: { ...context.tools, dance } });
      for (const { dog: id, warrant } of attach) enqueue.sendTo(id, { type: 'ATTACHED', warrant });
      enqueue.assign(pool);
    }),
    cancel: enqueueActions(({ enqueue, context, event, self }) => {
      if (event.type !== 'REQUESTED' || event.request.verb !== 'cancelWarrant') return;
      const { id, by } = event.request;
      const answer = (body: Reply) => enqueue.emit(reply(event.rpc, body));
      const refuse = (text: string) => answer({ ok: false, exit: 1, code: 'not_cancelled', text });
      const dances = [...Object.keys(context.dogs).map((dogId) => danceNow(self, dogId)), ...context.waiting];
      const dance = dances.find((d) => d?.warrants.some((w) => w.id === id));
      const why = dance ? whyNotCancelled(dance, id) : null;
      if (why !== null) return refuse(why);
      const unheard: PoolPlan | null = cancelWarrant(context, id, by, event);
      if (!dance && !unheard) return refuse(`no open warrant ${id}; list them with: town warrant list`);
      for (const one of unheard?.start ?? [])
        enqueue.spawnChild('dog', { id: one.id, input: { ...context.tools, dance: one } });
      if (unheard) enqueue.assign(unheard.pool);
      else if (dance) enqueue.sendTo(dance.id, { type: 'CANCELLED', by });
      answer({ ok: true, value: { id, state: 'closed', ...(dance && { dance: dance.id }) } });
    }),
    release: enqueueActions(({ enqueue, context }, { actorId, output }: { actorId: string; output: Dance }) => {
      const { [actorId]: _, ...dogs } = context.dogs;
      enqueue.stopChild(actorId);
      enqueue.assign({ dogs, pastHearings: heardAfter(context, output), wakeAt: 0 }); // the free slot is filled at the TICK of this very step
    }),
    revive: enqueueActions(({ enqueue, self, context }, { actorId, error }: { actorId: string; error: unknown }) => {
      const last = snapshotOf(self, actorId);
      const entry = context.dogs[actorId];
      if (!last || !entry || last.status === 'active') return; // an older incarnation's event
      const { policy } = context.tools;
      const lastGood = last.context?.dance ? danceOf(last as DogSnapshot) : entry.dance;
      const crashes = Math.max(lastGood.crashes, entry.dance.crashes); // a crash at birth must not forget the earlier ones
      const dance = afterCrash({ ...lastGood, crashes }, causeOf(error), policy);
      const { [actorId]: _, ...others } = context.dogs;
      const isPoisoned = dance.crashes > policy.maxCrashes; // it cannot even fail: its record stays, its slot is free
      enqueue.stopChild(actorId);
      if (isPoisoned) enqueue.assign({ poisoned: [...context.poisoned, dance] });
      else enqueue.spawnChild('dog', { id: actorId, input: { ...context.tools, dance } });
      enqueue.assign({ dogs: isPoisoned ? others : { ...others, [actorId]: { ...entry, dance } }, wakeAt: 0 });
    }),
    followClock: assign(({ context, event }) => {
      const { heard, ahead } = onWallNow(context.pastHearings, context.clockOffset, stampOf(event));
      return { pastHearings: heard, clockOffset: ahead };
    }),
    /** Applies the passage of time to open and closed hearings. */
    age: assign(({ context, event, self }) => {
      const { at, wall } = stampOf(event);
      const dogs = withOverdue(context, at, (id) => danceNow(self, id));
      return { dogs, often: oftenHeard(context.pastHearings, wall, context.tools) };
    }),
  },
  guards: {
    due: isDue,
    cancelling: ({ event }) => event.type === 'REQUESTED' && event.request.verb === 'cancelWarrant',
    aboutWarrants: ({ event }) => event.type === 'CHANGED' && event.what === 'warrants',
  },
});

/** A dog's record is its dance. */
persists(dog, (snapshot) => {
  const value = danceOf(snapshot);
  return [{ kind: 'dance', id: value.id, value }];
});

export const kennel = s.createMachine({
  id: 'kennel',
  context: ({ input }) => ({
    tools: input,
    queue: [],
    waiting: [],
    dogs: {},
    pastHearings: [],
    handled: new Set<string>(),
    often: {},
    poisoned: [],
    lastDanceMs: 0,
    reading: false,
    wakeAt: null,
    clockOffset: null,
  }),
  initial: 'opening',
  on: { 'xstate.error.actor.*': { actions: { type: 'revive', params: ({ event }) => event } } },
  states: {
    opening: {
      entry: 'readRecords',
      on: {
        RECORDS_READ: { target: 'open', actions: ['resumeRecords', 'assignDogs', 'age', 'readLater'] },
        ORDER_FAILED: { target: 'resting' },
      },
    },
    resting: {
      entry: 'readLater',
      on: { TICK: { guard: 'due', target: 'opening', actions: assign({ wakeAt: null }) } },
    },
    open: {
      on: {
        WARRANT_FILED: { actions: ['followClock', 'enqueueWarrants', 'assignDogs'] },
        WARRANTS_READ: { actions: ['followClock', 'enqueueWarrants', 'assignDogs', 'readLater'] },
        ORDER_FAILED: { actions: 'readLater' },
        CHANGED: { guard: 'aboutWarrants', actions: 'readWarrants' },
        REQUESTED: { guard: 'cancelling', actions: 'cancel' },
        TICK: { guard: 'due', actions: ['followClock', 'assignDogs', 'age', 'readWarrants'] },
        'xstate.done.actor.*': {
          actions: { type: 'release', params: ({ event }) => event as unknown as { actorId: string; output: Dance } },
        },
      },
    },
  },
});
