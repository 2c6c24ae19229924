/**
 * The words of the town: facts (past tense) go into machines, orders (imperative) come out. Nothing here does anything.
 * 1. An `Instant` is the town's monotonic clock and never stands in a record; a `WallMs` is for people and names, and
 *    never shortens anybody's time.
 * 2. Every order gets exactly one outcome; the outcome carries `re`, the order's id, and returns to the actor that gave it.
 * 3. Whatever could not be found out is `unknown`: never silence, never death (law 1).
 */
import type { Instant, Ms, WallMs, Stamp, Proc, Incarnation } from './life.ts';
import type { BootStatus, DeaconSeen, Discovered, Letter, NoteRecord, Notes, ServerDeaths } from './watchdog.ts';

export type { Instant, Ms, WallMs, Stamp, Proc, Incarnation };

// ---------------------------------------------------------------------------------------------------------- warrants

/** A request for a hearing, bound to one incarnation. */
export interface Warrant {
  readonly id: string;
  readonly target: Incarnation;
  readonly reason: string;
  readonly requester: string;
  readonly filedAt: WallMs;
  /** An operator's `session kill --force`: no hearing, but law 4 holds. */
  readonly force: boolean;
}

export const VERDICTS = ['pardoned', 'executed', 'already_dead', 'void', 'failed', 'escalated'] as const;
export type Verdict = (typeof VERDICTS)[number];

// ------------------------------------------------------------------------------------------------------------ dances

/** D-1, as callers see it. */
export const DANCE_STATES = [
  'idle',
  'interrogating',
  'evaluating',
  'pardoned',
  'executing',
  'complete',
  'failed',
] as const;
export type DanceState = (typeof DANCE_STATES)[number];

/** Where exactly a dance stands: `state` or `state.step`. `closed` is on its way to completed/. */
export const STAGES = [
  'idle',
  'interrogating.asking',
  'interrogating.retrying',
  'interrogating.listening',
  'interrogating.suspended',
  'interrogating.confirming',
  'evaluating',
  'executing.listing',
  'executing.looking',
  'executing.rescuing',
  'executing.terminating',
  'executing.killing',
  'executing.clearing',
  'pardoned',
  'complete',
  'failed',
  'closed',
] as const;
export type Stage = (typeof STAGES)[number];

/** What the hands saw before the first key of a question, so that a later look can tell new from old. */
export interface Mark {
  /** history_size + rows above the cursor at the time: the absolute line where news begin. */
  readonly line: number;
  readonly width: number;
  readonly alternate: boolean;
  /** CPU rate of the tree in the 30 s before the question, in CPU ms per s; null = not measured, so CPU is no evidence. */
  readonly cpuRate: number | null;
}

/** One question and what came of it. Times are for people. */
export interface Attempt {
  /** Without its dash, as in the answer: `K73F`. */
  readonly code: string;
  readonly windowMs: Ms;
  readonly askedAt: WallMs | null;
  /** The exact lines that were typed: our own words, taken out of every look. */
  readonly question: readonly string[];
  readonly mark: Mark | null;
  /** What ended it, in words. */
  readonly seen: string;
}

/** Saved before an execution (law 4). */
export interface Rescue {
  /** Folder under rescue/, relative to the root. */
  readonly folder: string;
  /** Git ref that holds uncommitted and untracked work; null = no worktree or nothing to save. */
  readonly ref: string | null;
}

