/**
 * What a patrol sees of work and of who does it, measured once a cycle. Ages are durations, measured by the hands; what could
 * not be found out is `unknown`, and nothing is decided by it. Types only.
 */
import type { Ms } from '../protocol.ts';

export type BeadStatus = 'open' | 'in_progress' | 'blocked' | 'deferred' | 'hooked' | 'pinned' | 'closed';

/** A record that stands on disk and does not count: all that it would say is unknown. */
export interface UnreadSeen {
  /** The name of the file, without its folder. */
  readonly file: string;
  /** A sentence for a person, which names the file and its folder. */
  readonly why: string;
}

/** A piece of work, as far as dispatch is concerned. */
export interface WorkSeen {
  readonly id: string;
  readonly title: string;
  readonly status: BeadStatus;
  /** The agent it is assigned to; null = unassigned. */
  readonly assignee: string | null;
  /** Since it was changed last. */
  readonly restedMs: Ms;
  /** 0 is the most urgent. */
  readonly priority: number;
  readonly ageMs: Ms;
  /** Its writer holds it back for now. */
  readonly isStaged: boolean;
  /** Attempts so far that came to nothing, and how long ago the last one ended; null = there was none. */
  readonly attempts: number;
  readonly lastAttemptMs: Ms | null;
  /**
   * Of open work that was handed over and not begun since, and whose bead does not know that (a backup took the ledger's place):
   * whether main has it. Absent = it is no such work, or main lacks it.
   */
  readonly isInMain?: 'yes' | 'unknown';
  /** An agent made it, and the operator did not say yes: it waits for that, or comes after all other work. Absent = neither. */
  readonly ofAgent?: { readonly by: string; readonly isAsked: boolean };
  /** What earlier attempts left is unknown: it is not given out. Absent = it is known, or it was not asked for. */
  readonly unread?: UnreadSeen;
}

/** Commits that were seen, and the branch that has them. */
export interface WorkLeft {
  readonly branch: string;
  readonly commit: string;
}

/**
 * What a worker left in git. `work`: commits of its own that the remote's main branch lacks. `merged`: main has all of them;
 * `isOwnPush`: its commit itself stands in main's own line, where the refinery puts only commits that it made. `nothing`:
 * it committed nothing of its own. `scattered`: its commits are on several branches, or on none; `text` says where, and what to type.
 */
export type LeftSeen =
  | ({ readonly is: 'work' } & WorkLeft)
  | ({ readonly is: 'merged'; readonly isOwnPush: boolean } & WorkLeft)
  | { readonly is: 'scattered'; readonly text: string }
  | { readonly is: 'nothing' }
  | { readonly is: 'unknown' };

/** A worker of a rig. The town starts its session again only after an end that was no fault of its work (C-9, M-9). */
export interface WorkerSeen {
  /** As an assignee is written: `<rig>/polecats/<name>`. */
  readonly agent: string;
  readonly session: 'alive' | 'dead' | 'unknown';
  /** Its making was cut off before its session: nothing of it was ever begun. */
  readonly isUnbegun: boolean;
  /** The work that it was started for, and how long ago; null = none. */
  readonly startedFor: { readonly bead: string; readonly agoMs: Ms } | null;
  /** What it left, where it is dead. */
  readonly left: LeftSeen;
  /** When each failure of its work was, as ages. */
  readonly failureAgesMs: readonly Ms[];
}

/** A polecat was started for a piece of work. */
export interface AttemptSeen {
  readonly bead: string;
  readonly agoMs: Ms;
}

/** `is`: the alert that says so. `text`: for a person. */
export interface RigTrouble {
  readonly is: 'remote-changed' | 'other-town';
  readonly text: string;
}

/** A remote that answers no question. Absent = it answers, or there is none. */
export interface AwaySeen {
  /** Since the first that it did not answer. */
  readonly ms: Ms;
  /** What git said at the last one. */
  readonly why: string;
}

/** One rig in one cycle. */
export interface RigSeen {
  readonly name: string;
  /** A polecat's command is configured. */
  readonly hasAgent: boolean;
  readonly maxPolecats: number;
  /** Why nothing can be begun or published in it; null = nothing is in the way, or that is unknown. */
  readonly trouble: RigTrouble | null;
  readonly workers: readonly WorkerSeen[];
  readonly work: readonly WorkSeen[];
  /** Attempts of the rig since its last success, the youngest first. */
  readonly attempts: readonly AttemptSeen[];
}

/** A convoy: work that is followed together. */
export interface ConvoySeen {
  readonly id: string;
  readonly title: string;
  readonly tracked: readonly { readonly id: string; readonly isClosed: boolean }[];
}
