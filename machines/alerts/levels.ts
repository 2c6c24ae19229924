/**
 * Alerts that last as long as their cause (law 8): each kind is one declaration beside the actor that sees the cause, and only
 * the difference between what stands and what stood begins and ends one. Pure.
 * 1. The first claim of a process is compared with what is open on the disk, whoever told it; later ones with the one before.
 * 2. What an actor cannot tell yet it does not claim: unknown begins nothing and ends nothing (law 1).
 * 3. A difference that could not be told is made anew: after a while the kind is compared with the disk again.
 */
import type { Alert, AlertKind, EpisodeName, Instant, Order } from '../protocol.ts';
import { TELL_AGAIN_MS } from './policy.ts';

/** What is known of one kind. */
export interface Claim {
  readonly stands: readonly Alert[];
  /** These stand as they were told; a name that is in none of these lists is over. Absent = of such a name nothing is known. */
  readonly only?: readonly EpisodeName[];
  /** These do not stand. */
  readonly over?: readonly EpisodeName[];
}

/** One kind of alert that ends. */
export interface Level<Context> {
  readonly kind: AlertKind;
  /** null = nothing can be told of it yet. */
  readonly claim: (context: Context) => Claim | null;
  /** How one that stood ended, in words. `name` is what stands behind its kind; null = an earlier process told it. */
  readonly ended: (name: string | null, context: Context) => string;
}

/** The levels of an actor, and whether it knows anything yet. */
export interface Levels {
  readonly isOpen: (snapshot: { readonly value: unknown }) => boolean;
  readonly of: readonly Level<never>[];
}
export const levelsOf = <Context>(of: readonly Level<Context>[], isOpen: Levels['isOpen'] = () => true): Levels => ({
  of: of as readonly Level<never>[],
  isOpen,
});

const OVER = 'over';
const KEPT = 'kept';
/** How an episode was claimed last: as over, as it was told, or as this alert. */
type Known = ReadonlyMap<string, string>;

const ID = 'level/';
const nameIn = (kind: string, episode: string): string => episode.slice(kind.length + 1);

/** What was claimed so far in this process. */
export class Comparison {
  readonly #known = new Map<AlertKind, Known>();
  readonly #claims = new Map<AlertKind, Claim>();
  /** When the kind is told anew, of which something could not be told. */
  readonly #again = new Map<AlertKind, Instant>();
  #orders = 0;

  /** The orders that follow from what stands now. */
  compare(
    { of, isOpen }: Levels,
    snapshot: { readonly value: unknown; readonly context: unknown },
    now: Instant,
  ): readonly Order[] {
    if (!isOpen(snapshot)) return [];
    const context = snapshot.context as never;
    return of.flatMap((level) => {
      const claim = level.claim(context);
      if (claim === null || this.#claims.get(level.kind) === claim) return [];
      if (now < (this.#again.get(level.kind) ?? now)) return [];
      this.#claims.set(level.kind, claim);
      return this.#differences(level, claim, context);
    });
  }

  /** An order came to nothing; false = it is none of these. */
  failed(id: string, now: Instant): boolean {
    if (!id.startsWith(ID)) return false;
    const kind = id.split('/', 2)[1] as AlertKind;
    this.#known.delete(kind);
    this.#claims.delete(kind);
    this.#again.set(kind, now + TELL_AGAIN_MS);
    return true;
  }

  #differences({ kind, ended }: Level<never>, { stands, only, over = [] }: Claim, context: never): readonly Order[] {
    const before = this.#known.get(kind);
    const now = new Map(only === undefined ? before : undefined);
    for (const episode of over) now.set(episode, OVER);
    for (const episode of only ?? []) if (!now.has(episode)) now.set(episode, before?.get(episode) ?? KEPT);
    for (const alert of stands) now.set(alert.episode, JSON.stringify(alert));
    this.#known.set(kind, now);
    const isNew = ([episode, as]: readonly [string, string]): boolean => as !== KEPT && before?.get(episode) !== as;
    const alerts = stands.filter(({ episode }) => isNew([episode, now.get(episode) ?? '']));
    const gone = [...(before ?? [])].filter(([episode, as]) => as !== OVER && !now.has(episode));
    const ends = [...over.filter((episode) => isNew([episode, OVER])), ...gone.map(([episode]) => episode)];
    /** Whoever told it, if anybody did. */
    const isOthers = (episode: string): boolean => (before?.get(episode) ?? KEPT) === KEPT;
    const others = before === undefined && only !== undefined;
    const except = [...now].flatMap(([episode, as]) => (as === OVER ? [] : [episode]));
    return [
      ...alerts.map((alert): Order => ({ type: 'alert', id: this.#id(kind), alert, stands: true })),
      ...ends.map((episode): Order => {
        const end = { id: this.#id(kind), text: ended(nameIn(kind, episode), context) };
        return isOthers(episode)
          ? { type: 'endOthers', ...end, prefix: episode, except: [] }
          : { type: 'endAlert', ...end, episode };
      }),
      ...(others
        ? [{ type: 'endOthers', id: this.#id(kind), prefix: kind, except, text: ended(null, context) } as const]
        : []),
    ];
  }

  #id(kind: AlertKind): string {
    this.#orders += 1;
    return `${ID}${kind}/${this.#orders}`;
  }
}