/** The durable record of one dance. Holds spent durations, no instants: a clock may not survive, time given does. */
export interface Dance {
  readonly id: string;
  readonly slot: number;
  readonly target: Incarnation;
  /** The first is the cause, the rest attached later. */
  readonly warrants: readonly Warrant[];
  readonly stage: Stage;
  /** 1..windows. */
  readonly attempt: number;
  readonly attempts: readonly Attempt[];
  /** Observable time spent of this attempt's window. */
  readonly observedMs: Ms;
  /** Observable time in which the question could not be delivered. */
  readonly undeliveredMs: Ms;
  /** Observable time in which a person was at the keys. */
  readonly personMs: Ms;
  /** The kill intent: every process that may be signalled. null = no intent. */
  readonly tree: readonly Proc[] | null;
  /** A signal may have been sent. */
  readonly killing: boolean;
  /** Rounds of signals so far. */
  readonly rounds: number;
  readonly rescue: Rescue | null;
  readonly survivors: readonly Proc[];
  readonly verdict: Verdict | null;
  readonly reason: string;
  /** How long it has been under way while a town ran, for the alarm of D-15 alone; absent = a moment. */
  readonly lastedMs?: Ms | undefined;
  /** True when a pardon rests on evidence of life alone, without an answer. */
  readonly evidenceOnly: boolean;
  /** Two pardons on evidence alone stand: a person decides instead of an execution (D-4). */
  readonly escalate: boolean;
  /** Falls of the dog, not of the target; reset when the dance gets on. */
  readonly falls: number;
  /** Wakings without any outcome yet: raised and saved before the dog does anything, so a record that kills the process counts. */
  readonly wakings: number;
  /** A failed dance is tried once more (D-12). */
  readonly retried: boolean;
  /** How the target's process had ended by itself, as its pane told: a hearing may clear it before a scan reads it (C-6). */
  readonly exit?: Exit | undefined;
  readonly tailBefore: string;
  readonly tailAfter: string;
  readonly openedAt: WallMs;
  readonly closedAt: WallMs | null;
}

/** What is left of a closed dance that later decisions need (D-4, D-15). */
export interface Heard {
  readonly uuid: string;
  readonly session: string;
  readonly verdict: Verdict;
  readonly evidenceOnly: boolean;
  readonly closedAt: WallMs;
  /** The episode that it left to a person, as long as nothing ended it (law 8). */
  readonly open?: string;
}

// ---------------------------------------------------------------------------------------------------------- sessions

export type RestartPolicy = 'permanent' | 'transient' | 'temporary';

export interface SessionSpec {
  readonly name: string;
  /** Executed as it is, without a shell; empty for an adopted session. */
  readonly command: readonly string[];
  readonly dir: string;
  readonly tags: readonly string[];
  readonly restart: RestartPolicy;
  /** Name of the agent's process in an adopted pane; null = the pane's command. */
  readonly process: string | null;
}

/**
 * starting   the order is out
 * running    its incarnation was seen alive
 * backing_off waits for its next restart
 * ended      over for good: a clean exit, an execution, or a `temporary` death
 * observed   adopted: watched, never started by us
 */
export const SESSION_STATES = ['starting', 'running', 'backing_off', 'ended', 'observed'] as const;
export type SessionState = (typeof SESSION_STATES)[number];

/** How an agent's process ended. `unknown` counts as a crash, never as a clean exit. */
export type Exit =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'unknown' };

/** The durable record of a session that the town started or adopted. */
export interface SessionRecord {
  readonly spec: SessionSpec;
  readonly state: SessionState;
  /** The current life, or the last one. */
  readonly incarnation: Incarnation | null;
  /** The uuid of a life that is being started: the same order again finds it instead of starting another. */
  readonly pending: string | null;
  /** sha-256 of the TOWN_TOKEN of the current life. */
  readonly tokenHash: string | null;
  /** Restarts after crashes, which alone count against the budget: how long ago each was, in observed town time. */
  readonly restartAgesMs: readonly Ms[];
  /** Clean ends that a new start follows, which no budget counts: how long ago each was; absent = none. */
  readonly cleanAgesMs?: readonly Ms[] | undefined;
  /** A person was told that it ends cleanly again and again. */
  readonly restless?: boolean | undefined;
  /** Restarts in a row without a stable spell. */
  readonly streak: number;
  /** Starts in a row that failed; absent = the last one got through. */
  readonly failedStarts?: number | undefined;
  /** A person was told that somebody else is in its name. */
  readonly nameTaken?: boolean | undefined;
  /** A person was told that nobody can tell whether it lives. */
  readonly unknownTold?: boolean | undefined;
  readonly restarts: number;
  /** The budget was exceeded; tries go on at the capped pace. */
  readonly crashLoop: boolean;
  /** How long until the next start, when backing off. */
  readonly waitMs: Ms;
  /** How long the present life has been seen alive. */
  readonly stableMs: Ms;
  readonly lastExit: Exit | null;
  /** Why it is where it is, in words. */
  readonly note: string;
  readonly startedAt: WallMs | null;
  /** It stands in town.toml, or stood there when it was started. */
  readonly configured?: boolean | undefined;
  /** What the agent of that life asked for itself (C-10): what follows its end, whatever its restart policy. */
  readonly asked?: { readonly uuid: string; readonly then: 'restart' | 'end' } | null | undefined;
}

