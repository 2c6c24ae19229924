/**
 * How old a stamp is, measured so that no step of the clock makes it older: from the moment this process saw a stamp first,
 * the monotonic clock counts. Only what a stamp was before that is believed to the wall, but a future one is of now, and what
 * replaced a stamp that was seen here is no older than the look that saw the other.
 */
import type { Instant, Ms, WallMs } from '../../machines/protocol.ts';
import type { Clock } from '../ports/ports.ts';

export class Ages {
  readonly #clock: Pick<Clock, 'now' | 'wall'>;
  readonly #first = new Map<string, { readonly stamp: WallMs; readonly ageMs: Ms; readonly at: Instant }>();
  /** When each thing was looked at last. */
  readonly #looked = new Map<string, Instant>();

  constructor(clock: Pick<Clock, 'now' | 'wall'>) {
    this.#clock = clock;
  }

  /** `what` names the thing, `stamp` is its time; another stamp is another event. */
  of(what: string, stamp: WallMs): Ms {
    const now = this.#clock.now();
    const lookedAt = this.#looked.get(what) ?? -Infinity;
    this.#looked.set(what, now);
    const known = this.#first.get(what);
    if (known?.stamp === stamp) return Math.round(known.ageMs + (now - known.at));
    const ageMs = Math.round(Math.min(now - lookedAt, Math.max(0, this.#clock.wall() - stamp)));
    this.#first.set(what, { stamp, ageMs, at: now });
    return ageMs;
  }
}
