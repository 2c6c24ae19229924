/** The input of machines: time, the outcomes of their orders, and news from outside; and what a step leaves to be saved. */
import type { NamedProc, Instant, Ms, WallMs, Stamp, Proc, Incarnation } from './identity.ts';
import type {
  BootStatus,
  DeaconSeen,
  Discovered,
  KnownSession,
  Letter,
  NoteRead,
  NoteRecord,
  ServerDeaths,
} from './watchdog.ts';
import type { Dance, PastHearing, Mark, Rescue, Via, Warrant } from './hearings.ts';
import type {
  Account,
  Background,
  Exit,
  LostLife,
  ProgramFile,
  Remains,
  SeenSession,
  SessionRecord,
  SessionSpec,
  Spoken,
} from './sessions.ts';
import type { DialogOutcome } from './dialogs.ts';
import type { NudgeOutcome, Obstacle, Observation } from './looks.ts';
import type { MonitorOutcome } from './monitor.ts';
import type { TurnSeen } from './sends.ts';
import type { OrderId } from './order-id.ts';
import type {
  ActOutcome,
  Deed,
  OfWitness,
  PatrolRecord,
  Patrolled,
  RigLook,
  StepStands,
  WaitsInLedger,
  Wanted,
} from './patrols.ts';
import type { Acks, AlertChange, AnsweredQuestion, Checked, Condition, Ended, Episode } from './calls.ts';
import type { OfTickle } from './tickle.ts';
import type { Request } from './requests.ts';

