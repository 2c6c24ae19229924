/**
 * Decides whether the town hangs, from the guard's own wake-ups. Pure.
 * 1. Time counts only between two wake-ups that came on time: after a suspend or a SIGSTOP every stamp looks stale, so
 *    a late wake-up proves nothing and starts the count anew.
 * 2. While a save is under way nothing counts: a slow disk is no hang, and a kill would make it slower.
 * 3. Nor while the town is held: stopped, or waiting for a disk. If that lasts it is alerted once in a silence, and
 *    ends no process.
 * 4. Nor before the first word of a town that ran before its guard: an older one may speak to no guard at all (law 1). That is alerted once.
 */
import type { ProcessPolicy } from '../ports/policy.ts';
import { span } from '../../machines/kernel/span.ts';
import type { Instant, Ms } from '../../machines/protocol.ts';

export type HangPolicy = Pick<ProcessPolicy, 'hangMs' | 'startMs' | 'hangWakeups' | 'heldMs' | 'watchEveryMs'>;

/** What a person should know of a town that is not ended: it has been held, or has told its guard nothing, for long. */
type Told = 'held' | 'unheard';

/** hangs = it should be ended. */
export type Finding = 'hangs' | Told | null;

export function toldText(found: Told, pid: number, { heldMs, startMs }: HangPolicy): string {
  const [what, next] =
    found === 'held'
      ? [
          `is stopped or waits for a disk, ${span(heldMs)} by now`,
          `\`kill -CONT ${String(pid)}\` continues a stopped one`,
        ]
      : [`has told its guard nothing for ${span(startMs)}`, '`town status` shows whether it works'];
  return `the town of pid ${String(pid)} ${what}; nothing is ended; ${next}`;
}

export class HangWatch {
  readonly #policy: HangPolicy;
  #woke: Instant | null = null;
  #silentMs: Ms = 0;
  #onTime = 0;
  /** Since the last progress. */
  #heldMs: Ms = 0;
  readonly #isAdopted: boolean;
  #unheardMs: Ms = 0;
  #saving = false;
  #steps = -1;

  /** `isAdopted`: the town ran before. */
  constructor(policy: HangPolicy, isAdopted = false) {
    this.#policy = policy;
    this.#isAdopted = isAdopted;
  }

  /** Whether silence proves nothing yet. */
  get isUnheard(): boolean {
    return this.#isAdopted && this.#steps < 0;
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
    if (this.isUnheard) return this.#unheard(gapMs);
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

  #unheard(gapMs: Ms): Finding {
    const before = this.#unheardMs;
    this.#unheardMs += gapMs;
    const { startMs } = this.#policy;
    return before < startMs && this.#unheardMs >= startMs ? 'unheard' : null;
  }

  #anew(): void {
    this.#silentMs = 0;
    this.#onTime = 0;
  }
}
