/** Refusals of replies: the same one to the same caller once a minute, so that a reply that comes again and again makes no flood. */
import { ANSWERS } from '../../machines/channels/policy.ts';
import type { WallMs } from '../../machines/protocol.ts';
import type { Clock } from '../ports/ports.ts';

export class Refusals {
  readonly #clock: Pick<Clock, 'wall'>;
  /** By caller and words. */
  readonly #at = new Map<string, WallMs>();

  constructor(clock: Pick<Clock, 'wall'>) {
    this.#clock = clock;
  }

  /** Rejects as `tell` does; then it counts as not told. */
  async tell(caller: string, text: string, tell: () => Promise<void>): Promise<void> {
    const now = this.#clock.wall();
    for (const [known, at] of this.#at) if (Math.abs(now - at) >= ANSWERS.minuteMs) this.#at.delete(known);
    const refusal = `${caller} ${text}`;
    if (this.#at.has(refusal)) return;
    this.#at.set(refusal, now);
    try {
      await tell();
    } catch (error) {
      this.#at.delete(refusal);
      throw error;
    }
  }
}
