/**
 * Virtual time: a heap of timers, each owned by one process or by the world. Nothing here waits for a real clock.
 * 1. Timers fire in order of time, then of making; the same history fires the same timers.
 * 2. A frozen process (SIGSTOP, a suspended machine) gets its timers when it thaws; a dead one never.
 */
import type { Clock } from '../../src/ports/ports.ts';

/** Whose timer it is: what a stopped or killed process would not see is not fired. */
export interface Owner {
  readonly isDead: boolean;
  /** 0 = it runs. */
  readonly frozenUntil: number;
}
interface Timer {
  at: number;
  readonly made: number;
  fire: (() => void) | null;
  readonly owner: Owner | null;
}

const before = (a: Timer, b: Timer) => a.at < b.at || (a.at === b.at && a.made < b.made);

export class VirtualTime {
  now = 0;
  readonly #heap: Timer[] = [];
  #made = 0;

  /** Calls `fire` at `at`, or as soon as its owner runs again. */
  at(at: number, fire: () => void, owner: Owner | null = null): Timer {
    this.#made += 1;
    const timer = { at: Math.max(at, this.now), made: this.#made, fire, owner };
    this.#push(timer);
    return timer;
  }

  /** Lets time pass to the next timer and fires it; false = there is none before `until`. */
  advance(until: number): boolean {
    for (let timer = this.#heap[0]; timer !== undefined && timer.at <= until; timer = this.#heap[0]) {
      this.#pop();
      const { fire, owner } = timer;
      if (fire === null || owner?.isDead === true) continue;
      if (owner !== null && owner.frozenUntil > timer.at) {
        timer.at = owner.frozenUntil;
        this.#push(timer);
        continue;
      }
      this.now = timer.at;
      fire();
      return true;
    }
    return false;
  }

  /** The clock of one process. `offset` = how wrong its wall clock is now. */
  clockOf(owner: Owner, wall: () => number): Clock {
    return {
      now: () => this.now,
      wall,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          if (signal?.aborted === true) {
            resolve();
            return;
          }
          const timer = this.at(this.now + Math.max(0, ms), resolve, owner);
          signal?.addEventListener('abort', () => {
            timer.fire = null;
            resolve();
          });
        }),
    };
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    let place = heap.push(timer) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (!before(timer, heap[above]!)) break;
      heap[place] = heap[above]!;
      place = above;
    }
    heap[place] = timer;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && before(heap[below + 1]!, heap[below]!)) below += 1;
      if (!before(heap[below]!, last)) break;
      heap[place] = heap[below]!;
      place = below;
    }
    heap[place] = last;
  }
}

/** Resolves when no promise can get on by itself: Node empties its microtasks before the next tick callback. */
export const settled = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));
