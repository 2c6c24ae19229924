/** The numbers of what is printed. None is a configuration key: they concern eyes, not agents. */

/** Tables. */
export const LAYOUT = {
  /** Columns: narrower terminals are taken for this wide. */
  minRoom: 40,
  /** Columns below which a text beside others can no longer be read. */
  minText: 20,
  /** Columns that a sentence behind a time needs; with fewer the time is shorter. */
  besideStamp: 50,
  /** Of the room, for names: a longer one has a line of its own. */
  namePart: 0.4,
  /** Columns that `town watch` fills where no terminal tells its own. */
  watchRoom: 100,
  /** Alerts that `town status` shows; the others are counted. */
  alerts: 3,
  /** Names in a line about sessions that are not watched; `--json` has all. */
  notWatched: 8,
} as const;
