/** What the town keeps for itself as evidence stands under a name that a person may write under too. */
import { expect, test } from 'vitest';
import { lastOf, noteBegun } from '../../src/plugins/record.ts';
import { MemoryLedger } from './memory.ts';

test.each(['hello', '{', '"text"', '{"id":7}'])(
  'words of somebody else under that name are none of it: %s',
  async (text) => {
    const ledger = new MemoryLedger();
    const typed = (author: string) => ledger.addEvidence({ id: author, author, kind: 'note', text, at: 1_000 });
    await noteBegun(ledger, 'sweep', { id: 'run-1', text: '' }, 1);
    await typed('deacon/plugin/sweep');
    expect(await lastOf(ledger, 'sweep')).toBeNull();
    // The next one counts again.
    await noteBegun(ledger, 'sweep', { id: 'run-2', text: '' }, 2_000);
    expect(await lastOf(ledger, 'sweep')).not.toBeNull();
  },
);
