/** What the town keeps for itself as evidence stands under a name that a person may write under too. */
import { expect, test } from 'vitest';
import { PATROL } from '../../machines/patrols/policy.ts';
import { lastNoted, noteFound } from '../../src/patrols/memory/noted.ts';
import { undoneAfter } from '../../src/patrols/memory/told.ts';
import { lastOf, noteBegun } from '../../src/plugins/record.ts';
import { MemoryLedger } from './memory.ts';

const PATROLLED = { observed: {}, deeds: [], stranded: [], isActive: false, isPaused: false };

test.each(['hello', '{', '"text"', '{"id":7}', '{"act/nux":{"cycles":"many","since":0}}'])(
  'words of somebody else under that name are none of it: %s',
  async (text) => {
    const ledger = new MemoryLedger();
    const typed = (author: string) => ledger.addEvidence({ id: author, author, kind: 'note', text, at: 1_000 });
    await noteFound(ledger, 'deacon', PATROLLED, 1);
    await noteBegun(ledger, 'sweep', { id: 'run-1', text: '' }, 1);
    for (const author of ['deacon/found', 'shop/witness/undone', 'deacon/plugin/sweep']) await typed(author);
    expect(await lastNoted(ledger, 'deacon')).toBeNull();
    expect(await lastOf(ledger, 'sweep')).toBeNull();
    expect(await undoneAfter({ rig: 'shop', ledger, now: 2_000 }, [], [], PATROL)).toEqual([]);
    // The next one counts again.
    await noteFound(ledger, 'deacon', PATROLLED, 2_000);
    expect(await lastNoted(ledger, 'deacon')).toMatchObject({ endedAt: 2_000 });
  },
);
