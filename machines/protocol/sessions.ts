/** The words for sessions: how one is to be run, its durable record, and what a scan saw of it. */
import type { Spending } from './spending.ts';
import type { NamedProc, Ms, WallMs, Incarnation } from './identity.ts';

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
  /** Names of variables that its program gets; their values stand in no record. Absent = none. */
  readonly env?: readonly string[] | undefined;
  /** Above this it is an alert, with what it runs. Absent = the limit of all sessions counts. */
  readonly maxMemoryBytes?: number | undefined;
  /** Its program runs it in the background, without a pane. Absent = it has one, or the town started it. */
  readonly background?: Background | undefined;
}

/** An agent that a daemon of its own program runs: that program's commands open, show and stop it. */
export interface Background {
  readonly program: 'claude';
  /** The program's own id for it. */
  readonly id: string;
  /** The program's folder for it, absolute; null = the usual one of its user. */
  readonly config: string | null;
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

/** The file of an agent's program, as its start found it or its process runs it. */
export interface ProgramFile {
  readonly file: string;
  /** Another file there, or other content, has another mark. */
  readonly mark: string;
  /** null = the file does not say it. */
  readonly version: string | null;
}

/** A life that ended, and what of it still runs. */
export interface Remains {
  readonly life: Incarnation;
  /** As the last look found them; empty = not looked yet, because a life without survivors has no remains. */
  readonly survivors: readonly NamedProc[];
}

/** That a life ends, and what then: its agent's own wish (C-10), or an order of the operator or the town. */
export interface Asked {
  /** Of the life; empty = it never had one. */
  readonly uuid: string;
  readonly then: 'restart' | 'end';
  /** When the operator said so; absent = its agent or the town did. */
  readonly operatorAt?: WallMs | undefined;
  /** When a patrol of the town said so, which has no use for the session any more. */
  readonly townAt?: WallMs | undefined;
  /** When the town said so, because its account is logged in again and it uses the old login (M-9). */
  readonly renewedAt?: WallMs | undefined;
}

/** The conversation of a session's lives, under the name by which its program goes on with it (M-11). */
export interface Conversation {
  /** A uuid: that of the life that began it, or the one that its program chose. */
  readonly id: string;
  /** Whether the present life was started to go on with it. */
  readonly resumed: boolean;
  /** Lives in a row that crashed or were executed with it, none of them steady. */
  readonly deaths: number;
  /** A life with it was seen alive for long enough. */
  readonly steady?: true | undefined;
  /** Why no later life goes on with it; absent = the next one does. */
  readonly over?: string | undefined;
  /** Why it was begun anew; absent = it is the session's first. */
  readonly because?: string | undefined;
  /** The one that was left for it. */
  readonly left?: string | undefined;
  /** What the present life is to hear of that, where its program took no words at its start. */
  readonly untold?: string | undefined;
}

/** A credential: programs that use the same one share its limits and its login (M-9). */
export interface Account {
  /** Of letters, digits, `-` and `_`: the program, and a hash of where its credential is. Never a secret. */
  readonly id: string;
  /** For people: `~/.claude`. */
  readonly label: string;
  /** The file of the login; null = it is in none that is known. */
  readonly file: string | null;
}

/** later: not before `at` · asked: since `at` the town types it, or was killed meanwhile · told: it was typed; `at`: when that began. */
export interface GoOn {
  readonly is: 'later' | 'asked' | 'told';
  readonly at: WallMs;
}

/** That its account keeps an agent from working. */
export interface Bar {
  readonly by: 'limited' | 'logged_out';
  /** The uuid of the life that showed it. */
  readonly life: string;
  readonly since: WallMs;
  /** When the limit ends, in the program's words: no proof that it has (M-9). Absent = it does not say. */
  readonly resets?: string | undefined;
  /** The same as a time; absent = its words are no time. */
  readonly resetsAt?: WallMs | undefined;
  /** The limit ended a turn of this life; absent = as far as it showed, none ran. */
  readonly isCut?: true | undefined;
  /** What became of telling it to go on; absent = it was not its turn yet. */
  readonly goOn?: GoOn | undefined;
  /** How the file of the login stood then; absent = there was none. */
  readonly credential?: string | undefined;
  /** Since then its account is logged in again: this life still uses the old login. */
  readonly outdated?: WallMs | undefined;
}

/** What a scan saw of an agent and its account. `works`: a turn runs, or its program asks. `rests`: it shows neither that nor a limit or a login. */
export type Standing = { readonly credential: string | null } & (
  | { readonly state: 'rests' | 'logged_out' }
  /** `isLong`: without a pause, by one login, for longer than a program tries again by a dead one. Absent = not yet. */
  | { readonly state: 'works'; readonly isLong?: true }
  | {
      readonly state: 'limited';
      readonly resets: string | null;
      readonly resetsAt: WallMs | null;
      /** When its program said so; absent = its screen alone shows it. */
      readonly since?: WallMs;
      /** As in `Bar`. */
      readonly isCut?: true;
    }
);

/** A login by which no start would get far, unless its file is another one by now. */
export interface DeadLogin {
  readonly account: Account;
  /** How its file stood; null = there was none. */
  readonly credential: string | null;
  /** Another start finds out at this moment whether it works again. */
  readonly isTried: boolean;
}

/** What a start did about the conversation. `because`: why it did not go on with the one that it was asked to. */
export type Spoken = Pick<Conversation, 'id' | 'resumed' | 'because' | 'untold'>;

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
  /** It ended cleanly, and the town did not outlive that by long enough: the machine may be going down. */
  readonly endUnconfirmed?: true | undefined;
  /** A person was told that it ends cleanly again and again. */
  readonly restless?: boolean | undefined;
  /** Restarts in a row without a stable spell. */
  readonly streak: number;
  /** Starts in a row that failed; absent = the last one got through. */
  readonly failedStarts?: number | undefined;
  /** A person was alerted that a foreign session holds its name. */
  readonly nameTaken?: boolean | undefined;
  /** What keeps its start from being made can be seen to pass: a scan says when (absent = only its time ends the wait). */
  readonly startBlocked?: boolean | undefined;
  /** Its start has waited long for a person at the keys of its dead pane. */
  readonly personThere?: boolean | undefined;
  /** A person was alerted that its life cannot be determined. */
  readonly unknownTold?: boolean | undefined;
  readonly restarts: number;
  /** The budget was exceeded; tries go on at the capped pace. */
  readonly crashLoop: boolean;
  /** How long until the next start, when backing off. */
  readonly waitMs: Ms;
  /** How long the present life has been seen alive. */
  readonly stableMs: Ms;
  readonly lastExit: Exit | null;
  /** The last rows of the pane of the life that ended last; absent = it showed none. */
  readonly lastWords?: string | undefined;
  /** Why it is where it is, in words. */
  readonly note: string;
  readonly startedAt: WallMs | null;
  /** What its present life runs, as its start or its process tells; absent = neither does. */
  readonly program?: ProgramFile | undefined;
  /** Absent = its program names none by its start, or its command chooses for itself. */
  readonly conversation?: Conversation | undefined;
  /** A mark of the first prompt that its last start had; empty = it had none, absent = not known. */
  readonly prompt?: string | undefined;
  /** What its agent uses, as its process told last, or its start; absent = not known. */
  readonly account?: Account | undefined;
  /** Absent = its account does not keep it from working, as far as it showed. Outlives a life, until the next one shows otherwise. */
  readonly bar?: Bar | undefined;
  /** How the login's file stood when a life was seen first, or since then when it worked for long: what its process has read. */
  readonly login?: { readonly life: string; readonly credential: string | null } | undefined;
  /** It stands in town.toml, or stood there when it was started. */
  readonly configured?: boolean | undefined;
  /** Earlier lives whose processes may outlive them; absent = none. */
  readonly remains?: readonly Remains[] | undefined;
  /** Of an adopted agent that ended: the name of the letter that tells a person so, until that lies in the mailbox; absent = it does. */
  readonly endLetter?: string | undefined;
  /** What was asked for that life: it decides what follows its end, before the restart policy. */
  readonly asked?: Asked | null | undefined;
}