/** What a scan saw of one session that the town knows. */
export interface SeenSession {
  readonly name: string;
  readonly uuid: string;
  /** dead: the pane is there, its process is not. absent: no such pane on this very server. replaced: the name lives, another life. */
  readonly life: 'alive' | 'dead' | 'absent' | 'replaced' | 'unknown';
  readonly exit: Exit | null;
  /** A durable kill intent names this life: its death is an execution. */
  readonly condemned: boolean;
  /** The words of a usage limit that a dead agent left on its screen; absent = none was seen. */
  readonly limit?: string | undefined;
}

// ------------------------------------------------------------------------------------------------------------- looks

export type AnswerBy = 'town alive' | 'code' | 'bare ALIVE';

/** What one look at a target shows (D-3, D-4, D-8, D-9). */
export type Sight =
  | { readonly kind: 'answered'; readonly by: AnswerBy; readonly quote: string }
  | { readonly kind: 'evidence'; readonly what: string }
  | { readonly kind: 'silent' }
  /** A question to a person is on the screen. */
  | { readonly kind: 'dialog'; readonly what: string }
  /** A person pressed a key there in the last 10 minutes. */
  | { readonly kind: 'person'; readonly what: string }
  /** The agent is gone; `left` = the session or pane is still there. `exit`: what the pane still tells of its end. */
  | { readonly kind: 'gone'; readonly left: boolean; readonly exit?: Exit }
  | { readonly kind: 'replaced' }
  | { readonly kind: 'unknown'; readonly why: string };

/** Why a question was not typed (D-6). */
export type Obstacle =
  | { readonly kind: 'dialog'; readonly what: string }
  | { readonly kind: 'person'; readonly what: string }
  | { readonly kind: 'gone'; readonly left: boolean; readonly exit?: Exit }
  | { readonly kind: 'replaced' }
  /** Copy mode, a person's draft, a screen no pack can judge. Tried again. */
  | { readonly kind: 'busy'; readonly what: string }
  | { readonly kind: 'unknown'; readonly why: string };

/** Why a nudge was not typed. */
export type NudgeObstacle =
  | Obstacle
  /** Law 5: this life was nudged a moment ago, by anybody. `waitMs`: until the next one may be typed. */
  | { readonly kind: 'recent'; readonly what: string; readonly waitMs: Ms }
  /** Law 6: its name is protected. */
  | { readonly kind: 'protected'; readonly what: string }
  /** The text itself: empty, too long, or it would read as an answer to a question of the town. */
  | { readonly kind: 'unfit'; readonly what: string };

// ------------------------------------------------------------------------------------------------------------ alerts

export type Severity = 'low' | 'medium' | 'high' | 'critical';

/** An edge, not a level: one per episode, durable, with one recovery notice (law 8). */
export interface Alert {
  /** Names the episode: `dance-undeliverable/<session>`. The same episode is told once. */
  readonly episode: string;
  readonly severity: Severity;
  readonly session: string | null;
  /** The uuid of the one life that it is about, and with which it is over; absent = of none in particular. */
  readonly life?: string | undefined;
  /** What happened and what a person can do, in one or two sentences. */
  readonly text: string;
}

