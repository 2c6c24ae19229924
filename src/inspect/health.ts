/**
 * Whether the town is well (P-17): the last step, scan and patrol are younger than so many of their intervals, and tmux
 * answered. Pure: it gets each step, and the time of each question.
 */
import type { Instant, Ms, News, Outcome, SavedRecord, SessionRecord } from '../../machines/protocol.ts';
import { isWatched } from '../../machines/sessions/state.ts';
import { NO_SERVER } from '../tmux/errors.ts';

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
  /** Whether tmux answered when it was asked last ("no server runs" is an answer); null = unknown. */
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
  readonly tmux: 'answered' | 'silent' | 'unknown';
  /** Age of each beat, by name; null = it did not happen yet. */
  readonly ages_ms: Readonly<Record<string, number | null>>;
}

/** `lateAfter`: intervals without a beat that make it late. */
export function judge({ startedAt, beats, tmux }: Signs, now: Instant, lateAfter: number): HealthView {
  const ages = beats.map(({ what, everyMs, at }) => ({
    what,
    age_ms: Math.round(now - (at ?? startedAt)),
    limit_ms: everyMs * lateAfter,
    isThere: at !== null,
  }));
  const late = ages
    .filter(({ age_ms: age, limit_ms: limit }) => age > limit)
    .map(({ what, age_ms, limit_ms }) => ({ what, age_ms, limit_ms }));
  return {
    well: late.length === 0 && tmux !== false,
    late,
    tmux: tmux === null ? 'unknown' : tmux ? 'answered' : 'silent',
    ages_ms: Object.fromEntries(ages.map(({ what, age_ms, isThere }) => [what, isThere ? age_ms : null])),
  };
}

/** For callers without a token: rounds of rigs without the rigs' names. */
export function nameless({ late, ages_ms: ages, ...view }: HealthView): HealthView {
  const plain = (what: string): string => (what.startsWith(ROUND) ? 'patrol of a rig' : what);
  const oldest: Record<string, number | null> = {};
  for (const [what, age] of Object.entries(ages)) {
    const before = oldest[plain(what)];
    oldest[plain(what)] =
      typeof before === 'number' && typeof age === 'number' ? Math.max(before, age) : (before ?? age);
  }
  return { ...view, late: late.map((one) => ({ ...one, what: plain(one.what) })), ages_ms: oldest };
}

/**
 * Exit code of `town health`: 0 well, 1 the town itself is late, 4 degraded: it does its work, but without tmux or its
 * disk. A scan that is late while tmux is silent is tmux's fault; a late step is the town's own.
 */
export function exitOf({ well, late, tmux }: HealthView, isDegraded: boolean): 0 | 1 | 4 {
  if (late.some(({ what }) => what === STEP || tmux !== 'silent')) return 1;
  return well && !isDegraded ? 0 : 4;
}

const STEP = 'step';
const SCAN = 'scan';
const PATROL = 'patrol';
/** Of one rig, whose name stands behind it. */
const ROUND = 'patrol of ';
const DEACON = 'deacon';

/** What a pulse gets of a step. */
export interface Stepped {
  readonly facts: readonly (News | Outcome)[];
  readonly records: readonly SavedRecord[];
}

/** How often each is expected; patrol null = the Deacon is an agent, and Boot judges it. */
export interface Pace {
  readonly step: Ms;
  readonly scan: Ms;
  readonly patrol: Ms | null;
  /** Of each rig, and of the Deacon's round, once the ledger is open. */
  readonly round: Ms;
}

/** Gathers the signs of a running town. */
export class Pulse {
  readonly #startedAt: Instant;
  readonly #pace: Pace;
  /** Sessions that scans look at; without one there is nothing to scan. */
  readonly #watched = new Set<string>();
  #steppedAt: Instant | null = null;
  #scannedAt: Instant | null = null;
  #patrolledAt: Instant | null = null;
  /** When each round ended last; those that did not yet count from when they were first expected. */
  readonly #rounds = new Map<string, Instant>();
  #tmux: boolean | null = null;
  /**
   * The last try to connect failed, though a server runs: what needs the connection does not work, even if scans
   * succeed.
   */
  #shut = false;

  constructor(startedAt: Instant, pace: Pace) {
    this.#startedAt = startedAt;
    this.#pace = pace;
  }

  /** A step was made. A scan that failed was made too: it is tmux that did not answer. */
  stepped({ facts, records }: Stepped, at: Instant): void {
    this.#steppedAt = at;
    for (const fact of facts) this.#heard(fact, at);
    for (const record of records) {
      if (record.kind === 'session') this.#session(record.value, at);
      else if (record.kind === 'forgotten') this.#watched.delete(record.id);
      else if (record.kind === 'note' && record.id === 'heartbeat') this.#patrolledAt = at;
      else if (record.kind === 'patrol' && record.value.why === null && this.#rounds.has(record.id))
        this.#rounds.set(record.id, at);
    }
  }

  view(now: Instant, lateAfter: number): HealthView {
    const { step, scan, patrol, round } = this.#pace;
    const beats: Beat[] = [
      { what: STEP, everyMs: step, at: this.#steppedAt },
      ...(this.#watched.size === 0 ? [] : [{ what: SCAN, everyMs: scan, at: this.#scannedAt }]),
      ...(patrol === null ? [] : [{ what: PATROL, everyMs: patrol, at: this.#patrolledAt }]),
      ...[...this.#rounds].map(([of, at]) => ({ what: `${ROUND}${of}`, everyMs: round, at })),
    ];
    return judge({ startedAt: this.#startedAt, beats, tmux: this.#shut ? false : this.#tmux }, now, lateAfter);
  }

  #heard(fact: News | Outcome, at: Instant): void {
    // One that is paused, or that found something amiss, was made; one that came to nothing was not.
    if ((fact.type === 'PATROLLED' || fact.type === 'SURVEYED') && fact.re.issuer === 'patrol')
      this.#rounds.set(fact.re.rig ?? DEACON, at);
    else if (fact.type === 'SESSIONS_SEEN') this.#scanned(fact.server !== 'unknown', at);
    else if (fact.type === 'SESSIONS_READ') for (const record of fact.sessions) this.#session(record, at);
    else if (fact.type === 'RIGS_SEEN') this.#expect(fact.rigs, at);
    else if (fact.type === 'CONNECTED' && fact.what === 'tmux') this.#connected(true);
    else if (fact.type !== 'ORDER_FAILED') return;
    else if (fact.re.verb === 'scan') this.#scanned(false, at);
    else if (fact.re.issuer === 'connect' && fact.re.name === 'tmux') this.#connected(fact.why.includes(NO_SERVER));
  }

  #connected(isWell: boolean): void {
    this.#tmux = isWell;
    this.#shut = !isWell;
  }

  /** These are patrolled from now on. */
  #expect(rigs: readonly string[], at: Instant): void {
    const all = [DEACON, ...rigs];
    for (const of of this.#rounds.keys()) if (!all.includes(of)) this.#rounds.delete(of);
    for (const of of all) if (!this.#rounds.has(of)) this.#rounds.set(of, at);
  }

  #scanned(answered: boolean, at: Instant): void {
    this.#scannedAt = at;
    this.#tmux = answered;
  }

  #session(record: SessionRecord, at: Instant): void {
    if (!isWatched(record)) this.#watched.delete(record.spec.name);
    else {
      // The first one is scanned from now on: what was not due is not late.
      if (this.#watched.size === 0) this.#scannedAt = at;
      this.#watched.add(record.spec.name);
    }
  }
}
