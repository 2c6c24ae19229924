/** The limits of a plan. None is a configuration key: a larger plan is several. */
export const PLAN = {
  /** Bytes of the file: a task with a page of text has 2 kB, and a file of this size is read in half a second. */
  maxBytes: 2_000_000,
  /** A night has tens of tasks, a quarter of a year a thousand. */
  maxTasks: 5_000,
  /** Characters of the text around the tasks that each of them gets: more belongs into a file of the repository. */
  maxContext: 16_384,
  /** Lists in lists, and quotes, that are looked into; deeper ones are text. */
  maxNesting: 100,
  /** Mistakes that are printed; a file of another kind would have one in each line. */
  shownMistakes: 20,
  /** Signs of an id that are made of a title: among 10,000 tasks two meet once in 50,000 times, and then they are refused. */
  idLength: 8,
} as const;