export type OutcomeBody =
  /** `tail`: the last lines of the pane. */
  | { readonly type: 'ASKED'; readonly mark: Mark; readonly tail: string }
  | { readonly type: 'NOT_ASKED'; readonly obstacle: Obstacle }
  | { readonly type: 'LOOKED'; readonly observation: Observation; readonly tail: string }
  /** `excluded`: what was left alone though its work may go on there; absent = nothing was. */
  | { readonly type: 'TREE_LISTED'; readonly tree: readonly Proc[]; readonly excluded?: readonly NamedProc[] }
  /** These processes are not the town's to end, now or later, and none was signalled by this order. */
  | { readonly type: 'TREE_REFUSED'; readonly why: string }
  | { readonly type: 'RESCUED'; readonly rescue: Rescue }
  /** The hands held the signal back before anybody got one: the look was too old by then, or the right to kill is in doubt. */
  | { readonly type: 'NOT_SIGNALLED'; readonly why: string }
  /** alive: of the list, still there. newcomers: ours, but not on the list; must be recorded before they are signalled. */
  | { readonly type: 'SIGNALLED'; readonly alive: readonly Proc[]; readonly newcomers: readonly Proc[] }
  /** `left`: what of it stands in tmux and why, in words; absent = nothing does. */
  | { readonly type: 'CLEARED'; readonly survivors: readonly Proc[]; readonly whyPaneStays?: string }
  | { readonly type: 'VERDICT_SENT' }
  | {
      readonly type: 'RECORDS_READ';
      readonly dances: readonly Dance[];
      readonly warrants: readonly Warrant[];
      readonly heard: readonly PastHearing[];
      /** The largest number in a dance's id so far, so that ids stay unique when the clock steps back. */
      readonly lastDanceMs: number;
      /** Closed dances whose end the journal does not tell: a crash came between the two; absent = none. */
      readonly untold?: readonly Dance[];
      /** Sessions of these dances whose names are protected by now (law 6); absent = none is. */
      readonly protected?: readonly string[];
    }
  | { readonly type: 'WARRANTS_READ'; readonly warrants: readonly Warrant[] }
  | {
      readonly type: 'SESSIONS_READ';
      readonly sessions: readonly SessionRecord[];
      /** Uuids of ended lives whose tmux server still lives; absent = the hand did not look. */
      readonly outlived?: readonly string[];
      readonly serverDeaths?: ServerDeaths | null;
      /** Lives without a record; null = tmux did not say. Absent = not asked. */
      readonly lost?: readonly LostLife[] | null;
    }
  | {
      readonly type: 'SESSIONS_SEEN';
      /** gone: the recorded server's pid + start time is proved gone. none: there never was one. */
      readonly server: 'up' | 'gone' | 'none' | 'unknown';
      readonly seen: readonly SeenSession[];
      /** As above, where the order asked; absent also where tmux did not tell. */
      readonly lost?: readonly LostLife[];
      /** Sessions whose starts wait for a cause that has passed. */
      readonly free?: readonly string[];
    }
  /** Of every life that was asked about. */
  | { readonly type: 'SURVIVORS_LISTED'; readonly of: readonly Remains[] }
  | {
      readonly type: 'SESSION_STARTED';
      readonly incarnation: Incarnation;
      readonly tokenHash: string;
      readonly program?: ProgramFile | undefined;
      readonly conversation?: Spoken | undefined;
      /** Why an agent that had a life before cannot go on with its conversation; absent = it can, or it is no agent. */
      readonly forgets?: string | undefined;
      /** As in `SessionRecord`. */
      readonly prompt?: string | undefined;
    }
  /** taken: a foreign session holds the name. gone: the pane is empty, but it could not be cleared. */
  /** `personMs`: a person is at the keys of the pane that its last life left, and is spared for so long after a key (law 6). */
  /** `missing`: its program is not there. `held`: it is logged out, and waits for that. `heldBack`: it waits for a person's word. */
  | {
      readonly type: 'SESSION_NOT_STARTED';
      readonly why: string;
      readonly taken: boolean;
      readonly personMs?: Ms;
      readonly missing?: boolean;
      readonly heldBack?: boolean;
      readonly held?: Account;
      /** A scan can see when the cause is gone. */
      readonly waits?: boolean;
    }
  | {
      readonly type: 'SESSION_ADOPTED';
      readonly incarnation: Incarnation;
      readonly tokenHash: string;
      readonly dir: string;
      readonly program?: ProgramFile | undefined;
      readonly background?: Background | undefined;
    }
  | { readonly type: 'SESSION_NOT_ADOPTED'; readonly why: string; readonly exit: 1 | 2 | 5 }
  /** `runningMs`: age of the mark of a running Boot; null = there is none. */
  | { readonly type: 'BOOT_READ'; readonly runningMs: Ms | null; readonly status: BootStatus | null }
  | NoteRead
  | { readonly type: 'DEACON_OBSERVED'; readonly seen: DeaconSeen }
  | { readonly type: 'DISCOVERED'; readonly found: readonly Discovered[]; readonly paused: boolean }
  | {
      readonly type: 'DEACON_MAIL_READ';
      readonly letters: readonly Letter[];
      readonly known: readonly KnownSession[];
      /** How many letters lie apart: a flood that the Deacon has no rule for. */
      readonly aside: number;
      readonly healthy: number;
      readonly unhealthy: number;
      readonly paused: boolean;
    }
  | { readonly type: 'MAIL_ARCHIVED' }
  | NudgeOutcome
  | DialogOutcome
  | MonitorOutcome
  | TurnSeen
  | { readonly type: 'RIGS_READ'; readonly rigs: readonly string[]; readonly hasLedger: boolean }
  /** `backedUpAt`: of the newest backup; null = there is none. */
  | { readonly type: 'LEDGER_OPENED'; readonly backedUpAt: WallMs | null }
  | { readonly type: 'LEDGER_BACKED_UP'; readonly backedUpAt: WallMs }
  /** Those that are open. */
  | ({ readonly type: 'ESCALATIONS_READ' } & WaitsInLedger)
  | { readonly type: 'PATROL_READ'; readonly record: PatrolRecord | null }
  /** A cycle without acts of its own: the Deacon is paused, or an agent patrols, and the town looked after it. */
  | { readonly type: 'PATROLLED'; readonly found: Patrolled }
  /** What a witness sees, and the policies of this cycle. `watched`: what the town did for the agent that patrols there, before it did this cycle in its place. */
  | {
      readonly type: 'SURVEYED';
      readonly seen: RigLook;
      readonly policies: OfWitness['policies'];
      readonly watched: readonly Deed[];
    }
  /** The Deacon's round begins. `watched`: as of a witness. */
  | { readonly type: 'ROUND_OPENED'; readonly watched: readonly Deed[] }
  /**
   * `observed`: how much of each kind the step looked at. `isActive`: the next cycle comes soon. `memory`: what it keeps for the next
   * cycle. `stands`: what stands for a person now. Both absent = as before.
   */
  | {
      readonly type: 'STEP_DONE';
      readonly observed: Readonly<Record<string, number>>;
      readonly outcomes: readonly ActOutcome[];
      readonly isActive: boolean;
      readonly memory?: readonly string[];
      readonly stands?: StepStands;
      /** To be done now, each by orders of its own. */
      readonly wants?: readonly Wanted[];
    }
  /**
   * In the order of the acts, without those that stood so already. `hasNewCase`: one of them opened a case of triage. `isMore`: of what a
   * step wanted, an act is left.
   */
  | {
      readonly type: 'ACTED';
      readonly outcomes: readonly ActOutcome[];
      readonly hasNewCase: boolean;
      readonly isMore?: boolean;
    }
  | { readonly type: 'CYCLE_NOTED' }
  | OfTickle
  | { readonly type: 'WARRANT_WRITTEN' }
  | { readonly type: 'ANNOUNCED' }
  | { readonly type: 'SAVED' }
  /** `ended`: the episodes that were open and are over. */
  | { readonly type: 'ALERTED'; readonly ended?: readonly Ended[] }
  | { readonly type: 'ALERTS_READ'; readonly episodes: readonly Episode[]; readonly acked: Acks }
  /** `over`: what they are about, as it was when they were checked, is gone. */
  | { readonly type: 'ALERTS_CHECKED'; readonly acked: Acks; readonly over: readonly (Checked & Ended)[] }
  | { readonly type: 'NOTIFIED' }
  | { readonly type: 'MAILED' }
  | { readonly type: 'REPLIED' }
  | { readonly type: 'CONNECTED'; readonly what: string }
  /** An error, a limit exceeded, a refusal of the hands. */
  | { readonly type: 'ORDER_FAILED'; readonly why: string };
