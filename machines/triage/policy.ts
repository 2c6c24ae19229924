/** The numbers of triage, with unit and reason. Input of every decision that uses them. */
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export const TRIAGE = {
  /** Who decides: the reasoner whose command is configured, and a person where it does not; `none` = a person alone, as without a command. */
  reasoner: 'command' as 'none' | 'command',
  /** P-14: cases that a run is shown, the oldest. */
  maxCases: 20,
  /** P-13: open cases of a rig that a reasoner is asked about; what comes on top is for a person, since something larger is wrong. */
  maxOpen: 5,
  /** The same is asked about the same agent again so long after it was decided, not before. */
  againAfterMs: 15 * MINUTE,
  /** … and a case passed to the mayor, so long after that. */
  mayorsMs: 4 * HOUR,
  /** P-14: pause after a run that failed; after one that decided nothing the cases that it saw pause as long. */
  cooldownMs: 5 * MINUTE,
  /** P-14: a run ends by then. */
  deadlineMs: 10 * MINUTE,
  /** P-14: runs in 24 hours. */
  maxRuns: 24,
  /** So many runs in a row that decided nothing … */
  breakerFailures: 3,
  /** … and there is none for so long; then a single one tries. */
  breakerRestMs: HOUR,
  /** A case that so many runs left open is a person's. */
  maxTries: 2,
  /** A case that is open for so long is a person's. */
  personAfterMs: HOUR,
  /** RESTART_WITH_BACKOFF: the work waits so long, doubled with each attempt so far … */
  backoffMs: 15 * MINUTE,
  /** … up to this. */
  maxBackoffMs: 4 * HOUR,
};
export type TriagePolicy = Readonly<typeof TRIAGE>;
