/** The contract of the ledger, by each store that there is. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { openLedger } from '../../state/ledger/sqlite.ts';
import { contractOf } from './contract.ts';
import { farAway } from './far-away.ts';
import { MemoryLedger } from './memory.ts';

describe('the contract of a ledger', () => {
  contractOf('in memory', () => ({ ledger: new MemoryLedger(), end: () => undefined }));

  contractOf('far away', () => ({ ledger: farAway(new MemoryLedger()), end: () => undefined }));

  contractOf('in a file', () => {
    const root = mkdtempSync(join(tmpdir(), 'town-ledger-'));
    const ledger = openLedger({ root, wall: Date.now });
    const end = () => {
      ledger.close();
      rmSync(root, { recursive: true });
    };
    return { ledger, end };
  });
});
