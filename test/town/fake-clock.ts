/** A clock that a test moves by hand. */
import type { Clock } from '../../src/ports/ports.ts';

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

export class FakeClock implements Clock {
  #now = 1_000;
  readonly #sleepers = new Set<Sleeper>();

  now = (): number => this.#now;
  wall = (): number => Date.UTC(2026, 0, 2) + this.#now;
  sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const sleeper = {
        until: this.#now + ms,
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal?.removeEventListener('abort', sleeper.wake);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', sleeper.wake, { once: true });
    });

  get sleeping(): number {
    return this.#sleepers.size;
  }

  /** Time passes, from sleeper to sleeper; between two everything that can go on does. */
  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    await settled();
    for (;;) {
      const next = [...this.#sleepers].sort((a, b) => a.until - b.until)[0];
      if (next === undefined || next.until > until) break;
      this.#now = Math.max(this.#now, next.until);
      next.wake();
      await settled();
    }
    this.#now = until;
    await settled();
  }
}

/** Resolves when no promise can go on without time, a disk or a hand. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
