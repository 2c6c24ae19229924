/** The numbers of the ledger in a running town, with unit and reason. */
import type { Ms } from '../protocol.ts';

export interface LedgerPolicy {
  /** By the wall clock: what a damaged file loses at most. */
  readonly backUpEveryMs: Ms;
  /** What could not be opened or backed up is tried again so often, and rigs that nobody told of are found. */
  readonly lookEveryMs: Ms;
}

const MINUTE = 60_000;

export const LEDGER: LedgerPolicy = { backUpEveryMs: 60 * MINUTE, lookEveryMs: 1 * MINUTE };
