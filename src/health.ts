/**
 * Whether the town is well (P-17): the last step and the last scan are younger than so many of their intervals, and tmux
 * answered. Pure. Each beat is named with its interval, so that a patrol is one beat more.
 */
import type { Instant, Ms, News, Outcome } from '../machines/protocol.ts';

/** Something that happens again and again in a living town. */
export interface Beat {
  readonly what: string;
  readonly everyMs: Ms;
  /** When it happened last; null = not yet, which counts from the start. */
  readonly at: Instant | null;
}

export interface Signs {
  readonly startedAt: Instant;
  readonly beats: readonly Beat[];
  /** Whether tmux answered when it was asked last ("no server runs" is an answer); null = not asked yet. */
  readonly tmux: boolean | null;
}

export interface Late {
  readonly what: string;
  readonly age_ms: number;
  /** It is late beyond this. */
  readonly limit_ms: number;
}

/** `health/1`. */
export interface HealthView {
  /** Nothing is late and tmux answered. */
  readonly well: boolean;
  readonly late: readonly Late[];
  readonly tmux: 'answered' | 'silent' | 'not asked yet';
  /** Age of each beat, by name; null = it did not happen yet. */
  readonly ages_ms: Readonly<Record<string, number | null>>;
}

/** `lateAfter`: intervals without a beat that make it late. */
export function judge({ startedAt, beats, tmux }: Signs, now: Instant, lateAfter: number): HealthView {
  const ages = beats.map(({ what, everyMs, at }) => ({
    ...{ what, age_ms: Math.round(now - (at ?? startedAt)), limit_ms: everyMs * lateAfter },
    isThere: at !== null,
  }));
  const late = ages
    .filter(({ age_ms: age, limit_ms: limit }) => age > limit)
    .map(({ what, age_ms, limit_ms }) => ({ what, age_ms, limit_ms }));
  return {
    well: late.length === 0 && tmux !== false,
    late,
    tmux: tmux === null ? 'not asked yet' : tmux ? 'answered' : 'silent',
    ages_ms: Object.fromEntries(ages.map(({ what, age_ms, isThere }) => [what, isThere ? age_ms : null])),
  };
}

/**
 * Exit code of `town health`: 0 well, 1 the town itself is late, 4 degraded: it does its work, but without tmux or its disk.
 * A scan that is late while tmux is silent is tmux's fault; a late step is nobody else's.
 */
export function exitOf({ well, late, tmux }: HealthView, isDegraded: boolean): 0 | 1 | 4 {
  if (late.some(({ what }) => what === STEP || tmux !== 'silent')) return 1;
  return well && !isDegraded ? 0 : 4;
}

const STEP = 'step';
const SCAN = 'scan';

/** Gathers the signs of a running town. */
export class Pulse {
  readonly #startedAt: Instant;
  readonly #everyMs: { readonly step: Ms; readonly scan: Ms };
  #steppedAt: Instant | null = null;
  #scannedAt: Instant | null = null;
  #tmux: boolean | null = null;

  constructor(startedAt: Instant, everyMs: { readonly step: Ms; readonly scan: Ms }) {
    this.#startedAt = startedAt;
    this.#everyMs = everyMs;
  }

  /** A step was made with these facts. A scan that failed was made too: it is tmux that did not answer. */
  stepped(facts: readonly (News | Outcome)[], at: Instant): void {
    this.#steppedAt = at;
    for (const fact of facts) {
      if (fact.type === 'SESSIONS_SEEN') this.#scanned(fact.server !== 'unknown', at);
      else if (fact.type === 'ORDER_FAILED' && fact.re === 'sessions/scan') this.#scanned(false, at);
    }
  }

  view(now: Instant, lateAfter: number): HealthView {
    const { step, scan } = this.#everyMs;
    const beats: Beat[] = [
      { what: STEP, everyMs: step, at: this.#steppedAt },
      { what: SCAN, everyMs: scan, at: this.#scannedAt },
    ];
    return judge({ startedAt: this.#startedAt, beats, tmux: this.#tmux }, now, lateAfter);
  }

  #scanned(answered: boolean, at: Instant): void {
    this.#scannedAt = at;
    this.#tmux = answered;
  }
}
