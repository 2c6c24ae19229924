/**
 * Alerts that last as long as their cause (law 8): each kind is one declaration beside the actor that sees the cause,
 * and only the difference between what stands and what stood begins and ends one. Pure.
 * 1. The first whole claim of a process is compared with the episodes open on disk, of any origin; later claims with
 *    the claim before. Of a kind that several actors see, each claims its part; a name that several claim is over with the
 *    last of them.
 * 2. An actor does not claim what it does not know yet: unknown begins nothing and ends nothing (law 1).
 * 3. A difference that could not be reported is made anew: after a while the kind is compared with the disk again.
 * 4. What is claimed names no kind: a kind without its declaration, and so without what to type for it, does not
 *    compile.
 */
import {
  episodeOf,
  subjectOf,
  type Alert,
  type Declared,
  type Instant,
  type Order,
  type OrderId,
} from '../protocol.ts';
import { TELL_AGAIN_MS } from './policy.ts';

/** One standing alert of a kind. `name`: its subject; empty = the kind has only one. */
export interface Standing extends Pick<Alert, 'severity' | 'session' | 'question' | 'text'> {
  readonly name: string;
}
/** What is known of one kind, by name. */
export interface Claim {
  readonly stands: readonly Standing[];
  /**
   * These stand with their earlier words, and so do their parts, `<name>/…`; a name in none of these lists is over. Absent = nothing
   * is known of such a name.
   */
  readonly only?: readonly string[];
  /** All is known of this name and its parts, and nothing of any other. */
  readonly within?: string;
  /** These do not stand. */
  readonly over?: readonly string[];
}

/** One kind of alert that ends. */
export interface Level<Context> extends Declared {
  /** null = nothing is known of it yet. */
  readonly claim: (context: Context) => Claim | null;
  /** How one that stood ended, in words; a null name = an earlier process told it. */
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
/** How each name was claimed last: as over, with its earlier words, or in these words. */
type ClaimedTexts = ReadonlyMap<string, string>;

const isEmpty = (known: ClaimedTexts | undefined): boolean => known === undefined || known.size === 0;
const isNothing = ({ stands, only = [], within, over = [] }: Claim): boolean =>
  stands.length + only.length + over.length === 0 && within === undefined;

/** All claims of this process so far, by kind. */
export class Comparison {
  readonly #known = new Map<string, ClaimedTexts>();
  /** What each actor claimed last. */
  readonly #claims = new Map<string, Map<object, Claim>>();
  /** Kinds that were compared with what is open on the disk, each as a whole (an empty name) or within a name. */
  readonly #compared = new Map<string, Set<string>>();
  /** When a kind with an unreported difference is compared again. */
  readonly #again = new Map<string, Instant>();
  #orders = 0;

  /** The orders that follow from what stands now. `actor`: whose snapshot it is. */
  compare(
    { of, isOpen }: Levels,
    actor: object,
    snapshot: { readonly value: unknown; readonly context: unknown },
    now: Instant,
  ): readonly Order[] {
    if (!isOpen(snapshot)) return [];
    const context = snapshot.context as never;
    return of.flatMap((level) => {
      const claim = level.claim(context);
      const claims = this.#claims.get(level.kind) ?? new Map<object, Claim>();
      if (claim === null || claims.get(actor) === claim) return [];
      if (now < (this.#again.get(level.kind) ?? now)) return [];
      this.#claims.set(level.kind, claims.set(actor, claim));
      const others = [...claims.values()].filter((one) => one !== claim);
      return this.#differences(level, { claim, others }, context);
    });
  }

  /** An actor that ended claims nothing any more. */
  forget(actor: object): void {
    for (const claims of this.#claims.values()) claims.delete(actor);
  }

  /** An order came to nothing; false = it is none of these. */
  failed({ issuer, kind }: OrderId, now: Instant): boolean {
    if (issuer !== 'level' || kind === undefined) return false;
    for (const memory of [this.#known, this.#claims, this.#compared]) memory.delete(kind);
    this.#again.set(kind, now + TELL_AGAIN_MS);
    return true;
  }

  /** `others`: what other actors claim. */
  #differences(
    level: Level<never>,
    { claim, others }: { readonly claim: Claim; readonly others: readonly Claim[] },
    context: never,
  ): readonly Order[] {
    const { stands, only, within } = claim;
    const { kind, ended } = level;
    const before = this.#known.get(kind);
    const compared = this.#compared.get(kind) ?? new Set();
    const isFirst = (only ?? within) !== undefined && !compared.has(within ?? '');
    // Most kinds stand nowhere most of the time, and are claimed in every step.
    if (!isFirst && isEmpty(before) && isNothing(claim)) return [];
    const kept = new Set(only);
    const mayStand = (name: string): boolean =>
      within === undefined
        ? only === undefined || kept.has(name) || kept.has(subjectOf(name))
        : subjectOf(name) !== within;
    const now = new Map([...(before ?? [])].filter(([name]) => mayStand(name)));
    const over = (claim.over ?? []).filter((name) => !others.some((one) => one.stands.some((as) => as.name === name)));
    for (const name of over) now.set(name, OVER);
    for (const name of kept) if (!now.has(name)) now.set(name, KEPT);
    if (within !== undefined) now.set(within, OVER);
    const alerts = stands.filter(({ name, ...words }) => {
      const as = JSON.stringify(words);
      now.set(name, as);
      return before?.get(name) !== as;
    });
    this.#known.set(kind, now);
    if (isFirst) this.#compared.set(kind, compared.add(within ?? ''));
    // An episode that only an earlier process knew ends by the comparison with the disk.
    const stood = [...(before ?? [])].filter(
      ([, as]) => as !== OVER && !(isFirst && within !== undefined && as === KEPT),
    );
    const gone = stood.flatMap(([name]) => ((now.get(name) ?? OVER) === OVER ? [name] : []));
    const ends = new Set([...over.filter((name) => before?.get(name) !== OVER), ...gone]);
    const end = (name: string | null) => ({ id: this.#id(kind), text: ended(name, context) });
    const standing = [...now].flatMap(([name, as]) => (as === OVER ? [] : [episodeOf(level, name)]));
    return [
      ...alerts.map(({ name, ...words }): Order => {
        return { type: 'alert', id: this.#id(kind), alert: { episode: episodeOf(level, name), ...words } };
      }),
      ...[...ends].map((name): Order => ({ type: 'endAlert', ...end(name), episode: episodeOf(level, name) })),
      ...(isFirst ? [{ type: 'endOthers', ...end(null), of: kind, within, except: standing } as const] : []),
    ];
  }

  #id(kind: string): OrderId {
    this.#orders += 1;
    return { issuer: 'level', kind, turn: this.#orders };
  }
}
