/** The numbers of triage, with unit and reason. Input of whoever decides by them. */
import type { Ms } from '../protocol.ts';

export interface TriagePolicy {
  /** Who decides: `none` = a person alone; `command` = the reasoner that is configured, and a person where it does not. */
  readonly reasoner: 'none' | 'command';
  /** P-14: cases that a run is shown, the oldest. */
  readonly maxCases: number;
  /** P-13: open cases of a rig that a reasoner is asked about; what comes on top is for a person, since something larger is wrong. */
  readonly maxOpen: number;
  /** The same is asked about the same agent again so long after it was decided, not before. */
  readonly againAfterMs: Ms;
  /** … and what the mayor was told of, so long after that. */
  readonly mayorsMs: Ms;
  /** P-14: pause after a run that decided nothing. */
  readonly cooldownMs: Ms;
  /** P-14: a run ends by then. */
  readonly deadlineMs: Ms;
  /** P-14: runs in 24 hours. */
  readonly maxRuns: number;
  /** So many runs in a row that decided nothing … */
  readonly breakerFailures: number;
  /** … and there is none for so long; then a single one tries. */
  readonly breakerRestMs: Ms;
  /** A case that so many runs left open is a person's. */
  readonly maxTries: number;
  /** A case that is open for so long is a person's. */
  readonly personAfterMs: Ms;
  /** RESTART_WITH_BACKOFF: the work waits so long, doubled with each attempt so far … */
  readonly backoffMs: Ms;
  /** … up to this. */
  readonly maxBackoffMs: Ms;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export const TRIAGE: TriagePolicy = {
  reasoner: 'none',
  maxCases: 20,
  maxOpen: 5,
  againAfterMs: 15 * MINUTE,
  mayorsMs: 4 * HOUR,
  cooldownMs: 5 * MINUTE,
  deadlineMs: 10 * MINUTE,
  maxRuns: 24,
  breakerFailures: 3,
  breakerRestMs: HOUR,
  maxTries: 2,
  personAfterMs: HOUR,
  backoffMs: 15 * MINUTE,
  maxBackoffMs: 4 * HOUR,
};