// ------------------------------------------------------------------------------------------------- requests and replies

/** What a caller asks of the running town over the control socket; answered by exactly one `reply` order. */
export type Request =
  | { readonly verb: 'startSession'; readonly spec: SessionSpec }
  | {
      readonly verb: 'adoptSession';
      readonly name: string;
      readonly process: string | null;
      readonly tags: readonly string[];
    }
  | { readonly verb: 'cancelWarrant'; readonly id: string; readonly by: string }
  | { readonly verb: 'nudge'; readonly name: string; readonly text: string; readonly from: string }
  /** One triage of the Deacon now. */
  | { readonly verb: 'bootTriage' }
  /** Asks a session for a sign of life, or every one (null). */
  | { readonly verb: 'healthCheck'; readonly session: string | null };

export type Reply =
  | { readonly ok: true; readonly value: unknown }
  /** `exit` is an exit code of the command line (README). */
  | { readonly ok: false; readonly exit: 1 | 2 | 3 | 4 | 5; readonly code: string; readonly text: string };

// ------------------------------------------------------------------------------------------------------------ orders

export type OrderBody =
  // a dog's
  | { readonly type: 'ask'; readonly target: Incarnation; readonly lines: readonly string[]; readonly code: string }
  | {
      readonly type: 'look';
      readonly target: Incarnation;
      /** Names the question, so that the hands can keep what they measured since. */
      readonly asked: string;
      readonly attempts: readonly Attempt[];
      /** `answer` switches evidence of life off. */
      readonly pardonOn: 'evidence' | 'answer';
    }
  | { readonly type: 'listTree'; readonly target: Incarnation }
  | { readonly type: 'rescue'; readonly target: Incarnation; readonly dance: string }
  | {
      readonly type: 'signal';
      readonly target: Incarnation;
      readonly signal: 'TERM' | 'KILL';
      readonly tree: readonly Proc[];
      /** After this long the hands report who is still there. */
      readonly graceMs: Ms;
      /** The last look that found silence; older than policy allows = refused, look again. */
      readonly lookedAt: Instant;
    }
  /** `unsaved`: nobody saved what its pane shows yet; that comes first, and without it the pane stays (law 4). */
  | { readonly type: 'clear'; readonly target: Incarnation; readonly tree: readonly Proc[]; readonly unsaved?: boolean }
  | { readonly type: 'tell'; readonly dance: Dance }
  // the kennel's
  | { readonly type: 'readRecords' }
  | { readonly type: 'readWarrants' }
  // the sessions'
  | { readonly type: 'readSessions' }
  | { readonly type: 'scan'; readonly known: readonly Incarnation[] }
  | {
      readonly type: 'startSession';
      readonly spec: SessionSpec;
      readonly uuid: string;
      readonly previous: Incarnation | null;
    }
  | { readonly type: 'adoptSession'; readonly name: string; readonly process: string | null; readonly uuid: string }
  // the watchdog chain's
  | { readonly type: 'readBoot' }
  | { readonly type: 'readHealth' }
  /** null = the Deacon is an actor. */
  | { readonly type: 'observeDeacon'; readonly session: string | null }
  /** Asks tmux itself for these sessions. */
  | { readonly type: 'discover'; readonly names: readonly string[] }
  | { readonly type: 'readDeaconMail' }
  /** `why`: the reason by id, for those that are put away without anything done. */
  | {
      readonly type: 'archiveDeaconMail';
      readonly ids: readonly string[];
      readonly why?: Readonly<Record<string, string>>;
    }
  /** Words typed to an agent, with their own Enter, where nothing stands in the way; one per life in a while, whoever asks (law 5). */
  | { readonly type: 'nudge'; readonly target: Incarnation; readonly text: string; readonly from: string }
  | { readonly type: 'fileWarrant'; readonly warrant: Warrant }
  // anybody's
  /** News for siblings: an actor knows no other's address. */
  | { readonly type: 'announce'; readonly news: NewsBody }
  /** Nothing but an outcome once the records of this step are durable. */
  | { readonly type: 'checkpoint' }
  | { readonly type: 'alert'; readonly alert: Alert }
  /** Nothing happens when it is not open: the first good finding after a start always orders it, whoever told the episode. */
  | { readonly type: 'endAlert'; readonly episode: string; readonly text: string }
  /** Of all open episodes with this prefix only these go on. */
  | {
      readonly type: 'endOthers';
      readonly prefix: string;
      readonly except: readonly string[];
      readonly text: string;
    }
  /** A message of the town, once however often it is ordered. */
  | { readonly type: 'mail'; readonly to: string; readonly subject: string; readonly body: string }
  | { readonly type: 'reply'; readonly to: string; readonly reply: Reply }
  // a connection's
  | { readonly type: 'connect'; readonly what: string };