/** A start that waits until what keeps it from being made has passed. */
export interface WaitingStart {
  readonly spec: SessionSpec;
  readonly previous: Incarnation | null;
  /** Logins that keep it from being started, if it would use one of them; absent = none are known. */
  readonly dead?: readonly DeadLogin[] | undefined;
  /** The account of its last life, for a start that does not tell; absent = not known. */
  readonly account?: Account | undefined;
}

/** A life that stands in tmux without a record of it. */
export interface LostLife {
  /** How it was started, as far as tmux or town.toml tell. */
  readonly spec: SessionSpec;
  readonly incarnation: Incarnation;
  readonly tokenHash: string;
  readonly startedAt: WallMs;
  /** Absent = its process does not tell. */
  readonly program?: ProgramFile | undefined;
  /** Its record tells of an earlier life, which is over. */
  readonly isLater?: true;
}

/** The last hearing by which an order of the operator or the town was to end a life, where that lives on. */
export interface Spared {
  /** Ids of the warrants that said so. */
  readonly stops: readonly string[];
  readonly why: string;
}

/** A turn that ended before its own end, so that its agent waits for a person though no dialog stands. */
export interface Halted {
  readonly state: 'denied' | 'error';
  /** What it was denied, or which error it was. Foreign text. */
  readonly what: string;
}

/** What a scan saw of one session that the town knows. */
export interface SeenSession {
  readonly name: string;
  readonly uuid: string;
  /** dead: the pane is there, its process is not. absent: no such pane on this very server. replaced: the name lives, another life. */
  readonly life: 'alive' | 'dead' | 'absent' | 'replaced' | 'unknown';
  readonly exit: Exit | null;
  /** A durable kill intent names this life: its death is an execution. */
  readonly maybeSignalled: boolean;
  /** Absent = there was no such hearing. */
  readonly spared?: Spared | undefined;
  /** What its screen asks a person; null = nothing, empty = no pack knows that screen, absent = the town did not look. */
  readonly asks?: string | null | undefined;
  /** Which question that is: another one has another id. Absent = it asks none, or it is not known. */
  readonly question?: string | undefined;
  /** null = it works, or rests after a turn that came to its own end; absent = it is not known, or did not last yet. */
  readonly halted?: Halted | null | undefined;
  /** What it and what it runs have in RAM, as measured last; absent = not measured. */
  readonly memoryBytes?: number | undefined;
  /** Absent = its program does not tell what it spends. */
  readonly spending?: Spending | undefined;
  /** The conversation that its program says it is in; absent = it does not say. */
  readonly conversation?: string | undefined;
  /** Absent = it is not known. */
  readonly account?: Account | undefined;
  /** Absent = it is not known, or did not last yet. */
  readonly standing?: Standing | undefined;
  /** The scan asked for it, and an end takes nothing from it now: it rests, and its next life goes on with its conversation. */
  readonly isFree?: true | undefined;
  /** The words of a usage limit that a dead agent left on its screen; absent = none was seen. */
  readonly limit?: string | undefined;
  /** The last rows that a dead agent left on its screen; absent = none. */
  readonly lastWords?: string | undefined;
}
