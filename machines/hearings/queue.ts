/**
 * Who dances and who waits, decided without a machine (D-4, D-11, D-15).
 * 1. First in, first out; a warrant whose target is dancing is handed to that dog; a forced one waits for no slot.
 *    A verdict answers what was filed before it: later warrants wait until its dance is closed, an order to kill first.
 * 2. A warrant that expired or was cancelled gets a dance that is over before it began: one way to completed/ for all.
 * 3. A void dance is about its own warrants alone: it answers none that comes while it closes, and keeps none waiting.
 * 4. Dances that were open before go on first; what a smaller pool has no slot for waits as its record stands.
 */
import { closedUnheard, freshDance, isForced, overdueAfterMs, type DogTools } from './dance.ts';
import type { Dance, PastHearing, Instant, Stamp, Verdict, WallMs, Warrant } from '../protocol.ts';
import { span } from '../kernel/span.ts';

/** A dog in the pool. */
export interface PoolEntry {
  /** The dance as its dog was last started with it. */
  readonly dance: Dance;
  /** The beginning of the dance, moved forward by the time in which no town ran. */
  readonly since: Instant;
  /** D-15. */
  readonly isOverdue: boolean;
}
export interface PoolTools extends DogTools {
  /** What the wall showed at the zero of the monotonic clock, by the first look in this boot; Infinity = the wall is believed. */
  readonly wallAtZero: WallMs;
}
export interface Pool {
  readonly tools: PoolTools;
  readonly queue: readonly Warrant[];
  /** Open dances of an earlier process that wait for a slot. */
  readonly waiting: readonly Dance[];
  readonly dogs: Readonly<Record<string, PoolEntry>>;
  readonly pastHearings: readonly PastHearing[];
  /** Warrants that need no second look: in a dance, or closed a moment ago. */
  readonly handled: ReadonlySet<string>;
  /** The newest number that the id of a dance was made of. */
  readonly lastDanceMs: WallMs;
}
/** What a plan changes: dogs to start, warrants to hand over, and the pool afterwards. */
export interface PoolPlan {
  readonly start: readonly Dance[];
  readonly attach: readonly { readonly dog: string; readonly warrant: Warrant }[];
  readonly pool: Pick<Pool, 'queue' | 'waiting' | 'dogs' | 'handled' | 'lastDanceMs'>;
}

/** Files that may still be seen for a moment after their dance closed. */
const MAX_HANDLED = 5_000;

/** An operator's force first, then in the order of filing. */
export const byFiling = (a: Warrant, b: Warrant): number =>
  Number(b.force) - Number(a.force) || a.filedAt - b.filedAt || (a.id < b.id ? -1 : 1);

/** The queue with what is new to this kennel; the same queue when nothing is. */
export function withNew(pool: Pool, filed: readonly Warrant[]): readonly Warrant[] {
  const waiting = new Set(pool.queue.map((w) => w.id));
  const fresh = filed.filter((w) => !pool.handled.has(w.id) && !waiting.has(w.id));
  return fresh.length === 0 ? pool.queue : [...pool.queue, ...fresh].sort(byFiling);
}

/** D-4: two pardons on signs of life alone within half an hour, and a person decides the next one. */
export const mustEscalate = (heard: readonly PastHearing[], uuid: string, now: WallMs, { policy }: DogTools): boolean =>
  heard.filter((h) => h.uuid === uuid && h.evidenceOnly && now - h.closedAt < policy.evidenceOnlyWithinMs).length >=
  policy.maxEvidenceOnly;

/** Without a pane an agent cannot be heard (C-7): its dance waits while the agent lives, and delays no other dance. */
const hasNoPane = ({ origin }: Dance['target']): boolean => origin === 'detached';
/** D-11: an order to kill waits for no slot and takes none, nor does a dance that is over and only told. */
export const takesSlot = (dance: Dance): boolean =>
  dance.verdict === null && !isForced(dance) && !hasNoPane(dance.target);
const isFull = ({ tools, dogs }: Pick<Pool, 'tools' | 'dogs'>): boolean =>
  Object.values(dogs).filter(({ dance }) => takesSlot(dance)).length >= tools.policy.poolSize;
