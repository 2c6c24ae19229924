/** What the patrols of a running town did and remember. Types only. */
import type { WallMs } from './identity.ts';

/** What came of an act. `done`: false = it was not done, and `text` says why. */
export interface ActOutcome<Act extends string = string> {
  readonly act: Act;
  /** What it is about: a polecat, a bead, a message. */
  readonly about: string;
  readonly done: boolean;
  readonly text: string;
}
/** What the Deacon does about the whole town; the last two are of acts that came to nothing: told, and over. */
export type TownActName =
  | 'triage'
  | 'escalate'
  | 'open'
  | 'land'
  | 'climb'
  | 'end'
  | 'pass'
  | 'unhook'
  | 'orphan'
  | 'compact'
  | 'plugin'
  | 'stop'
  | 'forget'
  | 'tell'
  | 'close';

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
  /** The Deacon is paused: nothing was looked at. */
  readonly isPaused: boolean;
  /** When the cycle was, if an agent did it. */
  readonly endedAt?: WallMs;
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
}
