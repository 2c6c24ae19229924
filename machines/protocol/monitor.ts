/** What the monitor of workers sees, tells and remembers (M). Types and words only. */
import type { Incarnation, WallMs } from './identity.ts';

/** What an agent may report of itself. */
export const REPORT_STATUSES = ['idle', 'working', 'waiting_for_input', 'blocked', 'complete', 'error'] as const;
export type ReportStatus = (typeof REPORT_STATUSES)[number];
export const REPORT_OUTCOMES = ['success', 'failure', 'partial'] as const;
export type ReportOutcome = (typeof REPORT_OUTCOMES)[number];

/** The last word of one life about itself. */
export interface StatusReport {
  readonly session: string;
  /** The life that it is about (law 3). */
  readonly uuid: string;
  readonly status: ReportStatus;
  /** Foreign text; null = none. */
  readonly message: string | null;
  /** How its work ended, of `complete`; null = it does not say. */
  readonly outcome: ReportOutcome | null;
  readonly at: WallMs;
}

/** One worker as one poll shows it. */
export interface WorkerSeen {
  readonly life: Incarnation;
  readonly tags: readonly string[];
  /** By the best source (M-2). */
  readonly state: 'working' | 'idle' | 'asks' | 'denied' | 'limited' | 'logged_out' | 'error' | 'done' | 'unknown';
  /** When that state began; null = the source does not tell. */
  readonly since: WallMs | null;
  /** `claude session file`, `screen, pack claude`; null = none told it. */
  readonly source: string | null;
  /** The rule of a pack that told it; null = none did. */
  readonly rule: string | null;
  /** What it waits for, or what went wrong, in its own words; null = none. Foreign text. */
  readonly detail: string | null;
  /** Which question it asks: another one has another id. Absent = it asks none. */
  readonly question?: string | undefined;
  /** When it began the work in which it was seen last; null = none was seen. */
  readonly workedSince: WallMs | null;
  /** Null = this life reported nothing. */
  readonly report: Omit<StatusReport, 'session' | 'uuid'> | null;
  /** Stands as it is until something new comes (M-3); null = nothing of it can be seen. */
  readonly mark: string | null;
  /** The last lines that it wrote, the newest last; empty = not known. Foreign text. */
  readonly lines: readonly string[];
  /** The line of these that its pack knows as an error; null = none. */
  readonly error: string | null;
  /** It may stand still: a tool runs that has time left, or its program says that it works and shows nothing of it. */
  readonly isExcused: boolean;
}

/** How the monitor judges a worker. */
export const WORKER_STATES = ['working', 'stuck', 'error', 'complete', 'needs_input', 'unknown'] as const;
export type WorkerState = (typeof WORKER_STATES)[number];
/** The states that an orchestrator hears of. */
export const WORKER_ALERTS = ['stuck', 'error', 'complete', 'needs_input'] as const;
export type WorkerAlert = (typeof WORKER_ALERTS)[number];

/** A message to the sessions with a tag: in the mailbox of that tag once, under this id. */
export interface TagMessage {
  readonly id: string;
  readonly tag: string;
  readonly type: `worker.${WorkerAlert}`;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly suggested: { readonly action: string; readonly options: readonly string[] };
}

/** A state of one life that was told, for as long as it lasts. */
export interface WorkerEpisode {
  readonly session: string;
  readonly state: WorkerAlert;
  /** Tells it from the next one in the same state: a report's time, a question. */
  readonly key: string;
  readonly since: WallMs;
}

/** What orchestrators got of the reports of one life. */
export interface SentReports {
  /** The key of the last one that was sent: a report is sent once, even if another state follows it. */
  readonly key: string;
  /** From then on the whole budget is there again. */
  readonly spentUntil: WallMs;
  /** So many were not sent since the budget was whole: a newer one came first. */
  readonly leftOut: number;
  /** The key of the one that waits for the budget; null = none does. */
  readonly waiting: string | null;
}

/** Words that are typed to a session each time its interval has passed (M-6). */
export interface Timer {
  readonly name: string;
  readonly session: string;
  readonly intervalSecs: number;
  readonly message: string;
}

/** A letter that may wait for its reader too long (M-7). */
export interface WaitingLetter {
  /** The mailbox in which it lies. */
  readonly address: string;
  /** The session that reads that mailbox; null = it is not known. */
  readonly session: string | null;
  readonly id: string;
  /** Foreign text, as is the subject. */
  readonly from: string;
  readonly subject: string;
  readonly sentAt: WallMs;
  readonly isUrgentUnread: boolean;
  /** It needs a response: its reader has neither put it away nor written to its sender since. */
  readonly isUnanswered: boolean;
}

/** daemon/monitor.json. */
export interface MonitorRecord {
  /** By the uuid of a life. */
  readonly episodes: Readonly<Record<string, WorkerEpisode>>;
  /** By the uuid of a life that reported. */
  readonly reported: Readonly<Record<string, SentReports>>;
  /** Messages that are not in their mailbox yet. */
  readonly unsent: readonly TagMessage[];
  /** By the uuid of an orchestrator's life: messages up to this time were announced in its pane (law 3). */
  readonly nudgedUpTo: Readonly<Record<string, WallMs>>;
}

/** What comes of the orders of the monitor and its timers. */
export type MonitorOutcome =
  | { readonly type: 'MAIL_SEEN'; readonly letters: readonly WaitingLetter[] }
  /** `orchestrators`: living sessions with the tag that hears of workers; `waiting`: what lies in its mailbox, null = that is not known. */
  | {
      readonly type: 'WORKERS_SEEN';
      readonly workers: readonly WorkerSeen[];
      readonly orchestrators: readonly Incarnation[];
      readonly waiting: {
        readonly count: number;
        readonly oldestAt: WallMs | null;
        readonly newestAt: WallMs | null;
      } | null;
      readonly isRegular: boolean;
    };
