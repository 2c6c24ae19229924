/** The last messages, as text: bounded in number and in characters. A message too large for the whole ring is left out. */
import type { InspectPolicy } from './policy.ts';

type RingLimits = Pick<InspectPolicy, 'ringEvents' | 'ringChars'>;

export class Ring {
  readonly #limits: RingLimits;
  #texts: string[] = [];
  #first = 0;
  #chars = 0;

  constructor(limits: RingLimits) {
    this.#limits = limits;
  }

  push(text: string): void {
    const { ringEvents, ringChars } = this.#limits;
    if (text.length > ringChars) return;
    this.#texts.push(text);
    this.#chars += text.length;
    while (this.#texts.length - this.#first > ringEvents || this.#chars > ringChars) {
      this.#chars -= this.#texts[this.#first]?.length ?? 0;
      this.#texts[this.#first] = '';
      this.#first += 1;
    }
    // Forgotten places are given back in one go: a shift each would cost the length of the ring.
    if (this.#first > ringEvents) {
      this.#texts = this.#texts.slice(this.#first);
      this.#first = 0;
    }
  }

  /** The oldest first. */
  get texts(): readonly string[] {
    return this.#texts.slice(this.#first);
  }
}
