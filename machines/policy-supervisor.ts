/** The numbers of a supervisor, with unit and reason; their defaults stand in policy.ts. */
import type { Ms } from './protocol.ts';

export interface SupervisorPolicy {
  /** Restarts of one supervisor's children … */
  readonly maxRestarts: number;
  /** … within this, then it escalates to its parent. */
  readonly withinMs: Ms;
  /** First wait before a restart, doubled each time … */
  readonly backoffMs: Ms;
  /** … up to this. */
  readonly mostBackoffMs: Ms;
  /** Share by which a wait is spread either way. */
  readonly jitter: number;
}
