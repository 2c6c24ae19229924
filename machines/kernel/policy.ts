/** The numbers of a supervisor, with unit and reason. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const SUPERVISOR = {
  /** Restarts of one supervisor's children … */
  maxRestarts: 5,
  /** … within this, then it escalates to its parent. */
  withinMs: 10 * MINUTE,
  /** First wait before a restart, doubled each time … */
  backoffMs: 1 * SECOND,
  /** … up to this. */
  maxBackoffMs: 1 * MINUTE,
  /** Share by which a wait is spread either way. */
  jitter: 0.2,
};
export type SupervisorPolicy = Readonly<typeof SUPERVISOR>;
