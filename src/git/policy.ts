/** The numbers of git outside a rescue, with unit and reason. */
import type { Ms } from '../../machines/protocol.ts';

export interface GitPolicy {
  /** Programs of git at once, whoever asks: more only wait for the same disk. */
  readonly maxAtOnce: number;
  /** One look at a worktree, all its calls together: what has not been told by then is unknown. */
  readonly lookMs: Ms;
  /** One call that moves files: a checkout, a removal. */
  readonly workMs: Ms;
  /** One call that goes over the network. */
  readonly netMs: Ms;
  /** What is given up on has so long to take back its locks. */
  readonly graceMs: Ms;
  /** Bytes of one answer; a worktree with more to say is unknown. */
  readonly maxAnswerBytes: number;
  /** Commits and stashes that one look lists; there may be more. */
  readonly maxListed: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const GIT: GitPolicy = {
  maxAtOnce: 8,
  lookMs: 20 * SECOND,
  workMs: 5 * MINUTE,
  netMs: 1 * MINUTE,
  graceMs: 1 * SECOND,
  maxAnswerBytes: 33_554_432,
  maxListed: 1_000,
};
