/**
 * The kennel keeps at most `poolSize` dogs and a first-in-first-out queue. Owns: who dances, who waits.
 * 1. One dance per incarnation: a second warrant for it attaches to the dance, or waits behind it in the queue.
 * 2. It opens by reading the records, at first start and after its own fall alike.
 * 3. A dog that falls is woken from its last good dance; falls are counted in the record, and too many end it `failed`.
 * 4. A warrant that expires or is cancelled takes the way of every dance: a record, a message to its requester.
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
import { afterFall, afterRestart, closedUnheard, freshDance, type DogTools } from './dance.ts';
import { danceOf, dog } from './dog.ts';
import type { Dance, Fact, Heard, Instant, Order, Reply, Stamp, WallMs, Warrant } from './protocol.ts';

interface Place {
  /** As last woken. */
  readonly dance: Dance;
  readonly since: Instant | null;
  readonly overdueTold: boolean;
}
interface Ctx {
  readonly tools: DogTools;
  readonly queue: readonly Warrant[];
  readonly dogs: Readonly<Record<string, Place>>;
  readonly heard: readonly Heard[];
  /** Warrants that need no second look: in a dance, or closed a moment ago. */
  readonly known: ReadonlySet<string>;
  readonly lastDanceMs: WallMs;
  readonly reading: boolean;
  readonly wakeAt: Instant | null;
}
type Event = Fact | ErrorActorEvent | DoneActorEvent<Dance>;

/** Files that may still be seen for a moment after their dance closed. */
const MOST_KNOWN = 5_000;
const stampOf = (event: unknown): Stamp => ({ at: (event as Stamp).at, wall: (event as Stamp).wall });
const freeSlot = (dogs: Ctx['dogs']): number => {
  const taken = new Set(Object.values(dogs).map((p) => p.dance.slot));
  let slot = 1;
  while (taken.has(slot)) slot++;
  return slot;
};
const remembered = (known: ReadonlySet<string>, ids: Iterable<string>): ReadonlySet<string> => {
  const all = [...known, ...ids];
  return new Set(all.slice(Math.max(0, all.length - MOST_KNOWN)));
};
const byFiling = (a: Warrant, b: Warrant) =>
  Number(b.force) - Number(a.force) || a.filedAt - b.filedAt || (a.id < b.id ? -1 : 1);

/** D-4: two pardons on signs of life alone within half an hour, and a person decides the next one. */
export const mustEscalate = (heard: readonly Heard[], uuid: string, now: WallMs, { policy }: DogTools): boolean =>
  heard.filter((h) => h.uuid === uuid && h.evidenceOnly && now - h.closedAt < policy.evidenceOnlyWithinMs).length >=
  policy.evidenceOnlyMost;

