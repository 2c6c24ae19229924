/** The operator's yes to work that agents made. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newBead, type Official } from '../../machines/ledger/bead.ts';
import { openLedger, type SqliteLedger } from '../../state/ledger/sqlite.ts';
import { exits, TestTown } from './town.ts';

const AT = new Date().toISOString();
const NUX = 'shop/polecats/nux';
let town: TestTown;
let ledger: SqliteLedger;
beforeAll(async () => {
  town = new TestTown();
  await town.rig('shop');
  town.session('builder');
  ledger = openLedger({ root: town.root, wall: Date.now });
});
afterAll(() => ledger.close());

async function put(id: string, by: string, consent: Official['consent']): Promise<void> {
  const official: Official = { made: { by, via: 'agent', life: null, at: AT }, resolution: null, consent };
  const bead = newBead({ id, title: `about ${id}`, rig: 'shop', createdBy: by, createdAt: AT });
  await ledger.put(bead, { expects: 0, write: `w-${id}`, official });
}
const consents = async (): Promise<unknown[]> =>
  (await ledger.list({ rig: 'shop', order: 'oldest' }, { limit: 9 })).items.map(({ official }) => official.consent);

// Rules: P-8, law 11.
test('by id, by rig and by maker; once; never by an agent', async () => {
  await put('tw-1', NUX, 'asked');
  await put('tw-2', NUX, 'budget');
  await put('tw-3', 'builder', 'asked');
  await put('tw-4', NUX, 'asked');
  exits(await town.as('token-of-builder', 'bead', 'approve', 'tw-3'), 5, /town bead approve is for the operator/);
  exits(await town.run('bead', 'approve'), 2, /name the beads, or all that wait in a rig/);
  exits(await town.run('bead', 'approve', 'tw-1', '--rig', 'shop'), 2, /name the beads, or all/);
  expect(await consents()).toEqual(['asked', 'budget', 'asked', 'asked']);
  expect(await town.data('bead', 'approve', 'tw-1')).toEqual(['tw-1']);
  expect(await town.data('bead', 'approve', 'tw-1')).toEqual([]);
  expect(await town.data('bead', 'approve', '--rig', 'shop', '--by', 'builder')).toEqual(['tw-3']);
  expect(await town.data('bead', 'approve', '--rig', 'shop')).toEqual(['tw-4']);
  expect(await town.data('bead', 'approve', 'tw-2')).toEqual(['tw-2']);
  expect(await consents()).toEqual(Array(4).fill('given'));
});
