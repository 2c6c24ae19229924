/** A cycle is a wisp while it acts, and one line afterwards; what a killed one was at is a line too. */
import { expect, test } from 'vitest';
import { beginCycle, endCycle, putAwayCutOff } from '../../src/patrols/memory/digest.ts';
import { MemoryLedger } from '../ledger/memory.ts';

const linesIn = async (ledger: MemoryLedger): Promise<string[]> =>
  (await ledger.evidence('shop/witness/patrol', { limit: 10 })).items.map(({ kind, text }) => `${kind}: ${text}`);
const wispsIn = async (ledger: MemoryLedger): Promise<string[]> =>
  (await ledger.list({ isWisp: true }, { limit: 10 })).items.map(({ description }) => description);
const cycleAt = (ledger: MemoryLedger, now: number) => ({ ledger, of: 'shop', now });
const NUKED = { act: 'nuke', about: 'nux', done: true, text: 'it is done' } as const;

// Rules: W-8.
test('one with nothing to do leaves nothing', async () => {
  const ledger = new MemoryLedger();
  await putAwayCutOff(cycleAt(ledger, 10));
  expect([await wispsIn(ledger), await linesIn(ledger)]).toEqual([[], []]);
});

// Rules: W-8.
test('one that acts is a wisp meanwhile, and one line in the end', async () => {
  const ledger = new MemoryLedger();
  await beginCycle(cycleAt(ledger, 10), ['nuke nux']);
  expect(await wispsIn(ledger)).toEqual(['nuke nux']);
  await endCycle(cycleAt(ledger, 10), [NUKED]);
  expect(await wispsIn(ledger)).toEqual([]);
  expect(await linesIn(ledger)).toEqual(['digest: nuke nux: it is done']);
});

// Rules: W-8.
test('what a killed one was at is told before the next one acts', async () => {
  const ledger = new MemoryLedger();
  await beginCycle(cycleAt(ledger, 10), ['nuke ada']);
  await beginCycle(cycleAt(ledger, 20), ['nuke nux']);
  expect(await wispsIn(ledger)).toEqual(['nuke nux']);
  await endCycle(cycleAt(ledger, 20), [NUKED]);
  expect(await linesIn(ledger)).toEqual(['digest: nuke nux: it is done', 'digest: cut off at: nuke ada']);
});

test('what a killed one was at is told though the next one has nothing to do', async () => {
  const ledger = new MemoryLedger();
  await beginCycle(cycleAt(ledger, 10), ['nuke ada']);
  await putAwayCutOff(cycleAt(ledger, 20));
  expect([await wispsIn(ledger), await linesIn(ledger)]).toEqual([[], ['digest: cut off at: nuke ada']]);
});