const s = setup({
  types: {} as { context: Ctx; events: Event; input: DogTools; emitted: Order; children: Record<string, 'dog'> },
  actors: { dog },
  actions: {
    readRecords: emit((): Order => ({ type: 'readRecords', id: 'kennel/read' })),
    readWarrants: enqueueActions(({ enqueue, context }) => {
      enqueue.assign({ reading: true, wakeAt: null });
      if (!context.reading) enqueue.emit({ type: 'readWarrants', id: 'kennel/warrants' });
    }),
    readLater: assign(({ context, event }) => ({
      reading: false,
      wakeAt: stampOf(event).at + context.tools.policy.readWarrantsEveryMs,
    })),
    adopt: enqueueActions(({ enqueue, context, event }) => {
      if (event.type !== 'RECORDS_READ') return;
      const dogs: Record<string, Place> = {};
      for (const found of event.dances) {
        if (found.stage === 'closed') continue;
        const dance = afterRestart(found, context.tools.policy);
        dogs[dance.id] = { dance, since: event.at, overdueTold: false };
        enqueue.spawnChild('dog', { id: dance.id, input: { ...context.tools, dance } });
      }
      const danced = new Set(event.dances.flatMap((d) => d.warrants.map((w) => w.id)));
      enqueue.assign({
        dogs,
        queue: event.warrants.filter((w) => !danced.has(w.id)).sort(byFiling),
        heard: event.heard,
        known: danced,
        lastDanceMs: event.lastDanceMs,
      });
    }),
    take: assign(({ context: { queue, known }, event }) => {
      const filed =
        event.type === 'WARRANTS_READ' ? event.warrants : event.type === 'WARRANT_FILED' ? [event.warrant] : [];
      const waiting = new Set(queue.map((w) => w.id));
      const news = filed.filter((w) => !known.has(w.id) && !waiting.has(w.id));
      return news.length === 0 ? {} : { queue: [...queue, ...news].sort(byFiling) };
    }),
    /** First in, first out; a warrant whose target is dancing is handed to that dog; a forced one waits for nobody's place. */
    assignDogs: enqueueActions(({ enqueue, context, event, self }) => {
      const { tools, heard } = context;
      const { wall, at } = stampOf(event);
      if (context.queue.length === 0) return;
      const { policy } = tools;
      const oldest = context.queue[0];
      const full = Object.keys(context.dogs).length >= policy.poolSize;
      if (full && !oldest?.force && event.type === 'WARRANTS_READ' && event.warrants.length === 0) return;
      const dogs = { ...context.dogs };
      const byTarget = new Map(Object.values(dogs).map((p) => [p.dance.target.uuid, p.dance.id]));
      const refs = self.getSnapshot().children as Record<string, AnyActorRef | undefined>;
      const queue: Warrant[] = [];
      const settled: string[] = [];
      let { lastDanceMs } = context;
      for (const w of context.queue) {
        const dancing = byTarget.get(w.target.uuid);
        const expired = wall - w.filedAt > policy.warrantExpiresMs;
        if (dancing !== undefined) {
          const judged =
            (refs[dancing]?.getSnapshot().context as { dance?: Dance } | undefined)?.dance?.verdict ?? null;
          if (w.force && judged !== null) {
            queue.push(w); // that hearing is over; an operator's order is not answered by its verdict
            continue;
          }
          enqueue.sendTo(dancing, { type: 'ATTACHED', warrant: w });
        } else if (Object.keys(dogs).length >= policy.poolSize && !w.force) {
          queue.push(w);
          continue;
        } else {
          lastDanceMs = Math.max(wall, lastDanceMs + 1);
          const id = `dog-${lastDanceMs}`;
          const escalate = mustEscalate(heard, w.target.uuid, wall, tools);
          const fresh = freshDance(id, freeSlot(dogs), w, tools, { wall, escalate });
          const dance = expired
            ? closedUnheard(fresh, `expired: filed more than ${policy.warrantExpiresMs / 3_600_000} h ago`)
            : fresh;
          dogs[id] = { dance, since: at, overdueTold: false };
          byTarget.set(w.target.uuid, id);
          enqueue.spawnChild('dog', { id, input: { ...tools, dance } });
        }
        settled.push(w.id);
      }
      if (settled.length === 0) return;
      enqueue.assign({ dogs, queue, lastDanceMs, known: remembered(context.known, settled) });
    }),
    cancel: enqueueActions(({ enqueue, context, event, self }) => {
      if (event.type !== 'REQUESTED' || event.request.verb !== 'cancelWarrant') return;
      const { id, by } = event.request;
      const answer = (reply: Reply) => enqueue.emit({ type: 'reply', id: `reply/${event.rpc}`, to: event.rpc, reply });
      const refused = (text: string) => answer({ ok: false, exit: 1, code: 'not_cancelled', text });
      const queued = context.queue.find((w) => w.id === id);
      if (queued) {
        const lastDanceMs = Math.max(event.wall, context.lastDanceMs + 1);
        const fresh = freshDance(`dog-${lastDanceMs}`, freeSlot(context.dogs), queued, context.tools, {
          wall: event.wall,
          escalate: false,
        });
        const dance = closedUnheard(fresh, `cancelled by ${by}`);
        enqueue.spawnChild('dog', { id: dance.id, input: { ...context.tools, dance } });
        enqueue.assign({
          queue: context.queue.filter((w) => w.id !== id),
          dogs: { ...context.dogs, [dance.id]: { dance, since: event.at, overdueTold: false } },
          known: remembered(context.known, [id]),
          lastDanceMs,
        });
        return answer({ ok: true, value: { id, state: 'closed' } });
      }
      for (const [dogId, ref] of Object.entries(self.getSnapshot().children as Record<string, AnyActorRef>)) {
        const dance = (ref.getSnapshot().context as { dance: Dance }).dance;
        if (!dance.warrants.some((w) => w.id === id)) continue;
        if (dance.warrants.length > 1)
          return refused(
            `warrant ${id} shares dance ${dogId} with ${dance.warrants.length - 1} other(s); cancel those first`,
          );
        if (dance.killing || dance.verdict !== null)
          return refused(
            `warrant ${id} cannot be cancelled: its dance ${dogId} is already ${dance.verdict ?? 'executing'}`,
          );
        enqueue.sendTo(dogId, { type: 'CANCELLED', by });
        return answer({ ok: true, value: { id, state: 'closed', dance: dogId } });
      }
      refused(`no open warrant ${id}; list them with: town warrant list`);
    }),
    release: enqueueActions(({ enqueue, context }, { actorId, output }: { actorId: string; output: Dance }) => {
      const { tools, heard } = context;
      const { [actorId]: _, ...dogs } = context.dogs;
      const closedAt = output.closedAt ?? output.openedAt;
      const entry: Heard = {
        uuid: output.target.uuid,
        session: output.target.session,
        verdict: output.verdict ?? 'failed',
        evidenceOnly: output.evidenceOnly,
        closedAt,
      };
      const lately = [...heard, entry].filter((h) => closedAt - h.closedAt < tools.policy.heardWithinMs);
      const session = output.target.session;
      if (
        output.verdict !== 'void' &&
        lately.filter((h) => h.session === session && h.verdict !== 'void').length >= tools.policy.heardOften
      )
        enqueue.emit({
          type: 'alert',
          id: `${actorId}/alert/often`,
          alert: {
            episode: `heard-often/${session}`,
            severity: 'medium',
            session,
            text: `${session} was heard ${tools.policy.heardOften} times or more lately. See: town why ${session}`,
          },
        });
      enqueue.stopChild(actorId);
      enqueue.assign({ dogs, heard: lately, wakeAt: 0 }); // the freed place is filled at the next TICK, in this step
    }),
    revive: enqueueActions(({ enqueue, self, context }, { actorId, error }: { actorId: string; error: unknown }) => {
      const fallen = (self.getSnapshot().children as Record<string, AnyActorRef | undefined>)[actorId];
      const place = context.dogs[actorId];
      if (!fallen || !place || fallen.getSnapshot().status === 'active') return; // an older incarnation's event
      const { policy } = context.tools;
      const last = fallen.getSnapshot(); // the last good one; empty only if its context factory threw
      const lastGood = last.context?.dance ? danceOf(last) : place.dance;
      const falls = Math.max(lastGood.falls, place.dance.falls);
      const dance = afterFall({ ...lastGood, falls }, error instanceof Error ? error.message : String(error), policy);
      const { [actorId]: _, ...others } = context.dogs;
      enqueue.stopChild(actorId);
      const hopeless = dance.falls > policy.mostFalls; // it cannot even fail: its record stays for a person, its place is free
      if (!hopeless) enqueue.spawnChild('dog', { id: actorId, input: { ...context.tools, dance } });
      enqueue.assign({ dogs: hopeless ? others : { ...others, [actorId]: { ...place, dance } } });
      if (hopeless)
        enqueue.emit({
          type: 'alert',
          id: `${actorId}/alert/hopeless`,
          alert: {
            episode: `dance-hopeless/${actorId}`,
            severity: 'high',
            session: dance.target.session,
            text: `Dance ${actorId} of ${dance.target.session} cannot go on (${dance.reason || 'its dog falls at once'}); nothing was killed. Its record stays in deacon/dogs/active/.`,
          },
        });
    }),
    tellOverdue: enqueueActions(({ enqueue, context: { dogs, tools }, event }) => {
      const { at } = stampOf(event);
      const late = Object.entries(dogs).filter(([, { dance, since, overdueTold }]) => {
        const givenMs = dance.attempts.reduce((sum, a) => sum + a.windowMs, 0);
        return !overdueTold && since !== null && at - since > givenMs + tools.policy.overdueMs;
      });
      for (const [id, { dance }] of late)
        enqueue.emit({
          type: 'alert',
          id: `${id}/alert/overdue`,
          alert: {
            episode: `dance-overdue/${id}`,
            severity: 'medium',
            session: dance.target.session,
            text: `Dance ${id} of ${dance.target.session} takes longer than its windows: the town is blind, or the question cannot be typed. See: town dog show ${id}`,
          },
        });
      if (late.length > 0)
        enqueue.assign({
          dogs: { ...dogs, ...Object.fromEntries(late.map(([id, place]) => [id, { ...place, overdueTold: true }])) },
        });
    }),
  },
  guards: {
    due: ({ context, event }) => event.type === 'TICK' && context.wakeAt !== null && event.at >= context.wakeAt,
    cancelling: ({ event }) => event.type === 'REQUESTED' && event.request.verb === 'cancelWarrant',
    aboutWarrants: ({ event }) => event.type === 'POKED' && event.what === 'warrants',
  },
});

export const kennel = s.createMachine({
  id: 'kennel',
  context: ({ input }) => ({
    tools: input,
    queue: [],
    dogs: {},
    heard: [],
    known: new Set<string>(),
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
        WARRANTS_READ: { actions: ['take', 'assignDogs', 'tellOverdue', 'readLater'] },
        ORDER_FAILED: { actions: 'readLater' },
        POKED: { guard: 'aboutWarrants', actions: 'readWarrants' },
        REQUESTED: { guard: 'cancelling', actions: 'cancel' },
        TICK: { guard: 'due', actions: ['assignDogs', 'readWarrants'] },
        'xstate.done.actor.*': {
          actions: {
            type: 'release',
            params: ({ event }) => event as unknown as { actorId: string; output: Dance },
          },
        },
      },
    },
  },
});

/** What a status shows of the kennel. */
export const kennelView = (context: Ctx) => ({
  queued: context.queue.length,
  dancing: Object.keys(context.dogs).length,
});
