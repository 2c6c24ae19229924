/**
 * The kennel: a dynamic supervisor of dogs over one queue. Owns: who dances, who waits, and what becomes of a dog that fell.
 * 1. One dance per incarnation; at most `poolSize` hearings at once.
 * 2. It opens by reading the records, at first start and after its own fall alike.
 * 3. A dog that falls is woken from its last good dance; falls are counted in the record, and too many end it `failed`.
 */
import {
  assign,
  emit,
  enqueueActions,
  setup,
  type AnyActorRef,
  type DoneActorEvent,
  type ErrorActorEvent,
} from 'xstate';
import { keeps } from '../kernel/kept.ts';
import { nextBeat } from '../kernel/schedule.ts';
import { isDue, order, reply, stampOf } from '../kernel/turn.ts';
import { afterFall, afterProtection, afterRestart } from './dance.ts';
import { danceOf, type DogSnapshot } from './dog/record.ts';
import { dog } from './dog/chart.ts';
import {
  byFiling,
  byOpening,
  cancelWarrant,
  hopelessAlert,
  hopelessOver,
  overdue,
  overdueAlert,
  plan,
  whyNotCancelled,
  withNew,
  type Pool,
  type PoolPlan,
  type PoolTools,
} from './queue.ts';
import { episodesOver, heardAfter, noLongerOften, oftenAlert, oftenOver, wereOften, worthKeeping } from './history.ts';
import type { Alert, Dance, Fact, Instant, Order, Reply } from '../protocol.ts';

interface Context extends Pool {
  readonly reading: boolean;
  /** Sessions whose alarm of being heard often may be open. */
  readonly often: readonly string[];
  readonly wakeAt: Instant | null;
}
type Event = Fact | ErrorActorEvent | DoneActorEvent<Dance>;

