/**
 * Who dances and who waits, decided without a machine (D-4, D-11, D-15).
 * 1. First in, first out; a warrant whose target is dancing is handed to that dog; a forced one waits for nobody's place.
 * 2. A warrant that expired or was cancelled gets a dance that is over before it began: one way to completed/ for all.
 */
import { closedUnheard, freshDance, overdueAfterMs, type DogTools } from './dance.ts';
import type { Alert, Dance, Heard, Instant, Stamp, Verdict, WallMs, Warrant } from './protocol.ts';

/** A dog's place in the pool. */
export interface Place {
  /** As last woken. */
  readonly dance: Dance;
  /** When it began, less the time in which no town ran. */
  readonly since: Instant;
  readonly overdueTold: boolean;
}
export interface Pool {
  readonly tools: DogTools;
  readonly queue: readonly Warrant[];
  readonly dogs: Readonly<Record<string, Place>>;
  readonly heard: readonly Heard[];
  /** Warrants that need no second look: in a dance, or closed a moment ago. */
  readonly known: ReadonlySet<string>;
  readonly lastDanceMs: WallMs;
}
/** What a plan changes: dogs to start, warrants to hand over, and the pool afterwards. */
export interface PoolPlan {
  readonly start: readonly Dance[];
  readonly attach: readonly { readonly dog: string; readonly warrant: Warrant }[];
  readonly pool: Pick<Pool, 'queue' | 'dogs' | 'known' | 'lastDanceMs'>;
}

/** Files that may still be seen for a moment after their dance closed. */
const MOST_KNOWN = 5_000;
const HOUR = 3_600_000;

/** An operator's force first, then in the order of filing. */
export const byFiling = (a: Warrant, b: Warrant): number =>
  Number(b.force) - Number(a.force) || a.filedAt - b.filedAt || (a.id < b.id ? -1 : 1);

/** The queue with what is new to this kennel; the same queue when nothing is. */
export function withNew(pool: Pool, filed: readonly Warrant[]): readonly Warrant[] {
  const waiting = new Set(pool.queue.map((w) => w.id));
  const fresh = filed.filter((w) => !pool.known.has(w.id) && !waiting.has(w.id));
  return fresh.length === 0 ? pool.queue : [...pool.queue, ...fresh].sort(byFiling);
}

/** D-4: two pardons on signs of life alone within half an hour, and a person decides the next one. */
export const mustEscalate = (heard: readonly Heard[], uuid: string, now: WallMs, { policy }: DogTools): boolean =>
  heard.filter((h) => h.uuid === uuid && h.evidenceOnly && now - h.closedAt < policy.evidenceOnlyWithinMs).length >=
  policy.evidenceOnlyMost;

/** Nobody can be heard without a pane (C-7): such a dance waits, for as long as its agent lives, and keeps no other waiting. */
const isMute = ({ origin }: Dance['target']): boolean => origin === 'detached';
const taken = (dogs: Pool['dogs']): number => Object.values(dogs).filter((p) => !isMute(p.dance.target)).length;
const freeSlot = (dogs: Pool['dogs']): number => {
  const taken = new Set(Object.values(dogs).map((p) => p.dance.slot));
  let slot = 1;
  while (taken.has(slot)) slot++;
  return slot;
};
const withKnown = (known: ReadonlySet<string>, ids: readonly string[]): ReadonlySet<string> => {
  const all = [...known, ...ids];
  return new Set(all.slice(Math.max(0, all.length - MOST_KNOWN)));
};

/** A dance for this warrant, with an id that no other has even when the clock steps back; `unheard` closes it at once. */
function open(
  pool: Pick<Pool, 'tools' | 'heard' | 'dogs' | 'lastDanceMs'>,
  warrant: Warrant,
  { at, wall }: Stamp,
  unheard: string | null,
): { dance: Dance; place: Place; lastDanceMs: WallMs } {
  const { tools, heard, dogs } = pool;
  const lastDanceMs = Math.max(wall, pool.lastDanceMs + 1);
  const escalate = mustEscalate(heard, warrant.target.uuid, wall, tools);
  const fresh = freshDance(`dog-${lastDanceMs}`, freeSlot(dogs), warrant, tools, { wall, escalate });
  const dance = unheard === null ? fresh : closedUnheard(fresh, unheard);
  return { dance, place: { dance, since: at, overdueTold: false }, lastDanceMs };
}

