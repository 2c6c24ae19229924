/**
 * Facts on their way to the tree, in fair order: an answer queued behind ten thousand warrants still comes first.
 * 1. Answers and failures, then outcomes, then news; within a rank first in, first out.
 * 2. Of facts that only describe the present (a scan, a wake-up) the newest replaces the older one.
 */
import type { Instant, News, NewsBody, Outcome } from '../../machines/protocol.ts';
import type { Clock } from '../ports/ports.ts';

type Incoming = News | Outcome;
/** Facts of one step at most: a flood is taken in bites, and time passes in between. */
const MAX_A_STEP = 500;

const rank = (fact: Incoming): 0 | 1 | 2 => {
  if (['ALIVE_ANSWERED', 'ORDER_FAILED', 'LOOKED'].includes(fact.type)) return 0;
  return 're' in fact ? 1 : 2;
};
/** Same key: the newer one replaces the older. */
const keyOf = (fact: Incoming): string | null => (fact.type === 'CHANGED' ? `CHANGED/${fact.what}` : null);

export class FactQueue {
  readonly #clock: Clock;
  readonly #ranks: [Incoming[], Incoming[], Incoming[]] = [[], [], []];
  #ring: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  push(fact: Incoming): void {
    const queue = this.#ranks[rank(fact)];
    const key = keyOf(fact);
    const same = key === null ? -1 : queue.findIndex((f) => keyOf(f) === key);
    if (same >= 0) queue[same] = fact;
    else queue.push(fact);
    this.#ring?.();
  }

  /** News from a hand, stamped here. */
  announce = (news: NewsBody): void => {
    this.push({ ...news, at: this.#clock.now(), wall: this.#clock.wall() });
  };

  get isEmpty(): boolean {
    return this.#ranks.every((queue) => queue.length === 0);
  }

  /** The next bite of facts; may be empty. */
  take(): Incoming[] {
    const bite: Incoming[] = [];
    for (const queue of this.#ranks)
      if (bite.length < MAX_A_STEP) bite.push(...queue.splice(0, MAX_A_STEP - bite.length));
    return bite;
  }

  /** Resolves when there is a fact, or at `until`, or when `stop` aborts. */
  async wait(until: Instant, stop: AbortSignal): Promise<void> {
    if (!this.isEmpty || stop.aborted) return;
    const waitMs = until - this.#clock.now();
    if (waitMs <= 0) return;
    const up = new AbortController();
    const ring = () => up.abort('rung'); // a reason spares the making of an error
    this.#ring = ring;
    stop.addEventListener('abort', ring, { once: true });
    await this.#clock.sleep(waitMs, up.signal);
    stop.removeEventListener('abort', ring);
    this.#ring = null;
  }
}