/** `id` is the same whenever the same thing is asked for again, so that doing it twice is harmless. */
export type Order = OrderBody & { readonly id: string };

// ------------------------------------------------------------------------------------------------------------- facts

export type OutcomeBody =
  | { readonly type: 'ASKED'; readonly mark: Mark; readonly tail: string }
  | { readonly type: 'NOT_ASKED'; readonly obstacle: Obstacle }
  | { readonly type: 'LOOKED'; readonly sight: Sight; readonly tail: string }
  | { readonly type: 'TREE_LISTED'; readonly tree: readonly Proc[] }
  | { readonly type: 'RESCUED'; readonly rescue: Rescue }
  /** alive: of the list, still there. newcomers: ours, but not on the list; must be recorded before they are signalled. */
  | { readonly type: 'SIGNALLED'; readonly alive: readonly Proc[]; readonly newcomers: readonly Proc[] }
  /** `left`: what of it stands in tmux and why, in words; absent = nothing does. */
  | { readonly type: 'CLEARED'; readonly survivors: readonly Proc[]; readonly left?: string }
  | { readonly type: 'TOLD' }
  | {
      readonly type: 'RECORDS_READ';
      readonly dances: readonly Dance[];
      readonly warrants: readonly Warrant[];
      readonly heard: readonly Heard[];
      /** The largest number in a dance's id so far, so that ids stay unique when the clock steps back. */
      readonly lastDanceMs: number;
      /** Sessions of these dances whose names are protected by now (law 6); absent = none is. */
      readonly protected?: readonly string[];
    }
  | { readonly type: 'WARRANTS_READ'; readonly warrants: readonly Warrant[] }
  | {
      readonly type: 'SESSIONS_READ';
      readonly sessions: readonly SessionRecord[];
      readonly serverDeaths?: ServerDeaths | null;
    }
  | {
      readonly type: 'SESSIONS_SEEN';
      /** gone: the recorded server's pid + start time is proved gone. none: there never was one. */
      readonly server: 'up' | 'gone' | 'none' | 'unknown';
      readonly seen: readonly SeenSession[];
    }
  | { readonly type: 'SESSION_STARTED'; readonly incarnation: Incarnation; readonly tokenHash: string }
  /** taken: somebody is in it. gone: nobody is, but it could not be cleared. */
  | { readonly type: 'SESSION_NOT_STARTED'; readonly why: string; readonly taken: boolean }
  | {
      readonly type: 'SESSION_ADOPTED';
      readonly incarnation: Incarnation;
      readonly tokenHash: string;
      readonly dir: string;
    }
  | { readonly type: 'SESSION_NOT_ADOPTED'; readonly why: string; readonly exit: 1 | 2 | 5 }
  /** `runningMs`: age of the mark of a running Boot; null = there is none. */
  | { readonly type: 'BOOT_READ'; readonly runningMs: Ms | null; readonly status: BootStatus | null }
  | { readonly type: 'HEALTH_READ'; readonly checks: Notes['healthChecks'] }
  | { readonly type: 'DEACON_OBSERVED'; readonly seen: DeaconSeen }
  | { readonly type: 'DISCOVERED'; readonly found: readonly Discovered[]; readonly paused: boolean }
  | {
      readonly type: 'DEACON_MAIL_READ';
      readonly letters: readonly Letter[];
      readonly healthy: number;
      readonly unhealthy: number;
      readonly paused: boolean;
    }
  | { readonly type: 'MAIL_ARCHIVED' }
  | { readonly type: 'NUDGED' }
  | { readonly type: 'NOT_NUDGED'; readonly obstacle: NudgeObstacle }
  | { readonly type: 'WARRANT_WRITTEN' }
  | { readonly type: 'ANNOUNCED' }
  | { readonly type: 'SAVED' }
  /** `ended`: the episodes that were open and are over. */
  | { readonly type: 'ALERTED'; readonly ended?: readonly { readonly episode: string; readonly text: string }[] }
  | { readonly type: 'MAILED' }
  | { readonly type: 'REPLIED' }
  | { readonly type: 'CONNECTED'; readonly what: string }
  /** An error, a limit exceeded, a refusal of the hands. */
  | { readonly type: 'ORDER_FAILED'; readonly why: string };
