/** What a terminal shows of an agent, and what it says (M-2, M-8): the shapes that packs and hands share. */
import type { WallMs } from '../../machines/protocol.ts';

/** One picture of a terminal. Unknown parts are null or empty, and prove nothing. */
export interface Picture {
  /** The visible rows from the top, escapes kept where there are any. */
  readonly rows: readonly string[];
  /** Columns; null = not known. */
  readonly width: number | null;
  /** From 0. */
  readonly cursor: { readonly x: number; readonly y: number } | null;
  /** Whether the program draws on the alternate screen. */
  readonly alternate: boolean | null;
  /** What the program calls its terminal; its own to choose. */
  readonly title: string;
  /** The terminal gathers lines itself, and the program draws no input of its own. */
  readonly lineMode: boolean | null;
  /** When it was taken. */
  readonly at: WallMs | null;
}

/**
 * blocked  a question to a person · login  asks who its person is · picker  a list or viewer that a person opened
 * limited  a usage limit · error  the last turn failed, the composer is back
 * draft    a half-typed line, busy_draft  the same while it works · gone  a shell where the agent was
 * unknown  nothing that is known: it stays unknown and never becomes idle
 */
export const SCREEN_STATES = [
  'busy',
  'idle',
  'draft',
  'busy_draft',
  'blocked',
  'login',
  'limited',
  'picker',
  'error',
  'gone',
  'unknown',
] as const;
export type ScreenState = (typeof SCREEN_STATES)[number];

/** Where a program takes its input. Rows count from the top of the picture. */
export interface Composer {
  /** Its first row, the rule above it included. */
  readonly from: number;
  /** Its last row, the rule below it included. */
  readonly to: number;
  /** A half-typed line, without the program's own suggestion; empty = nothing typed. */
  readonly draft: string;
}

/** One answer that a dialog offers. */
export interface Option {
  readonly label: string;
  /** The keys that choose it, as tmux calls them; empty = not known. */
  readonly keys: readonly string[];
  /** Enter takes this one. */
  readonly chosen: boolean;
  /** No pointer was seen: the keys count from the option that is chosen at first, and a person may have moved on. */
  readonly isGuessed?: true;
}

export interface Screen {
  readonly state: ScreenState;
  /** What told it: `pack/name of the rule`, for people and for `town explain`. */
  readonly rule: string;
  /** The words that led to it, for people. */
  readonly what: string;
  /** The row of those words; null = none. */
  readonly row: number | null;
  /** It works, beside all else that it shows. */
  readonly busy: boolean;
  /** A busy program's own clock, in seconds; null = it shows none. */
  readonly timer: number | null;
  readonly composer: Composer | null;
  readonly options: readonly Option[];
  /** When a usage limit ends, in the program's words; null = it does not say, or there is none. */
  readonly resets: string | null;
  /** A usage limit ended its last turn: the words stand where its answer would. Absent = it shows none, or beside the talk. */
  readonly isCut?: true;
  /** Text may be typed: an empty composer was seen, or a screen on which nothing speaks against it. */
  readonly mayType: boolean;
  /** Rows that are redrawn in place in every state of the agent: spinners, clocks, tips, what waits in its queue. */
  readonly animated: readonly number[];
  /** Columns that are the talk; what stands right of them is a sidebar or a scroll bar. null = all. */
  readonly columns: number | null;
}

/** A person has to answer before it goes on. */
export const asksPerson = ({ state }: Pick<Screen, 'state'>): boolean =>
  state === 'blocked' || state === 'login' || state === 'picker';

/** A usage limit in words, with its end. */
export const limitWords = ({ what, resets }: Pick<Screen, 'what' | 'resets'>): string =>
  resets === null || what.includes(resets) ? what : `${what} (until ${resets})`;

/** What tells a pack: a process's name and words. The pane's title is the agent's to choose and tells nothing. */
export interface Program {
  readonly comm: string;
  readonly argv: readonly string[];
  /** The file it runs; null = hidden. */
  readonly exe?: string | null;
}
