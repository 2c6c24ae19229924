/** The numbers of mailboxes, with unit and reason. */
export const MAIL_BUDGET = {
  /** Letters that one agent sends within an hour of the clock: as many as a witness reads of one sender (W-1). */
  perHour: 300,
  hourMs: 3_600_000,
} as const;

export const MAIL_INDEX = {
  /** Letters: a box with fewer is listed at each look, in less than the index takes. */
  least: 500,
  /** Names in the index, of letters and of notices each: the largest page that a command shows unasked is 200. */
  newest: 250,
  /**
   * Milliseconds between the last change of a box and the listing that the index believes: a change within one tick of the
   * file system's clock leaves no mark. The coarsest clock, FAT's, ticks every 2 s.
   */
  settledMs: 2_000,
  /** Letters whose names hold no time and whose files are asked for it. */
  stats: 2_000,
} as const;
