/** The words of a hearing: the warrant that asks for one, the dance that holds it, what later ones remember of it. */
import type { NamedProc, Ms, WallMs, Proc, Incarnation } from './identity.ts';
import type { EpisodeName } from './episode.ts';
import type { Exit } from './sessions.ts';

/** A request for a hearing, bound to one incarnation. */
export interface Warrant {
  readonly id: string;
  readonly target: Incarnation;
  readonly reason: string;
  readonly requester: string;
  readonly filedAt: WallMs;
  /** An operator's `session kill --force`: no hearing, but law 4 holds. */
  readonly force: boolean;
  /** Who filed it, regardless of the author name it gives (law 11); absent = not known. */
  readonly via?: Via | undefined;
}

/** `operator`: a caller without an agent's token, who may write in any name. `agent`: one who wrote in its own. `town`: its patrols. */
export const VIAS = ['operator', 'agent', 'town'] as const;
export type Via = (typeof VIAS)[number];
/** How the town's own patrols are called where they ask the town for something. */
export const PATROLS = 'patrols';

export const VERDICTS = ['pardoned', 'executed', 'already_dead', 'void', 'failed', 'escalated'] as const;
export type Verdict = (typeof VERDICTS)[number];

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
  'executing.sparing',
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
  /** Git ref that holds uncommitted and untracked work, of one name in every repository; null = no worktree or nothing to save. */
  readonly ref: string | null;
  /** Repositories that were looked at, 0 = its folder is in none; absent = an earlier town did not count them. */
  readonly repos?: number | undefined;
  /** Files in them that differed from what was committed. */
  readonly files?: number | undefined;
}

/** The durable record of one dance. Holds spent durations, no instants: a clock may not survive, time given does. */
export interface Dance {
  readonly id: string;
  /** Its number among the hearings under way, from 1, for who reads the record. */
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
  /** Left alone by the listing that this intent rests on (D-10): it serves others too, or may be theirs; absent = nothing was. */
  readonly excluded?: readonly NamedProc[] | undefined;
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
  /** Crashes of the dog, not of the target; reset when the dance gets on. */
  readonly crashes: number;
  /** Recoveries without any outcome yet: raised and saved before the dog does anything, so a record that kills the process counts. */
  readonly recoveries: number;
  /** A failed dance is tried once more (D-12). */
  readonly retried: boolean;
  /** How the target's process had ended by itself, as its pane told: a hearing may clear it before a scan reads it (C-6). */
  readonly exit?: Exit | undefined;
  /** The last lines of its pane: at the first question, and at the last look. */
  readonly tailBefore: string;
  readonly tailAfter: string;
  readonly openedAt: WallMs;
  readonly closedAt: WallMs | null;
}

/** What is left of a closed dance that later decisions need (D-4, D-15). */
export interface PastHearing {
  readonly id: string;
  readonly uuid: string;
  readonly session: string;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly evidenceOnly: boolean;
  readonly closedAt: WallMs;
  /** Its agent wanted its end or an operator forced it, and nothing was asked: this is no sign of an agent in trouble. */
  readonly stopped?: boolean;
  /** The episode that it left to a person (law 8). */
  readonly open?: EpisodeName;
}
