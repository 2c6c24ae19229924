/** What a cycle of the Deacon leaves: nothing where all is well, one line where it acted, and an alarm where an act comes to nothing. */
import { beforeEach, expect, test } from 'vitest';
import { TOWN_STEPS } from '../../machines/protocol/patrols.ts';
import { growCycle } from '../../src/patrols/memory/digest.ts';
import { holdingLock } from '../../src/rigs/lock.ts';
import { RigRecords } from '../../state/rigs/records.ts';
import { boxAt } from '../../src/patrols/witness/post.ts';
import { townRound } from './town-round.ts';
import { bead } from '../ledger/beads.ts';
import { Place } from '../plugins/place.ts';

let place: Place;
beforeEach(() => (place = new Place()));

const cycle = async (now: number): Promise<string[]> =>
  (await townRound(place.townNeeds(), now)).deeds.map(
    ({ act, about, done }) => `${act}${done ? '' : ' not done'} ${about}`,
  );
const lines = async (): Promise<string[]> =>
  (await place.ledger.evidence('deacon/patrol', { limit: 10 })).items.map(({ kind, text }) => `${kind}: ${text}`);
const wisps = async (): Promise<string[]> =>
  (await place.ledger.list({ isWisp: true }, { limit: 10 })).items.map(({ description }) => description);

/** Convoys of one closed bead each. */
async function convoys(...ids: string[]): Promise<void> {
  const work = bead('tw-1', { status: 'closed', closedAt: '2026-11-22T19:26:18Z' });
  await place.ledger.put(work, { expects: 0, write: 'work' });
  for (const id of ids) {
    const dependencies = [{ on: 'tw-1', type: 'tracks', createdAt: '', createdBy: '', extra: {} }];
    await place.ledger.put(bead(id, { type: 'convoy', dependencies }), { expects: 0, write: id });
  }
}

// Rules: W-8.
test('one of the Deacon that acts is a wisp meanwhile, with each act before it is done, and one line in the end', async () => {
  await convoys('tw-cv-a', 'tw-cv-b');
  const during: (readonly string[])[] = [];
  const { put } = place.ledger;
  place.ledger.put = async (one, how) => {
    if (one.type === 'convoy') during.push(await wisps());
    return put.call(place.ledger, one, how);
  };
  expect(await cycle(10)).toEqual(['land tw-cv-a', 'land tw-cv-b']);
  expect(during).toEqual([['land tw-cv-a'], ['land tw-cv-a; land tw-cv-b']]);
  expect([await wisps(), await lines()]).toEqual([
    [],
    [expect.stringMatching(/^digest: land tw-cv-a: .*; land tw-cv-b: /)],
  ]);
});

test('a convoy that landed is news for the mayor, and for the person where no mayor lives, once', async () => {
  const news = async (address: string): Promise<string[]> => {
    const box = boxAt({ disk: place.townNeeds().disk, note: () => undefined }, address);
    return (await box.inbox()).map(({ subject }) => subject);
  };
  await convoys('tw-cv-a');
  await townRound({ ...place.townNeeds(), standings: () => Promise.resolve(() => 'none') }, 10);
  await convoys('tw-cv-b');
  await townRound({ ...place.townNeeds(), standings: () => Promise.resolve(() => 'lives') }, 20);
  await cycle(30);
  expect(await news('overseer')).toEqual(['Convoy landed: tw-cv-a']);
  expect(await news('mayor')).toEqual(['Convoy landed: tw-cv-b']);
});

// Rules: P-1.
test('its steps are those of the seed, in their order', async () => {
  const steps: string[] = [];
  await townRound(place.townNeeds(), 10, ({ step }, work) => {
    steps.push(step);
    return work();
  });
  expect(steps).toEqual(['orphans', 'triage', 'gates', 'convoys', 'sessions', 'hooks', 'waits', 'plugins', 'wisps']);
});

// Rules: W-8.
test('one of the Deacon that has nothing to do leaves nothing', async () => {
  expect(await cycle(10)).toEqual([]);
  expect([await wisps(), await lines()]).toEqual([[], []]);
});

// Rules: W-8.
test('what a killed one of the Deacon was at is told before the next one acts', async () => {
  await growCycle({ ledger: place.ledger, of: 'deacon', now: 5 })('unhook tw-9');
  await convoys('tw-cv-a');
  await cycle(10);
  expect(await lines()).toEqual([expect.stringMatching(/^digest: land tw-cv-a/), 'digest: cut off at: unhook tw-9']);
  expect(await wisps()).toEqual([]);
});

// Rules: W-8.
test('two rounds of the Deacon at once are one after the other', async () => {
  await convoys('tw-cv-a');
  const { disk, root } = place;
  const records = new RigRecords({ disk });
  const round = (now: number) =>
    townRound(place.townNeeds(), now, (_, work) => holdingLock(records, { root, of: 'deacon' }, work));
  const both = await Promise.all([round(10), round(11)]);
  expect(both.flatMap(({ deeds }) => deeds.map(({ act }) => act))).toEqual(['land']);
  // The line says it, whichever of them ends first.
  expect(await lines()).toEqual([expect.stringContaining('land tw-cv-a')]);
});

// Rules: law 7.
test('a step that fails stops no other, and what the others did is on record', async () => {
  await convoys('tw-cv-a');
  const done: string[] = [];
  const round = townRound(place.townNeeds(), 10, async ({ step }, work) => {
    if (step === 'gates' || step === 'plugins') throw new Error('the disk is full');
    const outcome = await work();
    done.push(step);
    return outcome;
  });
  await expect(round).rejects.toThrow('gates: the disk is full; plugins: the disk is full');
  expect(done).toEqual(TOWN_STEPS.filter((step) => step !== 'gates' && step !== 'plugins'));
  expect([await wisps(), await lines()]).toEqual([[], [expect.stringMatching(/^digest: land tw-cv-a/)]]);
});
