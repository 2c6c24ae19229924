/** The numbers of a supervisor, with unit and reason. */
import type { Ms } from '../protocol.ts';

export interface SupervisorPolicy {
  /** Restarts of one supervisor's children … */
  readonly maxRestarts: number;
  /** … within this, then it escalates to its parent. */
  readonly withinMs: Ms;
  /** First wait before a restart, doubled each time … */
  readonly backoffMs: Ms;
  /** … up to this. */
  readonly maxBackoffMs: Ms;
  /** Share by which a wait is spread either way. */
  readonly jitter: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const SUPERVISOR: SupervisorPolicy = {
  maxRestarts: 5,
  withinMs: 10 * MINUTE,
  backoffMs: 1 * SECOND,
  maxBackoffMs: 1 * MINUTE,
  jitter: 0.2,
};
