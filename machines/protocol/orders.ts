/** What machines may order, and how each is carried out. Every order gets exactly one outcome. */
import type { Instant, Ms, Proc, Incarnation, WallMs } from './identity.ts';
import type { Attempt, Dance, Warrant } from './hearings.ts';
import type { Account, DeadLogin, Remains, SessionSpec, WaitingStart } from './sessions.ts';
import type { Alert, AlertChange, Checked, Ended, Reply } from './calls.ts';
import type { NewsBody } from './facts.ts';
import type { AnswerDialog } from './dialogs.ts';
import type { OrderId } from './order-id.ts';
import type { Deed, RigAct, TownStep, Wanted } from './patrols.ts';
import type { Entry, Silences } from './tickle.ts';
import type { Notes } from './watchdog.ts';

export type OrderBody =
  // a dog's
  | { readonly type: 'ask'; readonly target: Incarnation; readonly lines: readonly string[]; readonly code: string }
  /** `mustRest`: it is also asked whether the agent is at rest; only then the observation is `resting`. */
  | {
      readonly type: 'look';
      readonly target: Incarnation;
      readonly attempts: readonly Attempt[];
      readonly mustRest?: true;
    }
  /** `listed`: what an earlier listing found; those of them that live are named too, wherever they went. */
  | { readonly type: 'listTree'; readonly target: Incarnation; readonly listed?: readonly Proc[] }
  /** `also`: processes of it that outlived its agent, and whose folders are looked at too. */
  | { readonly type: 'rescue'; readonly target: Incarnation; readonly dance: string; readonly also?: readonly Proc[] }
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
  /** `unsaved`: the pane's text is not saved yet. Saving comes first, and without it the pane stays (law 4). */
  | {
      readonly type: 'clear';
      readonly target: Incarnation;
      readonly tree: readonly Proc[];
      readonly unsaved?: boolean;
      /** An operator's `--force`: also under the hands of a person. */
      readonly byForce?: boolean;
      /** Its session is about to be forgotten: an adopted one loses our marks, by which it would be known again. */
      readonly forgets?: boolean;
    }
  | { readonly type: 'sendVerdict'; readonly dance: Dance }
  // the kennel's
  | { readonly type: 'readRecords' }
  | { readonly type: 'readWarrants' }
  // the sessions'
  | { readonly type: 'readSessions' }
  /**
   * `seek`: look for lives without a record too. `waits`: starts that wait for a cause to pass. `outdated`: uuids of known
   * lives of which it is asked whether they are free.
   */
  | {
      readonly type: 'scan';
      readonly known: readonly Incarnation[];
      readonly seek?: boolean;
      readonly waits?: readonly WaitingStart[];
      readonly outdated?: readonly string[];
    }
  /** What still runs of lives that ended; their `survivors` are what an earlier look found. */
  | { readonly type: 'listSurvivors'; readonly of: readonly Remains[] }
  | {
      readonly type: 'startSession';
      readonly spec: SessionSpec;
      readonly uuid: string;
      readonly previous: Incarnation | null;
      /** The conversation to go on with, and why its last life ended; absent = a new one begins. */
      readonly resume?: { readonly id: string; readonly why: string };
      /** The mark of the first prompt that its lives had last; absent = not known. */
      readonly prompt?: string;
      /** An operator wants it now: also under the hands of a person. */
      readonly byHand?: boolean;
      /** As in `WaitingStart`. */
      readonly dead?: readonly DeadLogin[];
      readonly account?: Account;
    }
  | {
      readonly type: 'adoptSession';
      readonly name: string;
      /** The session or pane, or `claude:<id>`, that is adopted under this name; absent = the session of this name. */
      readonly place?: string;
      readonly process: string | null;
      readonly tags: readonly string[];
      readonly uuid: string;
    }
  // the watchdog chain's
  | { readonly type: 'readBoot' }
  /** A small file, by its name. */
  | { readonly type: 'readNote'; readonly note: keyof Notes }
  /** null = the Deacon is an actor. */
  | { readonly type: 'observeDeacon'; readonly session: string | null }
  /** Asks tmux itself for these sessions. */
  | { readonly type: 'discover'; readonly names: readonly string[] }
  | { readonly type: 'readDeaconMail' }
  /** `why`: the reason by id, for those that are put away without anything done. */
  | {
      readonly type: 'archiveDeaconMail';
      readonly ids: readonly string[];
      /** Of a flood: kept apart, where no cycle reads them. */
      readonly aside?: readonly string[];
      readonly why?: Readonly<Record<string, string>>;
    }
  /**
   * Types words to an agent, with Enter, if nothing is in the way: one nudge per life in a while, from all askers (law
   * 5).
   * `raw`: typed as it is, only for the operator. `atRest`: not while it works (W-4).
   */
  | {
      readonly type: 'nudge';
      readonly target: Incarnation;
      readonly text: string;
      readonly from: string;
      readonly raw: boolean;
      readonly atRest?: true | undefined;
      /** It was asked for as work, at a pace of its own: it waits for no nudge, and none waits for it. */
      readonly isWork?: true | undefined;
      /** A usage limit that stands on its screen does not stop it: it may be over (M-9). */
      readonly atLimit?: true | undefined;
    }
  /**
   * As a nudge, to the life that a session has now; `life`: to that one only. `isTask`: as it is, and only while its agent is at
   * rest.
   */
  | {
      readonly type: 'remind';
      readonly session: string;
      readonly text: string;
      readonly isTask?: true;
      readonly life?: string | undefined;
    }
  /** Whether a turn of the life that a session has now begins within a few seconds, by its program's own word. */
  | { readonly type: 'seeTurn'; readonly session: string }
  | AnswerDialog
  | { readonly type: 'fileWarrant'; readonly warrant: Warrant }
  // the monitor's
  | { readonly type: 'lookAtMail' }
  /** Looks at all workers. `preview`: lives whose last lines are wanted in any case. `isRegular`: comes back with the outcome. */
  | { readonly type: 'pollWorkers'; readonly preview: readonly string[]; readonly isRegular: boolean }
  // the ledger's and the patrols'
  /** Which rigs there are, and whether there is a ledger. */
  | { readonly type: 'readRigs' }
  /** Opened, and looked through whole. */
  | { readonly type: 'openLedger' }
  | { readonly type: 'backUpLedger' }
  /** Closes the escalations whose cause is closed, and reads the others. */
  | { readonly type: 'readEscalations' }
  | { readonly type: 'readPatrol'; readonly of: string }
  /**
   * Looks at a rig, or opens the Deacon's round (`deacon`). `handled`: letters of this hour, by sender. `lastAt`: when the last cycle
   * ended. `asked`: for a caller, also where an agent patrols; for the operator, also during a pause. null = no caller asked.
   * `stands`: kinds of alerts that stand.
   */
  | {
      readonly type: 'patrol';
      readonly of: string;
      readonly handled: Readonly<Record<string, number>>;
      readonly lastAt: WallMs | null;
      readonly asked: 'operator' | 'agent' | null;
      readonly stands: readonly string[];
    }
  /** One step of the Deacon's round: looks, and does what follows. `memory`: what it kept in the cycle before. */
  | { readonly type: 'step'; readonly of: string; readonly step: TownStep; readonly memory: readonly string[] }
  /** Carries out what a cycle decided: one act, or letters that are put away together. */
  | { readonly type: 'act'; readonly of: string; readonly acts: readonly RigAct[] }
  /** Begins what a step of the Deacon's round wants, or does the next act of it. */
  | { readonly type: 'begin'; readonly of: string; readonly wanted: Wanted }
  /** What a cycle is about to do is a wisp meanwhile, and what it did is one line of evidence (W-8). */
  | { readonly type: 'noteCycle'; readonly of: string; readonly doing: readonly string[] }
  | { readonly type: 'noteCycle'; readonly of: string; readonly did: readonly Deed[] }
  // Tickle's
  /** The newest sign of each registered agent, and whether it may be paged. `named`: agents beside sessions and the ledger's. */
  | { readonly type: 'readEvidence'; readonly named: readonly string[]; readonly signals: Silences }
  /** Runs the user's command that rings an agent's bell. */
  | {
      readonly type: 'ringBell';
      readonly agent: string;
      readonly session: string | null;
      readonly command: readonly string[];
      readonly limitMs: Ms;
    }
  /** Says one line to an agent in the channel of IRC. */
  | { readonly type: 'sayOnIrc'; readonly nick: string; readonly text: string }
  /** Writes records into the ledger; one that is there already changes nothing. */
  | { readonly type: 'noteEvidence'; readonly entries: readonly Entry[] }
  // anybody's
  /** News for siblings: an actor knows no other's address. */
  | { readonly type: 'announce'; readonly news: NewsBody }
  /** Nothing but an outcome once the records of this step are durable. */
  | { readonly type: 'checkpoint' }
  | AlertChange
  /** A message of the town, once however often it is ordered. */
  | { readonly type: 'mail'; readonly to: string; readonly subject: string; readonly body: string }
  /** Letters of the town whose name begins so go into the archive. */
  | { readonly type: 'putAwayMail'; readonly to: string; readonly of: string }
  | { readonly type: 'reply'; readonly to: string; readonly reply: Reply }
  // of the alerts
  | { readonly type: 'readAlerts' }
  /** Whether a person acknowledged them, and which of their subjects are gone. */
  | { readonly type: 'checkAlerts'; readonly of: readonly Checked[] }
  /** Notifies a person that an episode begins, goes on or is over. `asks`: what to type for it; null = nothing. */
  | {
      readonly type: 'notify';
      readonly what: 'alert' | 'recovered';
      readonly alert: Alert;
      readonly count: number;
      readonly asks: readonly string[] | null;
    }
  /** The outcome of an order about episodes, for who gave it. */
  | { readonly type: 'confirmAlert'; readonly to: OrderId; readonly ended: readonly Ended[] }
  // a connection's
  | { readonly type: 'connect'; readonly what: string };

