/** The numbers of a hearing, with unit and reason; sections and keys are those of town.toml (`windowsMs` is `windows`). */
import type { Ms } from '../protocol.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const DANCE = {
  /** D-11, GT_DOG_POOL_SIZE, 1..20: five hearings at once cover the worst night seen; the rest queue. */
  poolSize: 5,
  /** D-1: three chances, each twice as patient; 420 s in all. */
  windowsMs: [60 * SECOND, 120 * SECOND, 240 * SECOND] as readonly Ms[],
  /** D-4: whether signs of life pardon, or only an answer. */
  pardonOn: 'evidence' as 'evidence' | 'answer',
  /** D-5: how often an open window is looked at; an answer ends it early. */
  lookEveryMs: 1 * SECOND,
  /** D-7: the most that may count between two looks that saw: a sleep in between counts almost nothing. */
  maxPerLookMs: 1_500,
  /** D-6: pause before an undelivered question or a failed order is tried again. */
  retryMs: 5 * SECOND,
  /** D-6: undeliverable for so long, a person decides. */
  undeliverableMs: 30 * MINUTE,
  /** Law 6: a person at the keys suspends the dance; still there after this, they decide. */
  personMs: 10 * MINUTE,
  /** D-8: an agent is gone when it was seen gone twice, this far apart. */
  goneAgainMs: 10 * SECOND,
  /** D-10: between TERM and KILL. */
  termGraceMs: 10 * SECOND,
  /** D-10: how long after KILL a process may need to vanish. */
  killGraceMs: 2 * SECOND,
  /** D-10: lists of newcomers at most, before the survivors are named and left. */
  maxRounds: 5,
  /** A kill older than its last look by more than this looks again first. */
  lookStaleMs: 5 * SECOND,
  /** Law 4: failed rescues in a row before a person is asked; nothing is destroyed meanwhile. */
  maxRescues: 3,
  /** Granularity of observed time in the record: a crash gives at most this much back to the target. */
  saveEveryMs: 5 * SECOND,
  /** Crashes of one dog without progress before its dance ends `failed`, with an alert and no kill. */
  maxCrashes: 3,
  /** Wakings in a row without any outcome (the process died each time) before the dance ends `failed`. */
  maxRecoveries: 10,
  /** D-15: a warrant older than this is void. */
  warrantExpiresMs: 24 * HOUR,
  /** D-15: alarm when a dance outlives its observable time by this. */
  overdueMs: 5 * MINUTE,
  /** D-4: evidence-only pardons within this time … */
  evidenceOnlyWithinMs: 30 * MINUTE,
  /** … so many of them, and the next warrant ends `escalated` instead of executed. */
  maxEvidenceOnly: 2,
  /** D-15: alarm when one target was heard this often … */
  heardOften: 3,
  /** … within this time. */
  heardWithinMs: 24 * HOUR,
  /** D-15: a file put into warrants/ counts within this time (the slow net under the wake-up by socket). */
  readWarrantsEveryMs: 2 * SECOND,
};
export type DancePolicy = Readonly<typeof DANCE>;
