/** One look for all rounds that begin together, and never the same one twice for anybody: what has to be seen twice is looked at twice. */
import type { Ms } from '../../../machines/protocol.ts';

export class Looks<Seen> {
  readonly #look: () => Promise<Seen>;
  readonly #freshMs: Ms;
  readonly #now: () => Ms;
  #last: { readonly at: Ms; readonly seen: Promise<Seen>; readonly by: Set<string> } | null = null;

  constructor(look: () => Promise<Seen>, freshMs: Ms, now: () => Ms = () => performance.now()) {
    this.#look = look;
    this.#freshMs = freshMs;
    this.#now = now;
  }

  /** What one round sees, from its first question on. `by`: whose patrol it is. */
  round(by: string): () => Promise<Seen> {
    let seen: Promise<Seen> | null = null;
    return () => (seen ??= this.#of(by));
  }

  #of(by: string): Promise<Seen> {
    const at = this.#now();
    if (this.#last === null || at - this.#last.at > this.#freshMs || this.#last.by.has(by))
      this.#last = { at, seen: this.#look(), by: new Set() };
    this.#last.by.add(by);
    return this.#last.seen;
  }
}