export type Outcome = OutcomeBody &
  Stamp & {
    readonly re: string;
    /** When the hands began: what they saw is no older, though its outcome may have waited in a stopped process. */
    readonly began?: Instant;
  };

export type NewsBody =
  | { readonly type: 'WARRANT_FILED'; readonly warrant: Warrant }
  /** Something was put into a folder that an actor reads; it looks now instead of at its next round. */
  | { readonly type: 'POKED'; readonly what: 'warrants' | 'sessions' | 'mail' }
  | { readonly type: 'ALIVE_ANSWERED'; readonly code: string; readonly uuid: string | null }
  /** `server`: pid of the tmux server, since pane ids begin anew with every server. */
  | { readonly type: 'SESSION_DIED'; readonly server: number; readonly paneId: string; readonly exit: Exit }
  /** `by`: the session of the agent that asks, or `operator`; told, never decided by. */
  | {
      readonly type: 'REQUESTED';
      readonly rpc: string;
      readonly request: Request;
      readonly by?: string;
      readonly via?: 'operator' | 'agent';
    }
  | { readonly type: 'LOST'; readonly what: string; readonly why: string }
  /** Open episodes whose subject was found to be over, without an order of anybody. */
  | { readonly type: 'ALERTS_OVER'; readonly ended: readonly { readonly episode: string; readonly text: string }[] }
  /** The daemon's tick wants a triage. */
  | { readonly type: 'BOOT_DUE' }
  /** For the actor Deacon: beat and look at everything now. */
  | { readonly type: 'DEACON_WOKEN'; readonly why: string }
  /** For the actor Deacon: it did not beat, and falls so that its supervisor starts it anew (C-5). */
  | { readonly type: 'DEACON_STUCK'; readonly why: string }
  /** A session that must run. `uuid`: a life of it that was found in tmux; null = a new one. */
  | { readonly type: 'SESSION_WANTED'; readonly spec: SessionSpec; readonly uuid: string | null; readonly why: string }
  /** An agent asked for its own end (C-10). `id` is the warrant's. */
  | {
      readonly type: 'END_WANTED';
      readonly session: string;
      readonly uuid: string;
      readonly then: 'restart' | 'end';
      readonly id: string;
      readonly filedAt: WallMs;
      readonly why: string;
    };
/** From outside, unasked: goes to whoever can take it. */
export type News = NewsBody & Stamp;

export type Tick = { readonly type: 'TICK' } & Stamp;
export type Fact = Tick | News | Outcome;

// ----------------------------------------------------------------------------------------------------------- records

/** What a step changed and the store must hold before any order of that step gets out. */
export type SavedRecord =
  | { readonly kind: 'dance'; readonly id: string; readonly value: Dance }
  | { readonly kind: 'session'; readonly id: string; readonly value: SessionRecord }
  | NoteRecord;
