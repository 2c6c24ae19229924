/** Work that a person sends to a session, as it stands on disk and in outcomes. */
import type { WallMs } from './identity.ts';

/** Words that are typed once, when the agent of their session is at rest. */
export interface Send {
  readonly id: string;
  readonly session: string;
  readonly text: string;
  readonly from: string;
  readonly sentAt: WallMs;
  /** The uuid of the life that it is for: a later one does not get it. Absent = it is a person's work, for any life. */
  readonly life?: string | undefined;
  /** Why it is never typed, as the end of a sentence: it stays until its sender cancels it. Absent = it is typed in time. */
  readonly undone?: string | undefined;
}

/** Work that is off the record: how it ended. */
export interface SendEnd {
  readonly id: string;
  readonly session: string;
  readonly begins: string;
  /** Checksum of its whole text: the same request has the same. Absent = an older town wrote it, and its beginning decides. */
  readonly sum?: number | undefined;
  /** `started`: it was typed, and its program says that a turn began. `given`: its program took it without a key. `begun`: and began the turn for it. */
  readonly end: 'typed' | 'started' | 'given' | 'begun' | 'cancelled';
}

/** Oldest first. */
export interface SendsNote {
  readonly sends: readonly Send[];
  /** The last ones, so that a request which comes again after its answer was lost types nothing twice. */
  readonly ended: readonly SendEnd[];
}

/** What a request to send is answered with, also one that comes again. */
export interface SendReply {
  readonly id: string;
  /** How much of the same session is typed before it. */
  readonly ahead: number;
  /** null = it has not ended. */
  readonly end: SendEnd['end'] | null;
  /** Why it is never typed; null = it is typed in time, or has ended. */
  readonly undone: string | null;
  /** It was typed a moment ago, and its program may still say that its turn began. */
  readonly isProving?: true;
}

/** Whether the program of the agent says, of itself, that a turn runs. */
export interface TurnSeen {
  readonly type: 'TURN_SEEN';
  readonly hasBegun: boolean;
}
