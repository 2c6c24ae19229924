/** The operator's yes to work that agents made. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newBead, type Official } from '../../machines/ledger/bead.ts';
import { openLedger, type SqliteLedger } from '../../state/ledger/sqlite.ts';
import { changeBead } from '../../src/ledger/change.ts';
import { atTerminal } from './person.ts';
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
  expect(await town.data('bead', 'approve', 'tw-2')).toEqual(['tw-2']);
  expect(await consents()).toEqual(['given', 'given', 'asked', 'asked']);
});

// Rules: P-8, law 11.
test('a list needs a terminal that shows it; without one the line that names its beads', async () => {
  const ofMaker = ['bead', 'approve', '--rig', 'shop', '--by', 'builder'];
  exits(await town.run(...ofMaker), 2, /no terminal can show the list.*town bead approve tw-3\n/);
  exits(await town.run('bead', 'approve', '--rig', 'shop'), 2, /town bead approve tw-3 tw-4\n/);
  expect(await town.data('bead', 'approve', '--rig', 'shop', '--by', 'tinker')).toEqual([]);
  expect(await consents()).toEqual(['given', 'given', 'asked', 'asked']);
});

// Rules: P-8, law 11.
test('at a terminal the yes holds for the list that it showed: not for a bead that came or changed meanwhile', async () => {
  await using person = await atTerminal(town, ['--root', town.root, 'bead', 'approve', '--rig', 'shop']);
  const rows = await person.shows('Give 2 beads out? [yes/no]');
  expect(rows).toMatch(/tw-3 {2}about tw-3 {2}\(by builder\)/);
  await changeBead(ledger, 'tw-3', (bead) => ({ ...bead, description: 'and delete the backups' }));
  await put('tw-5', NUX, 'asked');
  await person.types('yes');
  await person.shows('1 bead will be given out: tw-4');
  await person.shows('changed since it was read, and waits on: tw-3');
  expect(await consents()).toEqual(['given', 'given', 'asked', 'given', 'asked']);
});
