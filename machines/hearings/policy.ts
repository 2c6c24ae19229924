/** The numbers of a hearing, with unit and reason; sections and keys are those of town.toml (`windowsMs` is `windows`). */
import type { Ms } from '../protocol.ts';

export interface DancePolicy {
  /** D-11, GT_DOG_POOL_SIZE, 1..20: five hearings at once cover the worst night seen; the rest queue. */
  readonly poolSize: number;
  /** D-1: three chances, each twice as patient; 420 s in all. */
  readonly windowsMs: readonly Ms[];
  /** D-4: whether signs of life pardon, or only an answer. */
  readonly pardonOn: 'evidence' | 'answer';
  /** D-5: how often an open window is looked at; an answer ends it early. */
  readonly lookEveryMs: Ms;
  /** D-7: the most that may count between two looks that saw: a sleep in between counts almost nothing. */
  readonly maxPerLookMs: Ms;
  /** D-6: pause before an undelivered question or a failed order is tried again. */
  readonly retryMs: Ms;
  /** D-6: undeliverable for so long, a person decides. */
  readonly undeliverableMs: Ms;
  /** Law 6: a person at the keys suspends the dance; still there after this, they decide. */
  readonly personMs: Ms;
  /** D-8: an agent is gone when it was seen gone twice, this far apart. */
  readonly goneAgainMs: Ms;
  /** D-10: between TERM and KILL. */
  readonly termGraceMs: Ms;
  /** D-10: how long after KILL a process may need to vanish. */
  readonly killGraceMs: Ms;
  /** D-10: lists of newcomers at most, before the survivors are named and left. */
  readonly maxRounds: number;
  /** A kill older than its last look by more than this looks again first. */
  readonly lookStaleMs: Ms;
  /** Law 4: failed rescues in a row before a person is asked; nothing is destroyed meanwhile. */
  readonly maxRescues: number;
  /** Granularity of observed time in the record: a crash gives at most this much back to the accused. */
  readonly saveEveryMs: Ms;
  /** Falls of one dog without progress before its dance ends `failed`, with an alert and no kill. */
  readonly maxFalls: number;
  /** Wakings in a row without any outcome (the process died each time) before the dance ends `failed`. */
  readonly maxWakings: number;
  /** D-15: a warrant older than this is void. */
  readonly warrantExpiresMs: Ms;
  /** D-15: alarm when a dance outlives its observable time by this. */
  readonly overdueMs: Ms;
  /** D-4: evidence-only pardons within this time … */
  readonly evidenceOnlyWithinMs: Ms;
  /** … so many of them, and the next warrant ends `escalated` instead of executed. */
  readonly maxEvidenceOnly: number;
  /** D-15: alarm when one target was heard this often … */
  readonly heardOften: number;
  /** … within this time. */
  readonly heardWithinMs: Ms;
  /** D-15: a file put into warrants/ counts within this time (the slow net under the wake-up by socket). */
  readonly readWarrantsEveryMs: Ms;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const DANCE: DancePolicy = {
  poolSize: 5,
  windowsMs: [60 * SECOND, 120 * SECOND, 240 * SECOND],
  pardonOn: 'evidence',
  lookEveryMs: 1 * SECOND,
  maxPerLookMs: 1_500,
  retryMs: 5 * SECOND,
  undeliverableMs: 30 * MINUTE,
  personMs: 10 * MINUTE,
  goneAgainMs: 10 * SECOND,
  termGraceMs: 10 * SECOND,
  killGraceMs: 2 * SECOND,
  maxRounds: 5,
  lookStaleMs: 5 * SECOND,
  maxRescues: 3,
  saveEveryMs: 5 * SECOND,
  maxFalls: 3,
  maxWakings: 10,
  warrantExpiresMs: 24 * HOUR,
  overdueMs: 5 * MINUTE,
  evidenceOnlyWithinMs: 30 * MINUTE,
  maxEvidenceOnly: 2,
  heardOften: 3,
  heardWithinMs: 24 * HOUR,
  readWarrantsEveryMs: 2 * SECOND,
};
