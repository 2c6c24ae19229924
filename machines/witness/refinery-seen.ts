/** What is seen of a rig's refinery (W-3): its command, its session, and what waits for it. */
import type { UnreadSeen } from '../patrols/observation.ts';
import type { Ms } from '../protocol.ts';

export interface RefinerySeen {
  readonly hasCommand: boolean;
  /** Why the program of that command is not found, as a sentence; null = it is, or no start of it is due. */
  readonly missing: string | null;
  /** waits: it ended by itself, and the town starts it again at the pace of restarts (C-6). */
  readonly session: 'alive' | 'waits' | 'dead' | 'unknown';
  /** Its last life ran another command than `[rig.<name>] refinery` names now. */
  readonly isOther: boolean;
  /** The operator stopped its session: only the operator starts it again (C-13). */
  readonly isStopped: boolean;
  /** Merge requests in its mailbox that are not archived. */
  readonly waiting: number;
  readonly oldestMs: Ms;
  /** Since it was started last, by this patrol or the sessions; null = it never was. */
  readonly startedMs: Ms | null;
  /** The last start by this patrol began a life, soon after the start before. */
  readonly isRestarted: boolean;
  /** Open cases about its queue; seen only while no request waits. */
  readonly undecided: readonly string[];
  /** When each was last done, as ages; null = never. */
  readonly wokenMs: Ms | null;
  readonly nudgedMs: Ms | null;
  /** The last nudge was refused; null = it was typed. */
  readonly refusedMs: Ms | null;
  /** What was done about it is unknown, and its session counts as `unknown`. Absent = that is known. */
  readonly unread?: UnreadSeen;
}

export interface PullRequestSeen {
  /** Where a person looks at it; null = not known. */
  readonly url: string | null;
  /** Whether the remote still has its branch: a host that merged or closed it may delete that. `unknown`: the remote was not asked. */
  readonly isBranchThere: 'yes' | 'no' | 'unknown';
  /** The line that hands the same work over again; '' = its branch is there, or unknown. */
  readonly again: string;
}