/** `id` is the same whenever the same thing is asked for again, so that doing it twice is harmless. */
export type Order = OrderBody & { readonly id: OrderId };

/** How the tree and the loop treat this kind of order, from any issuer. */
export interface OrderTraits {
  /** Changes nothing that a record must precede: it gets out even while records wait for the disk. */
  readonly observes?: true;
  /** Its issuer waits for exactly this one. If the issuer has moved on, the outcome is dropped. */
  readonly awaited?: true;
  /** What limits the hands: a grace of its own on top of the limit of all orders, the limit of a rescue, or that of a patrol's turn. */
  readonly limit?: 'grace' | 'rescue' | 'patrol';
}

const OBSERVES: OrderTraits = { observes: true };
const ACTS: OrderTraits = {};

/** Every order, with its traits. */
const ORDERS = {
  ask: { awaited: true },
  look: { observes: true, awaited: true },
  listTree: { observes: true, awaited: true },
  rescue: { awaited: true, limit: 'rescue' },
  signal: { awaited: true, limit: 'grace' },
  clear: { awaited: true },
  sendVerdict: { awaited: true },
  readRecords: OBSERVES,
  readWarrants: OBSERVES,
  readSessions: OBSERVES,
  scan: OBSERVES,
  listSurvivors: ACTS,
  startSession: ACTS,
  adoptSession: ACTS,
  readBoot: OBSERVES,
  readNote: OBSERVES,
  observeDeacon: OBSERVES,
  discover: OBSERVES,
  readDeaconMail: OBSERVES,
  archiveDeaconMail: ACTS,
  nudge: ACTS,
  answerDialog: ACTS,
  fileWarrant: ACTS,
  lookAtMail: OBSERVES,
  pollWorkers: OBSERVES,
  seeTurn: OBSERVES,
  remind: ACTS,
  readRigs: OBSERVES,
  readPatrol: OBSERVES,
  patrol: { awaited: true, limit: 'patrol' },
  step: { awaited: true, limit: 'patrol' },
  act: { awaited: true, limit: 'patrol' },
  begin: { awaited: true, limit: 'patrol' },
  noteCycle: { awaited: true, limit: 'patrol' },
  openLedger: { limit: 'patrol' },
  backUpLedger: { limit: 'patrol' },
  readEscalations: { limit: 'patrol' },
  readEvidence: { observes: true, limit: 'patrol' },
  ringBell: ACTS,
  sayOnIrc: ACTS,
  noteEvidence: { limit: 'patrol' },
  announce: OBSERVES,
  checkpoint: { awaited: true },
  connect: OBSERVES,
  alert: OBSERVES,
  endAlert: OBSERVES,
  endOthers: OBSERVES,
  mail: ACTS,
  putAwayMail: ACTS,
  reply: ACTS,
  // A person is alerted even while the disk refuses the record of it.
  readAlerts: OBSERVES,
  checkAlerts: OBSERVES,
  notify: OBSERVES,
  confirmAlert: OBSERVES,
} as const satisfies Readonly<Record<OrderBody['type'], OrderTraits>>;

/** The traits of one order. */
export const traitsOf = ({ type }: Pick<Order, 'type'>): OrderTraits => ORDERS[type];
