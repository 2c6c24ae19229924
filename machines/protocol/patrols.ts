/** What the patrols of a running town see, do and remember, and the steps of the Deacon's round. */
import type { Alert } from './calls.ts';
import type { Ms, WallMs } from './identity.ts';

/** What the words of a witness are. `machines/witness` adds what it sees (`seen`), does (`act`) and goes by (`policies`). */
export interface OfWitness {
  readonly step: string;
}

/** What a witness sees of its rig: plain data, which comes from the thread of the patrols. */
export type RigLook = OfWitness['seen'];
/** One act that a cycle decided. */
export type RigAct = OfWitness['act'];

/** Acts that are carried out as one order. */
export interface Batch {
  readonly step: OfWitness['step'];
  readonly acts: readonly RigAct[];
}

/** What came of an act. `done`: false = it was not done, and `text` says why. */
export interface ActOutcome<Act extends string = string> {
  readonly act: Act;
  /** What it is about: a polecat, a bead, a message. */
  readonly about: string;
  readonly done: boolean;
  readonly text: string;
  /** It stays undone until a person does something: that person is told at once. */
  readonly needsPerson?: boolean;
  /** A case asks a person about it already: no alert does too. */
  readonly isAsked?: boolean;
}
/** What the Deacon does about the whole town; the last is of what an earlier version escalated. */
export type TownActName =
  | 'triage'
  | 'resolve'
  | 'tell'
  | 'escalate'
  | 'open'
  | 'land'
  | 'unhook'
  | 'orphan'
  | 'compact'
  | 'plugin'
  | 'stop'
  | 'forget'
  | 'close';

/** The seed's order: orphan-cleanup, spawn-triggers, gates, convoys, health-scan, zombie-scan, plugins, compaction. `hooks` and `waits` are ours. */
export const TOWN_STEPS = [
  'orphans',
  'triage',
  'gates',
  'convoys',
  'sessions',
  'hooks',
  'waits',
  'plugins',
  'wisps',
] as const;
/** One step of the Deacon's round over the whole town's work. */
export type TownStep = (typeof TOWN_STEPS)[number];

/**
 * What a look of a witness saw stand for a person. `kind`: of an alert; another version may have others. `name`: which of its kind in
 * the rig; empty = the kind has one for each rig.
 */
export interface Stands {
  readonly kind: string;
  readonly name: string;
  readonly severity: Alert['severity'];
  readonly text: string;
}

/** What a step of the Deacon's round saw stand for a person: words, by what they are about; empty = the step has only one. */
export type StepStands = Readonly<Record<string, string>>;

/** An escalation that is open. */
export interface EscalationSeen {
  /** Of its bead. */
  readonly id: string;
  readonly severity: Alert['severity'];
  readonly text: string;
  /** A person or the mayor took note of it. */
  readonly isAcked?: true;
}

/** A gate that only a person opens, and that has no time after which it would be escalated. */
export interface PersonsGate {
  /** Of its bead. */
  readonly id: string;
  readonly text: string;
}

/** What of the ledger waits for a person until it is closed, or opened. */
export interface WaitsInLedger {
  readonly open: readonly EscalationSeen[];
  readonly gates: readonly PersonsGate[];
}

/**
 * What a step of the Deacon's round wants done by orders of its own: a process begins, whose end no cycle waits for, or a choice of triage
 * is carried out, an order for each of its acts.
 */
export interface Wanted {
  readonly act: Extract<TownActName, 'triage' | 'plugin' | 'resolve'>;
  readonly about: string;
  /** What is said of a process once it has begun; null = it is no deed. */
  readonly says: string | null;
}

/** One act of a cycle. */
export interface Deed extends ActOutcome {
  readonly step: string;
}

/** What a cycle found and did. */
export interface Patrolled {
  /** How much of each kind was looked at. */
  readonly observed: Readonly<Record<string, number>>;
  readonly deeds: readonly Deed[];
  /** An agent works, or something was done: the next cycle comes soon (P-1). */
  readonly isActive: boolean;
  /** Beads that no agent will do, as things stand. */
  readonly stranded: readonly string[];
  /** Nothing was looked at: the Deacon is paused, or else `why`. */
  readonly isPaused: boolean;
  readonly why?: string;
  /** An agent patrols: the town only looked after it, and this is no cycle. */
  readonly isWatch?: true;
  /** Of a witness: what stands for a person. */
  readonly stands?: readonly Stands[];
}

/** An act that came to nothing in each of the last cycles (law 7). */
export interface Tried {
  readonly cycles: number;
  /** Between the first of them and the last, as far as this town or an earlier one ran. */
  readonly forMs: Ms;
  /** The reason, as it was when the act first lasted: its words stay as long as the alert. */
  readonly why: string;
}

/** How many letters of each sender a witness handled in this hour (W-1). */
export interface HandledLetters {
  /** When the hour began. */
  readonly hour: WallMs;
  readonly handled: Readonly<Record<string, number>>;
}

/** The last cycle of one patrol: patrols/<of>.json. */
export interface PatrolRecord {
  /** A rig, or `deacon` for the whole town's. */
  readonly of: string;
  readonly cycle: number;
  readonly endedAt: WallMs;
  /** Why it came to nothing; null = it came to its end. */
  readonly why: string | null;
  /** Cycles in a row that came to nothing. */
  readonly failures: number;
  readonly observed: Readonly<Record<string, number>>;
  readonly done: number;
  readonly undone: number;
  readonly stranded: readonly string[];
  /** By act and subject, `nuke/toast`. */
  readonly tried: Readonly<Record<string, Tried>>;
  /** Of a witness; null = it handled none yet. */
  readonly letters: HandledLetters | null;
  /** Of the Deacon's round: what each step keeps for the next cycle. Only the step reads it. */
  readonly memory: Readonly<Record<string, readonly string[]>>;
  /** Of the Deacon's round, by step: what stands for a person. */
  readonly stands: Readonly<Record<string, StepStands>>;
  /** Of a witness: what stands for a person; null = it did not look yet. */
  readonly claims: readonly Stands[] | null;
}
