/** The real store in a folder of its own, until the test is over: a test with ten thousand beads asks more than the memory answers quickly. */
import { LEDGER } from '../../state/ledger/policy.ts';
import { openLedger, type SqliteLedger } from '../../state/ledger/sqlite.ts';
import { freshFolder, whenOver } from '../world/over.ts';

export function realLedger(): SqliteLedger {
  const ledger = openLedger({ root: freshFolder(), wall: Date.now, keeps: LEDGER.keptBytes });
  whenOver(() => ledger.close());
  return ledger;
}
