/**
 * How an agent is, by what its sources say of it (M-2). A pure table.
 * 1. The best source that spoke gives the state: the program itself, then hooks, then the agent's report, then its screen.
 * 2. Two sources that contradict each other make it `unknown`. Neither is chosen.
 * 3. A word that is older than a change that a better source reports says nothing about now.
 */
import type { WallMs } from '../protocol/identity.ts';
import { AGENT_STATE } from './policy.ts';

/** What a source may say. `unknown` is no word: a source that does not know is silent. */
export const SAID_STATES = ['working', 'idle', 'asks', 'denied', 'limited', 'logged_out', 'error', 'done'] as const;
export type SaidState = (typeof SAID_STATES)[number];
/** Those in which a turn ends that did not get to its own end. */
export const AGENT_HALTS = ['denied', 'limited', 'logged_out', 'error'] as const satisfies readonly SaidState[];
export type AgentState = SaidState | 'unknown';

/** Kinds of sources, the best first. */
export const SOURCE_KINDS = ['program', 'hook', 'report', 'screen'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** What one source says of one agent. */
export interface Word {
  readonly by: SourceKind;
  /** For people: `claude session file`, `screen, pack claude`. */
  readonly source: string;
  readonly state: SaidState;
  /** When the state began; null = the source does not tell. Never after `at`. */
  readonly since: WallMs | null;
  /** When the source was asked. */
  readonly at: WallMs;
  /** What the agent waits for, in the source's own words; null = none. Foreign text. */
  readonly detail: string | null;
  /** The rule of a pack that told it; null = none did. */
  readonly rule: string | null;
}

export interface Verdict {
  readonly state: AgentState;
  /** The word that decided; null = no source spoke, or two disagree. */
  readonly word: Word | null;
  /** The words that contradict each other, the best source first; empty = none do. */
  readonly disagree: readonly Word[];
}

const X = null;
/**
 * What two sources say together: by the better one's state (row) and the other's (column, in the order of `SAID_STATES`);
 * X = they contradict each other. `idle` only says that no turn runs, so it fits each reason why none does. A dialog may
 * be the one about a limit or a login.
 */
const TOGETHER: Readonly<Record<SaidState, readonly (SaidState | null)[]>> = {
  working: ['working', X, X, X, X, X, X, X],
  idle: [X, 'idle', X, 'denied', 'limited', 'logged_out', 'error', 'done'],
  asks: [X, X, 'asks', X, 'limited', 'logged_out', X, X],
  denied: [X, 'denied', X, 'denied', X, X, X, X],
  limited: [X, 'limited', 'limited', X, 'limited', X, 'limited', X],
  logged_out: [X, 'logged_out', 'logged_out', X, X, 'logged_out', 'logged_out', X],
  error: [X, 'error', X, X, 'limited', 'logged_out', 'error', X],
  done: [X, 'done', X, X, X, X, X, 'done'],
};

/** null = they contradict each other. */
export const together = (one: SaidState, other: SaidState): SaidState | null =>
  TOGETHER[one][SAID_STATES.indexOf(other)] ?? null;

const rankOf = ({ by }: Word): number => SOURCE_KINDS.indexOf(by);

/** Seen after this change, and long enough after it for a program to have drawn what it wrote. */
const isCurrent = (word: Word, changedAt: WallMs | null): boolean =>
  changedAt === null || word.at >= changedAt + AGENT_STATE.settlesMs;

/** The order of `words` does not matter. */
export function verdictOf(words: readonly Word[]): Verdict {
  let decided: Word | null = null;
  let changedAt: WallMs | null = null;
  for (const word of words.toSorted((one, other) => rankOf(one) - rankOf(other))) {
    if (!isCurrent(word, changedAt)) continue;
    const state: SaidState | null = decided === null ? word.state : together(decided.state, word.state);
    if (state === null) return { state: 'unknown', word: null, disagree: decided === null ? [] : [decided, word] };
    // The word that says more decides: the screen may show why no turn runs.
    if (decided === null || state !== decided.state) decided = { ...word, state };
    if (word.since !== null) changedAt = Math.max(changedAt ?? word.since, word.since);
  }
  return { state: decided?.state ?? 'unknown', word: decided, disagree: [] };
}

/** Whether another source could say more: a program that is idle does not tell why, and a hook does not tell when a limit ends. */
export const leavesDoubt = (word: Word | null): boolean => word === null || word.state === 'idle' || word.by === 'hook';
