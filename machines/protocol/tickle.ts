/** What the stall watch, Tickle, sees of agents and remembers of its pages. Types only, but for the names of methods. */
import type { Incarnation, Ms, WallMs } from './identity.ts';

/** Ways to page an agent, the gentlest first. */
export const METHODS = ['bell', 'irc', 'pane'] as const;
export type Method = (typeof METHODS)[number];

/** For which silences an agent's own signals are looked up: elsewhere they decide nothing. */
export interface Silences {
  readonly fromMs: Ms;
  readonly toMs: Ms;
}

/** What an agent says of itself, each from 0 to 1; null = nothing. */
export interface Signals {
  readonly fatigue: number | null;
  readonly confidence: number | null;
}

/** One registered agent at one look. */
export interface AgentSeen {
  /** As it writes evidence. */
  readonly name: string;
  /** Its living session; null = it has none here. */
  readonly life: Incarnation | null;
  /** Since when that lives; null = not known, or it has none. */
  readonly bornMs: Ms | null;
  /** When its newest sign came; null = there is none. */
  readonly lastAt: WallMs | null;
  /** How long ago that was; a time to come is 0. */
  readonly silentMs: Ms | null;
  /** What that sign was, for people; null = there is none. */
  readonly sign: string | null;
  /** Of its agent bead; null = it has none. */
  readonly hook: 'empty' | 'held' | null;
  readonly signals: Signals | null;
  /** Why it may not be paged now, as the end of a sentence; null = it may. */
  readonly spared: string | null;
  /** Which part of the town pages it instead; null = Tickle does. */
  readonly owner: string | null;
}

/** One try to page. */
export interface PageTry {
  readonly method: Method;
  readonly paged: boolean;
  /** Why it came to nothing; null = it reached the agent. */
  readonly error: string | null;
  /** The words of another asker a moment before, which count as this try (law 5): nothing was typed. */
  readonly by?: string | undefined;
  /** It is not known whether it reached the agent all the same. */
  readonly isUnsure?: true | undefined;
}

/**
 * ordered  the order of its last try is out
 * waiting  it reached the agent, whose time to answer runs
 * told     a person was alerted
 * over     it was answered; only its cooldown counts
 */
export const PAGE_STEPS = ['ordered', 'waiting', 'told', 'over'] as const;

/** One climb of the ladder. Durations are counted while the town runs. */
export interface Page {
  readonly number: number;
  /** The life that is paged (law 3); null = an agent without a session. */
  readonly uuid: string | null;
  readonly step: (typeof PAGE_STEPS)[number];
  /** The newest sign when it began. */
  readonly lastAt: WallMs | null;
  /** How long the agent was silent when it began; null = it never showed a sign. */
  readonly silentMs: Ms | null;
  /** Since it began. */
  readonly forMs: Ms;
  /** What is left to answer the last try. */
  readonly leftMs: Ms;
  /** Until the agent may be paged again. */
  readonly coolMs: Ms;
  /** The last one is still out while the page is `ordered`, and not in this list. */
  readonly tried: readonly PageTry[];
  /** How it is tried now, or was last. */
  readonly method: Method;
}

export type EntryTag = 'scan' | 'page' | 'escalation' | 'par' | 'availability';

/** A record of evidence that Tickle writes into the ledger. */
export interface Entry {
  readonly id: string;
  readonly tag: EntryTag;
  readonly at: WallMs;
  /** JSON; a `last_active` in it is wall ms, which the ledger has as ISO. */
  readonly body: string;
}

/** A stale agent, as the last scan saw it. */
export interface Stall {
  readonly name: string;
  readonly lastAt: WallMs | null;
  readonly silentMs: Ms | null;
  /** Why it is not paged; null = it is. */
  readonly why: string | null;
}

/** daemon/tickle.json. */
export interface TickleRecord {
  /** An operator's word, which outranks the configuration; null = none. */
  readonly latch: 'started' | 'stopped' | null;
  readonly cycle: number;
  /** The number of the last page. */
  readonly lastPage: number;
  /** The last scan; null = there was none. */
  readonly scannedAt: WallMs | null;
  /** Why it came to nothing; null = it did not. */
  readonly why: string | null;
  /** Scans in a row that came to nothing. */
  readonly failures: number;
  readonly registered: number;
  readonly stale: readonly Stall[];
  /** By agent. */
  readonly pages: Readonly<Record<string, Page>>;
  /** Not in the ledger yet, the oldest first. */
  readonly unwritten: readonly Entry[];
}

/** What comes of Tickle's orders. */
export type OfTickle =
  | { readonly type: 'EVIDENCE_READ'; readonly agents: readonly AgentSeen[] }
  /** null = it was rung. */
  | { readonly type: 'BELL_RUNG'; readonly error: string | null }
  /** null = it stands in the channel. `isUnsure`: with an error it may stand there all the same. */
  | { readonly type: 'SAID_ON_IRC'; readonly error: string | null; readonly isUnsure: boolean }
  /** These are in the ledger. */
  | { readonly type: 'EVIDENCE_NOTED'; readonly ids: readonly string[] };
