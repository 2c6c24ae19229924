/**
 * Decides whether the town hangs, from the guard's own wake-ups. Pure.
 * 1. Time counts only between two wake-ups that came on time: after a suspend or a SIGSTOP every stamp looks stale, so
 *    a late wake-up proves nothing and starts the count anew.
 * 2. While a save is under way nothing counts: a slow disk is no hang, and a kill would make it slower.
 * 3. Nor while the town is held: stopped, or waiting for a disk. If that lasts it is alerted once in a silence, and
 *    ends no process.
 */
import type { ProcessPolicy } from '../ports/policy.ts';
import type { Instant, Ms } from '../../machines/protocol.ts';

export type HangPolicy = Pick<ProcessPolicy, 'hangMs' | 'startMs' | 'hangWakeups' | 'heldMs' | 'watchEveryMs'>;

/** hangs = it should be ended; held = it has been held for long, which a person should know. */
export type Finding = 'hangs' | 'held' | null;

export class HangWatch {
  readonly #policy: HangPolicy;
  #woke: Instant | null = null;
  #silentMs: Ms = 0;
  #onTime = 0;
  /** Since the last progress. */
  #heldMs: Ms = 0;
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
    this.#heldMs = 0;
    this.#anew();
  }

  /** One wake-up of the guard, which sees the town held or not. Call it every `watchEveryMs`. */
  woke(now: Instant, held = false): Finding {
    const gapMs = this.#woke === null ? Infinity : now - this.#woke;
    this.#woke = now;
    // A wake-up that is late by more than its own interval missed one.
    const late = gapMs > 2 * this.#policy.watchEveryMs;
    if (late || held || this.#saving) this.#anew();
    if (late) return null;
    if (held) return this.#held(gapMs);
    if (this.#saving) return null;
    this.#onTime += 1;
    this.#silentMs += gapMs;
    return this.#onTime >= this.#policy.hangWakeups && this.#silentMs >= this.limitMs ? 'hangs' : null;
  }

  #held(gapMs: Ms): Finding {
    const before = this.#heldMs;
    this.#heldMs += gapMs;
    const { heldMs } = this.#policy;
    return before < heldMs && this.#heldMs >= heldMs ? 'held' : null;
  }

  #anew(): void {
    this.#silentMs = 0;
    this.#onTime = 0;
  }
}
