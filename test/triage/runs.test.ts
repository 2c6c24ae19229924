/** Runs of the reasoner stand as evidence under a name that a person may write under too. */
import { expect, test } from 'vitest';
import type { TriageCase } from '../../machines/triage/cases.ts';
import { queueOf } from '../../src/triage/run.ts';
import { MemoryLedger } from '../ledger/memory.ts';

test.each(['hello', '{', '"text"', '{"id":7}'])('words of another writer there are none: %s', async (text) => {
  const ledger = new MemoryLedger();
  const put = (id: string, words: string) =>
    ledger.addEvidence({ id, author: 'triage/run', kind: 'run', text: words, at: 1_000 });
  const open = [{ createdAt: new Date(0).toISOString() } as TriageCase];
  const runs = async () => (await queueOf(ledger, open, { now: 2_000, running: 'no' })).runs.length;
  await put('typed', text);
  expect(await runs()).toBe(0);
  await put('run-1-run', '{"id":"run-1"}');
  expect(await runs()).toBe(1);
});