export type Outcome = OutcomeBody &
  Stamp & {
    readonly re: OrderId;
    /** When the hands began: what they saw is no older, though its outcome may have waited in a stopped process. */
    readonly began?: Instant;
  };

export type NewsBody =
  | { readonly type: 'WARRANT_FILED'; readonly warrant: Warrant }
  /**
   * Something was put into a folder that an actor reads; it looks now instead of at its next round. `ends`: a session of a rig
   * ended, which is for the rigs' witnesses.
   */
  | {
      readonly type: 'CHANGED';
      readonly what: 'warrants' | 'sessions' | 'mail' | 'rigs' | 'work' | 'cases' | 'ends' | 'escalations' | 'reports';
    }
  | { readonly type: 'ALIVE_ANSWERED'; readonly code: string; readonly uuid: string | null }
  /** `server`: pid of the tmux server, since pane ids begin anew with every server. */
  | { readonly type: 'SESSION_DIED'; readonly server: number; readonly paneId: string; readonly exit: Exit }
  /** `by`: the session of the agent that asks, a channel, the town's patrols, or `operator`; told, never decided by. `via`: who that is; absent = the operator. */
  | {
      readonly type: 'REQUESTED';
      readonly rpc: string;
      readonly request: Request;
      readonly by?: string;
      readonly via?: Via;
    }
  | { readonly type: 'LOST'; readonly what: string; readonly why: string }
  /** An order about episodes. */
  | { readonly type: 'ALERT_ORDERED'; readonly by: OrderId; readonly change: AlertChange }
  /** Why the disk, the configuration or the socket is not as it should be; null = it is. */
  | { readonly type: 'CONDITION_FOUND'; readonly what: Condition; readonly why: string | null }
  /** It does not count. `mark`: of the file as it was left in place. `sequel`: what became of it all the same. */
  | {
      readonly type: 'FILE_REFUSED';
      readonly file: string;
      readonly why: string;
      readonly movedTo: string | null;
      readonly mark?: string;
      readonly sequel: string | null;
    }
  /** What a dead pane shows could not be saved into this file, for this reason; null = it could. */
  | { readonly type: 'OUTPUT_KEPT'; readonly session: string; readonly file: string; readonly why: string | null }
  /** A person answered a question of the town's own. */
  | { readonly type: 'QUESTION_ANSWERED'; readonly answer: AnsweredQuestion }
  /** The rigs that are patrolled from now on; the ledger is open. */
  | { readonly type: 'RIGS_SEEN'; readonly rigs: readonly string[] }
  /** The agent of this life is to hear this once it rests, and once at most. */
  | { readonly type: 'WORDS_WANTED'; readonly session: string; readonly life: string; readonly text: string }
  /** The town forgot a session: a later one of that name is another. */
  | { readonly type: 'SESSION_REMOVED'; readonly session: string }
  /** The daemon's tick wants a triage. */
  | { readonly type: 'BOOT_DUE' }
  /** For the actor Deacon: beat and look at everything now. */
  | { readonly type: 'DEACON_WOKEN'; readonly why: string }
  /** For the actor Deacon: it did not beat, and crashes so that its supervisor starts it anew (C-5). */
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
/** From outside, unordered: goes to each actor that takes it. */
export type News = NewsBody & Stamp;

export type Tick = { readonly type: 'TICK' } & Stamp;
export type Fact = Tick | News | Outcome;

/** What is durable, by the kind of its record; null = the record goes. Other actors add theirs beside their machines. */
export interface Durable {
  readonly dance: Dance;
  readonly session: SessionRecord;
}
/** What a step changed and the store must hold before any order of that step gets out. */
export type SavedRecord =
  | { [K in keyof Durable]: { readonly kind: K; readonly id: string; readonly value: Durable[K] } }[keyof Durable]
  | NoteRecord;
