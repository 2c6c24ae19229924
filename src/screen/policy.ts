/** The numbers of reading screens. None is a configuration key: they bound work, and judge no agent. */

export const READING = {
  /**
   * Characters of a row that patterns are asked of: several times what the widest terminal shows. A screen with a longer one
   * is unknown.
   */
  maxRowChars: 1_000,
  /** Columns below which what programs say is broken over rows: their sentences are written for eighty. */
  narrowColumns: 80,
  /** Characters of a command line that tell what a process is: interpreter, script and first options stand far before. */
  maxCommandChars: 4_096,
  /** Milliseconds of CPU for what a person's own pack is asked at once: a hundred times what a shipped one takes for a screen. */
  maxOwnPackMs: 200,
  /** Texts whose answer is kept per pattern of a person's own: command lines and titles are the same at each look. */
  keptAnswers: 1_000,
} as const;

/** M-3: what a program wrote, as two looks compare it. */
export const WRITTEN = {
  /** The last rows with words: a higher pane shows nothing newer in the others. */
  rows: 60,
  /** M-3: the last rows in which an error is looked for. */
  errorRows: 20,
  /** So many rows that stand higher than before show a scroll: fewer may be alike by chance. */
  alike: 2,
} as const;