const freeSlot = ({ dogs, waiting }: Pick<Pool, 'dogs' | 'waiting'>): number => {
  const taken = new Set([...Object.values(dogs).map((p) => p.dance), ...waiting].map(({ slot }) => slot));
  let slot = 1;
  while (taken.has(slot)) slot++;
  return slot;
};
const withHandled = (known: ReadonlySet<string>, ids: readonly string[]): ReadonlySet<string> => {
  const all = [...known, ...ids];
  return new Set(all.slice(Math.max(0, all.length - MAX_HANDLED)));
};

/**
 * D-15: by the clock that makes it younger. A step of the wall and a sleep of the machine make no warrant older, so that no
 * warrant is lost by them; at worst it is heard late.
 */
const isExpired = ({ filedAt }: Warrant, { at, wall }: Stamp, { policy, wallAtZero }: PoolTools): boolean =>
  Math.min(wall, wallAtZero + at) - filedAt > policy.warrantExpiresMs;

/** The longest-running dances first; before them those that may have sent signals. */
export const byOpening = (a: Dance, b: Dance): number =>
  Number(b.killing) - Number(a.killing) || a.openedAt - b.openedAt || (a.id < b.id ? -1 : 1);

const poolEntry = (dance: Dance, { at }: Stamp): PoolEntry => ({
  dance,
  since: at - (dance.lastedMs ?? 0),
  isOverdue: false,
});

/** A dance for this warrant, with an id that no other has even when the clock steps back; `unheard` closes it at once. */
function open(
  pool: Pick<Pool, 'tools' | 'pastHearings' | 'dogs' | 'waiting' | 'lastDanceMs'>,
  warrant: Warrant,
  { wall }: Stamp,
  unheard: string | null,
): { dance: Dance; lastDanceMs: WallMs } {
  const { tools, pastHearings: heard } = pool;
  const lastDanceMs = Math.max(wall, pool.lastDanceMs + 1);
  const escalate = mustEscalate(heard, warrant.target.uuid, wall, tools);
  const fresh = freshDance(`dog-${lastDanceMs}`, freeSlot(pool), warrant, tools, { wall, escalate });
  return { dance: unheard === null ? fresh : closedUnheard(fresh, unheard), lastDanceMs };
}

type VerdictOf = (dog: string) => Verdict | null;
interface PlanSoFar {
  readonly dogs: Record<string, PoolEntry>;
  readonly start: Dance[];
  /** The target now heard or judged, by uuid. A void dance neither settles later warrants nor delays them. */
  readonly dancing: Map<string, string>;
}

function begin({ dogs, start, dancing }: PlanSoFar, dance: Dance, stamp: Stamp): void {
  start.push(dance);
  dogs[dance.id] = poolEntry(dance, stamp);
  if (dance.verdict !== 'void') dancing.set(dance.target.uuid, dance.id);
}

/** Begins the dances that have a slot now, or need none; gives back the others. */
function beginWaiting({ tools, queue, waiting }: Pool, soFar: PlanSoFar, stamp: Stamp): readonly Dance[] {
  const forced = queue.filter((w) => w.force && !isExpired(w, stamp, tools)).map(({ target }) => target.uuid);
  return waiting.filter((dance) => {
    const isKept = takesSlot(dance) && !forced.includes(dance.target.uuid) && isFull({ tools, dogs: soFar.dogs });
    if (!isKept) begin(soFar, dance, stamp);
    return isKept;
  });
}

