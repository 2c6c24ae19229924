/** The words between the town and people: alerts, what a caller may request over the socket, and the reply. */
import type { EpisodeName } from './episode.ts';
import type { WallMs } from './identity.ts';

export type Severity = 'low' | 'medium' | 'high' | 'critical';

/** An edge, not a level: one per episode, durable, with one recovery notice (law 8). */
export interface Alert {
  /** The same episode is alerted once. */
  readonly episode: EpisodeName;
  readonly severity: Severity;
  readonly session: string | null;
  /** The uuid of the one life that it is about, and with which it is over; absent = of none in particular. */
  readonly life?: string | undefined;
  /** Which question it is, of those that one cause asks one after the other, by its marks (alerts/question.ts): another one is told anew. Absent = of none, or not known. */
  readonly question?: string | undefined;
  /** What happened and what a person can do, in one or two sentences. */
  readonly text: string;
}

/** An alert from its beginning to its end, as it is on record. Times are wall ms. */
export interface Episode extends Alert {
  readonly since: WallMs;
  /** How often it was raised, each time in other words or of another life. */
  readonly count: number;
  /** Steps by which it is graver than its actor claims (P-11); absent = none. */
  readonly climbs?: number | undefined;
  /** null = no person was notified yet. */
  readonly told_at: WallMs | null;
  readonly ended_at: WallMs | null;
  /** How it ended, in words. */
  readonly recovery: string | null;
}

/** Who took note of the episode that began then. */
export interface Acked {
  readonly since: WallMs;
  readonly by: string;
  readonly at: WallMs;
}

/** An answer to a question of the town's own: the question, the option, and the caller who gave it. */
export interface AnsweredQuestion {
  readonly at: WallMs;
  /** `operator`, or the caller of a channel as `[[may_answer]]` names it. */
  readonly by: string;
  /** Its id in `town ask list`. */
  readonly question: string;
  /** `letter`, `case`, … */
  readonly kind: string;
  /** null = it is about none. */
  readonly session: string | null;
  readonly text: string;
  /** The word that was chosen; a text behind it is kept where it went. */
  readonly option: string;
  /** Its command was cut off: whether it carried the answer out is not known. */
  readonly isCutOff?: true;
}

/** An episode that was open, and how it ended. */
export interface Ended {
  readonly episode: EpisodeName;
  readonly text: string;
}

/** What may be ordered about episodes, whose owner is the actor `alerts`. */
export type AlertChange =
  /** In the same words, of the same life, it is the same, and counts no more. */
  | { readonly type: 'alert'; readonly alert: Alert }
  /** Nothing happens when it is not open. */
  | { readonly type: 'endAlert'; readonly episode: EpisodeName; readonly text: string }
  /**
   * Ends all open episodes of this kind, of any origin, except these and their parts. `within`: only those of this name and its parts;
   * absent = all.
   */
  | {
      readonly type: 'endOthers';
      readonly of: string;
      readonly within?: string | undefined;
      readonly except: readonly string[];
      readonly text: string;
    };

export type Reply =
  | { readonly ok: true; readonly value: unknown }
  /** `exit` is an exit code of the command line (README). */
  | { readonly ok: false; readonly exit: 1 | 2 | 3 | 4 | 5; readonly code: string; readonly text: string };

/** By episode. */
export type Acks = Readonly<Record<string, Acked>>;
/**
 * An open episode whose thing is looked at. `mark`: of a file that was left in place; absent = by an earlier process. `session`:
 * absent = an earlier process counted the episode among others.
 */
export type Checked = Pick<Episode, 'episode' | 'life' | 'count'> & {
  readonly mark?: string;
  readonly session?: string | null;
};
/** What a process of the town knows of itself. */
export type Condition =
  | 'disk'
  | 'config-broken'
  | 'socket-moved'
  | 'gas-town'
  | 'channel-silent'
  | 'channel-deaf'
  | 'restored'
  | ProgramChange;

/** What became of a program that the town uses by its path. */
type ProgramChange = 'package-changed' | 'node-changed' | 'tmux-changed' | 'git-missing' | 'agent-program-missing';
