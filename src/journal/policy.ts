/** The numbers of what the journal keeps, with unit and reason. */

export const JOURNAL_WORDS = {
  /** Characters of a long word: as many as a person needs to know it again in `town why`. */
  begun: 100,
} as const;
