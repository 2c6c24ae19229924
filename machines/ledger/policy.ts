/** The numbers of the ledger in a running town, with unit and reason. */
const MINUTE = 60_000;

export const LEDGER = {
  /** By the wall clock: what a damaged file loses at most. */
  backUpEveryMs: 60 * MINUTE,
  /** What could not be opened or backed up is tried again so often, and rigs that nobody told of are found. */
  lookEveryMs: 1 * MINUTE,
};
export type LedgerPolicy = Readonly<typeof LEDGER>;
