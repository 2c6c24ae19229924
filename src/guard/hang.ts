/**
 * Decides whether the town hangs, from the guard's own wake-ups. Pure.
 * 1. Time counts only between two wake-ups that came on time: after a suspend or a SIGSTOP every stamp looks stale, so a
 *    late wake-up proves nothing and starts the count anew.
 * 2. While a save is under way nothing counts: a slow disk is no hang, and a kill would make it slower.
 */
import type { ProcessPolicy } from '../../machines/policy.ts';
import type { Instant, Ms } from '../../machines/protocol.ts';

export type HangPolicy = Pick<ProcessPolicy, 'hangMs' | 'startMs' | 'hangWakeups' | 'watchEveryMs'>;

export class HangWatch {
  readonly #policy: HangPolicy;
  #woke: Instant | null = null;
  #silentMs: Ms = 0;
  #onTime = 0;
  #saving = false;
  #steps = -1;

  constructor(policy: HangPolicy) {
    this.#policy = policy;
  }

  /** Silence that is a hang now: a town without a step is still starting. */
  get limitMs(): Ms {
    return this.#steps <= 0 ? this.#policy.startMs : this.#policy.hangMs;
  }

  /** The town told how far it is. Only more steps than before are progress. */
  heard(steps: number, saving: boolean): void {
    this.#saving = saving && steps > 0;
    if (steps === this.#steps) return;
    this.#steps = steps;
    this.#anew();
  }

  /** One wake-up of the guard; true = the town hangs. Call it every `watchEveryMs`. */
  woke(now: Instant): boolean {
    const gapMs = this.#woke === null ? Infinity : now - this.#woke;
    this.#woke = now;
    // A wake-up that is late by more than its own interval missed one.
    if (gapMs > 2 * this.#policy.watchEveryMs || this.#saving) {
      this.#anew();
      return false;
    }
    this.#onTime += 1;
    this.#silentMs += gapMs;
    return this.#onTime >= this.#policy.hangWakeups && this.#silentMs >= this.limitMs;
  }

  #anew(): void {
    this.#silentMs = 0;
    this.#onTime = 0;
  }
}
