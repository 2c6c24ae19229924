/** Chance that repeats: the same seed gives the same history on every machine. */

/** A stream of numbers in [0, 1) (mulberry32) with the draws that a history needs. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number below `n`. */
  upTo(n: number): number {
    return Math.floor(this.next() * n);
  }

  /** True in this share of all draws. */
  isHit(share: number): boolean {
    return this.next() < share;
  }

  oneOf<T>(from: readonly T[]): T {
    const drawn = from[this.upTo(from.length)];
    if (drawn === undefined) throw new Error('nothing to draw from');
    return drawn;
  }

  /** A span that begins before `within` and lasts less than `longest`. */
  span(within: number, longest: number): { from: number; to: number } {
    const from = this.upTo(within);
    return { from, to: from + 1 + this.upTo(longest) };
  }
}