/** What the pool does with what waits now. `verdictOf` tells whether a dancing dog has judged already. */
export function plan(pool: Pool, verdictOf: VerdictOf, stamp: Stamp): PoolPlan {
  const { tools } = pool;
  const dogs = { ...pool.dogs };
  const verdictNow = (dog: string): Verdict | null => verdictOf(dog) ?? dogs[dog]?.dance.verdict ?? null;
  const live = Object.values(dogs).filter(({ dance }) => verdictNow(dance.id) !== 'void');
  const dancing = new Map(live.map(({ dance }) => [dance.target.uuid, dance.id]));
  const start: Dance[] = [];
  const soFar: PlanSoFar = { dogs, start, dancing };
  const waiting = beginWaiting(pool, soFar, stamp);
  const awaited = new Set(waiting.map(({ target }) => target.uuid));
  const queue: Warrant[] = [];
  const attach: { dog: string; warrant: Warrant }[] = [];
  const settled: string[] = [];
  const mustWait = ({ target, force }: Warrant, dog: string | undefined): boolean => {
    if (dog !== undefined) return verdictNow(dog) !== null;
    return awaited.has(target.uuid) || (!force && !hasNoPane(target) && isFull({ tools, dogs }));
  };
  let { lastDanceMs } = pool;
  for (const warrant of pool.queue) {
    const isOver = isExpired(warrant, stamp, tools); // void at once: it joins no dance and takes no slot
    const dog = isOver ? undefined : dancing.get(warrant.target.uuid);
    if (!isOver && mustWait(warrant, dog)) {
      queue.push(warrant);
      continue;
    }
    settled.push(warrant.id);
    if (dog !== undefined) {
      attach.push({ dog, warrant });
      continue;
    }
    const unheard = isOver ? `expired: filed more than ${span(tools.policy.warrantExpiresMs)} ago` : null;
    const opened = open({ ...pool, dogs, waiting, lastDanceMs }, warrant, stamp, unheard);
    ({ lastDanceMs } = opened);
    begin(soFar, opened.dance, stamp);
  }
  if (settled.length === 0 && start.length === 0) return { start, attach, pool };
  return { start, attach, pool: { queue, waiting, dogs, lastDanceMs, handled: withHandled(pool.handled, settled) } };
}

/** The dance that closes a warrant without a dog because `by` took it back: one of the queue, or the only one of `waiting`. */
export function cancelWarrant(pool: Pool, id: string, by: string, stamp: Stamp): PoolPlan | null {
  const reason = `cancelled by ${by}`;
  const warrant = pool.queue.find((w) => w.id === id);
  const parked = pool.waiting.find(({ warrants }) => warrants.some((w) => w.id === id));
  const opened =
    warrant !== undefined
      ? open(pool, warrant, stamp, reason)
      : parked && { dance: closedUnheard(parked, reason), lastDanceMs: pool.lastDanceMs };
  if (opened === undefined) return null;
  const { dance, lastDanceMs } = opened;
  return {
    start: [dance],
    attach: [],
    pool: {
      queue: pool.queue.filter((w) => w.id !== id),
      waiting: pool.waiting.filter((other) => other !== parked),
      dogs: { ...pool.dogs, [dance.id]: poolEntry(dance, stamp) },
      handled: withHandled(pool.handled, [id]),
      lastDanceMs,
    },
  };
}

/** Why a warrant in this dance cannot be taken back; null = it can. */
export function whyNotCancelled(dance: Dance, id: string): string | null {
  const others = dance.warrants.length - 1;
  if (others > 0) return `warrant ${id} shares hearing ${dance.id} with ${others} other(s); cancel those first`;
  if (dance.verdict !== null)
    return `warrant ${id} cannot be cancelled: its hearing ${dance.id} is over: ${dance.verdict}`;
  if (dance.killing) return `warrant ${id} cannot be cancelled: its hearing ${dance.id} is ending it`;
  return null;
}

/**
 * The dogs of the pool, those marked whose dance outlives its windows by more than policy allows; the same where nothing is new. `danceNow`: what
 * its dog has learned since it joined the pool.
 */
export function withOverdue({ dogs, tools }: Pool, now: Instant, danceNow: (id: string) => Dance | null): Pool['dogs'] {
  const late = Object.values(dogs).filter(
    ({ dance, since, isOverdue }) => !isOverdue && now - since > overdueAfterMs(dance, tools.policy),
  );
  const marked = late.map((place) => {
    const { id } = place.dance;
    return [id, { ...place, dance: danceNow(id) ?? place.dance, isOverdue: true }] as const;
  });
  return late.length === 0 ? dogs : { ...dogs, ...Object.fromEntries(marked) };
}
