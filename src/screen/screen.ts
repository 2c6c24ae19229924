/** What an agent's screen says (M-2, M-8): the shape of a judgement and of a pack that makes it. */

/** Where a program takes its input. Rows count from the top of what was captured; `to` is the last row below it. */
export interface Composer {
  readonly from: number;
  readonly to: number;
  /** A half-typed line, without the program's own suggestion; empty = nothing typed. */
  readonly draft: string;
}

export interface Screen {
  readonly state: 'blocked' | 'busy' | 'idle' | 'unknown';
  /** The words that led to it, for people. */
  readonly what: string;
  /** The row of those words; null = none. */
  readonly row: number | null;
  /** A busy program's own clock, in seconds; null = it shows none. */
  readonly timer: number | null;
  readonly composer: Composer | null;
}

export interface Pack {
  readonly name: 'generic' | 'claude';
  /** The program takes a paste with line breaks as one message (bracketed paste). */
  readonly multiline: boolean;
  /** Every screen of this program is known: one that is not recognised may not be typed into. */
  readonly complete: boolean;
  /** `rows`: the visible screen, from the top, escapes allowed. */
  readonly read: (rows: readonly string[]) => Screen;
  /** The words of a usage limit that stand last on this screen, also when the program has ended; absent = it marks none. */
  readonly limitOn?: (rows: readonly string[]) => string | null;
  /** Whether a program with these words is this pack's. */
  readonly fits: (program: Program) => boolean;
}

/** What tells a pack: a process's name and words. The pane's title is the agent's to choose and tells nothing. */
export interface Program {
  readonly comm: string;
  readonly argv: readonly string[];
  /** The file it runs; null = hidden. */
  readonly exe?: string | null;
}
