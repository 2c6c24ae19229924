/** The numbers of the ledger in a running town, with unit and reason. */
const MINUTE = 60_000;

export const LEDGER = {
  /** By the wall clock: what a damaged file loses at most. */
  backUpEveryMs: 60 * MINUTE,
  /** How often a failed opening or backup is retried, and unannounced rigs are looked for. */
  lookEveryMs: 1 * MINUTE,
  /** Pace of looks at escalations while the ledger is written: a person hears of one at once, and a flood costs a look a second. */
  soonMs: 1_000,
};
export type LedgerPolicy = Readonly<typeof LEDGER>;