/** What the pool does with its queue now. `verdictOf` tells whether a dancing dog has judged already. */
export function plan(pool: Pool, verdictOf: (dog: string) => Verdict | null, stamp: Stamp): PoolPlan {
  const { policy } = pool.tools;
  const dogs = { ...pool.dogs };
  const dancing = new Map(Object.values(dogs).map((p) => [p.dance.target.uuid, p.dance.id]));
  const queue: Warrant[] = [];
  const start: Dance[] = [];
  const attach: { dog: string; warrant: Warrant }[] = [];
  const settled: string[] = [];
  let { lastDanceMs } = pool;
  for (const warrant of pool.queue) {
    const dog = dancing.get(warrant.target.uuid);
    const isExpired = stamp.wall - warrant.filedAt > policy.warrantExpiresMs; // void at once: it takes nobody's place
    const isFull = taken(dogs) >= policy.poolSize && !warrant.force && !isMute(warrant.target) && !isExpired;
    // One that this very plan opened may be over already, and no dog can tell of it yet.
    const verdict = dog === undefined ? null : (verdictOf(dog) ?? dogs[dog]?.dance.verdict ?? null);
    // A verdict does not answer an order to kill, nor does it answer those who came along with one that expired.
    const isNew = dog !== undefined && !(dog in pool.dogs);
    const mustWait = dog === undefined ? isFull : verdict !== null && (warrant.force || isNew);
    if (mustWait) {
      queue.push(warrant);
      continue;
    }
    settled.push(warrant.id);
    if (dog !== undefined) {
      attach.push({ dog, warrant });
      continue;
    }
    const unheard = isExpired ? `expired: filed more than ${policy.warrantExpiresMs / HOUR} h ago` : null;
    const opened = open({ ...pool, dogs, lastDanceMs }, warrant, stamp, unheard);
    ({ lastDanceMs } = opened);
    dogs[opened.dance.id] = opened.place;
    dancing.set(warrant.target.uuid, opened.dance.id);
    start.push(opened.dance);
  }
  if (settled.length === 0) return { start, attach, pool };
  return { start, attach, pool: { queue, dogs, lastDanceMs, known: withKnown(pool.known, settled) } };
}

/** The dance that closes a queued warrant because `by` took it back. */
export function cancelled(pool: Pool, warrant: Warrant, by: string, stamp: Stamp): PoolPlan {
  const { dance, place, lastDanceMs } = open(pool, warrant, stamp, `cancelled by ${by}`);
  return {
    start: [dance],
    attach: [],
    pool: {
      queue: pool.queue.filter((w) => w.id !== warrant.id),
      dogs: { ...pool.dogs, [dance.id]: place },
      known: withKnown(pool.known, [warrant.id]),
      lastDanceMs,
    },
  };
}

/** Why a warrant in this dance cannot be taken back; null = it can. */
export function whyNotCancelled(dance: Dance, id: string): string | null {
  const others = dance.warrants.length - 1;
  if (others > 0) return `warrant ${id} shares dance ${dance.id} with ${others} other(s); cancel those first`;
  if (dance.verdict !== null) return `warrant ${id} cannot be cancelled: its dance ${dance.id} is ${dance.verdict}`;
  if (dance.killing) return `warrant ${id} cannot be cancelled: its dance ${dance.id} is executing`;
  return null;
}

/** Places whose dance outlives its windows by more than policy allows and was not told yet. */
export const overdue = ({ dogs, tools }: Pool, now: Instant): readonly Place[] =>
  Object.values(dogs).filter(
    ({ dance, since, overdueTold }) => !overdueTold && now - since > overdueAfterMs(dance, tools.policy),
  );
export const overdueAlert = (dance: Dance): Alert => ({
  episode: `dance-overdue/${dance.id}`,
  severity: 'medium',
  session: dance.target.session,
  text: `The hearing of ${dance.target.session} takes longer than its windows: the town cannot see it, or cannot type the question. See: town dog show ${dance.id}`,
});
export const hopelessAlert = (dance: Dance): Alert => ({
  episode: `dance-hopeless/${dance.id}`,
  severity: 'high',
  session: dance.target.session,
  text: `Dance ${dance.id} of ${dance.target.session} cannot go on (${dance.reason || 'its dog falls at once'}); nothing was killed. Its record stays in deacon/dogs/active/.`,
});
/** At its next start the town takes it up again: whatever comes of that is another case. */
export const hopelessOver = ({ id }: Dance): { readonly episode: string; readonly text: string } => ({
  episode: `dance-hopeless/${id}`,
  text: `Dance ${id} is taken up again.`,
});