const alertOrder = (id: string, alert: Alert): Order => order(id, { type: 'alert', alert });
const endOrder = (by: string, over: { readonly episode: string; readonly text: string }): Order =>
  order(`${by}/over/${over.episode}`, { type: 'endAlert', ...over });
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
    readRecords: emit((): Order => ({ type: 'readRecords', id: 'kennel/read' })),
    readWarrants: enqueueActions(({ enqueue, context }) => {
      enqueue.assign({ reading: true, wakeAt: null });
      if (!context.reading) enqueue.emit({ type: 'readWarrants', id: 'kennel/warrants' });
    }),
    readLater: assign(({ context, event }) => ({
      reading: false,
      wakeAt: nextBeat(stampOf(event).at, context.tools.policy.readWarrantsEveryMs),
    })),
    adopt: enqueueActions(({ enqueue, context, event }) => {
      if (event.type !== 'RECORDS_READ') return;
      const waiting: Dance[] = [];
      for (const found of event.dances) {
        if (found.stage === 'closed') continue;
        const isProtected = event.protected?.includes(found.target.session) === true;
        const dance = isProtected ? afterProtection(found) : afterRestart(found, context.tools.policy);
        if (found.falls >= context.tools.policy.maxFalls || found.stage === 'failed')
          enqueue.emit(endOrder(dance.id, hopelessOver(dance)));
        waiting.push(dance);
      }
      const known = new Set(event.dances.flatMap((d) => d.warrants.map((w) => w.id)));
      const queue = event.warrants.filter((w) => !known.has(w.id)).sort(byFiling);
      const { heard: all, lastDanceMs } = event;
      const heard = worthKeeping(all, event.wall, context.tools);
      const often = wereOften({ ...context, heard: all });
      enqueue.assign({ dogs: {}, waiting: waiting.sort(byOpening), queue, heard, often, known, lastDanceMs });
    }),
    take: assign(({ context, event }) => ({
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
      const heard = heardAfter(context, output);
      const often = oftenAlert(context, heard, output);
      if (often) {
        enqueue.emit(alertOrder(`${actorId}/alert/often`, often));
        enqueue.assign({ often: [...new Set([...context.often, output.target.session])] });
      }
      for (const over of episodesOver(context, output)) enqueue.emit(endOrder(actorId, over));
      enqueue.stopChild(actorId);
      enqueue.assign({ dogs, heard, wakeAt: 0 }); // the free place is filled at the TICK of this very step
    }),
    revive: enqueueActions(({ enqueue, self, context }, { actorId, error }: { actorId: string; error: unknown }) => {
      const last = snapshotOf(self, actorId);
      const place = context.dogs[actorId];
      if (!last || !place || last.status === 'active') return; // an older incarnation's event
      const { policy } = context.tools;
      const lastGood = last.context?.dance ? danceOf(last as DogSnapshot) : place.dance;
      const falls = Math.max(lastGood.falls, place.dance.falls); // a fall at birth must not forget the earlier ones
      const cause = error instanceof Error ? error.message : String(error);
      const dance = afterFall({ ...lastGood, falls }, cause, policy);
      const { [actorId]: _, ...others } = context.dogs;
      const isHopeless = dance.falls > policy.maxFalls; // it cannot even fail: its record stays, its place is free
      enqueue.stopChild(actorId);
      if (isHopeless) enqueue.emit(alertOrder(`${actorId}/alert/hopeless`, hopelessAlert(dance)));
      else enqueue.spawnChild('dog', { id: actorId, input: { ...context.tools, dance } });
      enqueue.assign({ dogs: isHopeless ? others : { ...others, [actorId]: { ...place, dance } }, wakeAt: 0 });
    }),
    endOften: enqueueActions(({ enqueue, context, event }) => {
      if (context.often.length === 0) return;
      const over = noLongerOften(context, context.often, stampOf(event).wall);
      if (over.length === 0) return;
      for (const session of over) enqueue.emit(endOrder('kennel', oftenOver(session)));
      enqueue.assign({ often: context.often.filter((session) => !over.includes(session)) });
    }),
    tellOverdue: enqueueActions(({ enqueue, context, event }) => {
      const late = overdue(context, stampOf(event).at);
      if (late.length === 0) return;
      for (const { dance } of late) enqueue.emit(alertOrder(`${dance.id}/alert/overdue`, overdueAlert(dance)));
      const told = late.map((place) => [place.dance.id, { ...place, overdueTold: true }] as const);
      enqueue.assign({ dogs: { ...context.dogs, ...Object.fromEntries(told) } });
    }),
  },
  guards: {
    due: isDue,
    cancelling: ({ event }) => event.type === 'REQUESTED' && event.request.verb === 'cancelWarrant',
    aboutWarrants: ({ event }) => event.type === 'POKED' && event.what === 'warrants',
  },
});

/** A dog's record is its dance. */
keeps(dog, (snapshot) => {
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
    heard: [],
    known: new Set<string>(),
    often: [],
    lastDanceMs: 0,
    reading: false,
    wakeAt: null,
  }),
  initial: 'opening',
  on: { 'xstate.error.actor.*': { actions: { type: 'revive', params: ({ event }) => event } } },
  states: {
    opening: {
      entry: 'readRecords',
      on: {
        RECORDS_READ: { target: 'open', actions: ['adopt', 'assignDogs', 'readLater'] },
        ORDER_FAILED: { target: 'resting' },
      },
    },
    resting: {
      entry: 'readLater',
      on: { TICK: { guard: 'due', target: 'opening', actions: assign({ wakeAt: null }) } },
    },
    open: {
      on: {
        WARRANT_FILED: { actions: ['take', 'assignDogs'] },
        WARRANTS_READ: { actions: ['take', 'assignDogs', 'tellOverdue', 'endOften', 'readLater'] },
        ORDER_FAILED: { actions: 'readLater' },
        POKED: { guard: 'aboutWarrants', actions: 'readWarrants' },
        REQUESTED: { guard: 'cancelling', actions: 'cancel' },
        TICK: { guard: 'due', actions: ['assignDogs', 'readWarrants'] },
        'xstate.done.actor.*': {
          actions: { type: 'release', params: ({ event }) => event as unknown as { actorId: string; output: Dance } },
        },
      },
    },
  },
});
