/** How a witness gives work out, and takes it back from an agent. */
import { expect, test, vi } from 'vitest';
import { type Bead } from '../../machines/ledger/bead.ts';
import { carryOut } from '../../src/patrols/witness/acts.ts';
import { failuresOf, witnessOf } from '../../src/patrols/memory/evidence.ts';
import { NO_ROOM } from '../../src/rigs/no-room.ts';
import { Failure } from '../../src/terminal/failure.ts';
import { attemptsOf } from '../../src/patrols/witness/work.ts';
import { keepWork, workOn } from '../../state/rigs/work.ts';
import { MINUTE, NUX } from './seen.ts';
import { actWorlds, ADA, BASE, NOW, TIP, hooked } from './act-world.ts';

const world = actWorlds();
const { deps, put, shown } = world;

// Rules: P-8.
test('a start that nothing hinders is an attempt; one that memory or a missing program hinders is none, and makes nothing', async () => {
  const spawns: string[] = [];
  const spawn = (bead: string) => Promise.resolve(`shop/${String(spawns.push(bead))}`);
  const short = deps({ spawn, obstacle: () => Promise.resolve('it waits for memory') });
  const act = { act: 'spawn', rig: 'shop', bead: 'tw-1' } as const;
  expect(await carryOut(short, act)).toMatchObject({ done: false, text: 'it waits for memory' });
  expect([spawns, await attemptsOf(world.ledger, witnessOf('shop'), NOW)]).toEqual([[], []]);
  expect(await carryOut(deps({ spawn }), act)).toMatchObject({ done: true });
  expect([spawns, await attemptsOf(world.ledger, witnessOf('shop'), NOW)]).toEqual([
    ['tw-1'],
    [{ bead: 'tw-1', agoMs: 0 }],
  ]);
});

// Rules: P-8, law 8.
test.each([
  ['only a person makes possible', NO_ROOM, 0],
  ['may come to pass by itself', 'session_taken', 1],
])('a start that %s counts as so many attempts: %s, %i', async (_, code, count) => {
  const spawn = () => Promise.reject(new Failure(1, code, 'refused'));
  expect(await carryOut(deps({ spawn }), { act: 'spawn', rig: 'shop', bead: 'tw-1' })).toMatchObject({ done: false });
  expect(await attemptsOf(world.ledger, witnessOf('shop'), NOW)).toHaveLength(count);
});

// Rules: law 7.
test('a start that a full disk refuses says so, though that disk takes no note of it', async () => {
  const spawn = () => {
    vi.spyOn(world.ledger, 'addEvidence').mockRejectedValueOnce(new Error('database or disk is full'));
    return Promise.reject(new Failure(1, NO_ROOM, 'no room'));
  };
  const act = { act: 'spawn', rig: 'shop', bead: 'tw-1' } as const;
  expect(await carryOut(deps({ spawn }), act)).toMatchObject({ done: false, text: 'no room', needsPerson: true });
});

test.each(['reopen', 'fail'] as const)('%s: only what it was taken from', async (act) => {
  await put('tw-1', { status: 'hooked', assignee: ADA });
  await carryOut(deps(), { act, bead: 'tw-1', from: NUX, why: 'dead', left: null });
  expect(await shown('tw-1')).toMatchObject({ status: 'hooked', assignee: ADA, attempts: 0 });
  await put('tw-2', hooked);
  await carryOut(deps(), { act, bead: 'tw-2', from: NUX, why: 'dead', left: { branch: 'mend-it', commit: TIP } });
  expect(await shown('tw-2')).toMatchObject({
    status: act === 'fail' ? 'blocked' : 'open',
    assignee: '',
    attempts: 1,
    metadata: { branch: 'mend-it', branch_commit: TIP },
  });
  await put('tw-3', { ...hooked, status: 'deferred' });
  await carryOut(deps(), { act, bead: 'tw-3', from: NUX, why: 'dead', left: null });
  expect(await shown('tw-3')).toMatchObject({ status: 'deferred', assignee: '', attempts: 0, labels: [] });
});

// Rules.
test('what a person is asked about failed work names its title', async () => {
  await put('tw-1', { ...hooked, title: 'mend the parser' });
  await carryOut(deps(), { act: 'fail', bead: 'tw-1', from: NUX, why: 'red', left: null });
  const { items } = await world.ledger.list({ labels: ['gt:escalation'] }, { limit: 9 });
  expect(items.map(({ description }) => description)).toEqual(['tw-1 (mend the parser) has failed: red']);
});

// Rules: law 1, P-12.
test.each(['reopen', 'fail'] as const)('%s: not while the record of its work does not count', async (act) => {
  await put('tw-1', hooked);
  const path = 'patrols/work/shop.tw-1.json';
  await world.disk.mkdir('patrols/work');
  await world.disk.write(path, '{"schema":');
  const done = await carryOut(deps(), { act, bead: 'tw-1', from: NUX, why: 'dead', left: null });
  expect(done).toMatchObject({ done: false, text: expect.stringContaining(path) as string });
  expect((await shown('tw-1')).status).toBe('hooked');
});

// Rules: R-4.
test.each(['reopen', 'fail'] as const)(
  '%s that a kill cut off is done once, with the branch that was used',
  async (act) => {
    await put('tw-1', hooked);
    const began = { branch: 'town/nux', base: BASE, main: null, polecat: 'nux', uuid: 'u', start: null, at: NOW };
    await keepWork(world.disk, { rig: 'shop', of: 'tw-1' }, { begun: [began] });
    const one = { act, bead: 'tw-1', from: NUX, why: 'dead', left: { branch: 'mend-it', commit: TIP } } as const;
    // The process ends at the first evidence, then at the bead, then at none.
    const cuts = [vi.spyOn(world.ledger, 'addEvidence'), vi.spyOn(world.ledger, 'put'), null];
    for (const [at, cut] of cuts.entries()) {
      cut?.mockRejectedValueOnce(new Error('cut'));
      await carryOut(deps({ now: NOW + at * MINUTE }), one);
    }
    expect(await shown('tw-1')).toMatchObject({ assignee: '', attempts: 1 });
    for (const of of ['tw-1', NUX]) {
      const { items } = await world.ledger.evidence(failuresOf('shop', of), { limit: 9 });
      expect(items).toHaveLength(1);
    }
    expect((await workOn(world.disk, { rig: 'shop', of: 'tw-1' })).begun.at(-1)).toMatchObject({
      branch: 'mend-it',
      uuid: 'u',
    });
  },
);

// Rules: R-2.
test('reopen: also what its agent holds under its short name', async () => {
  await put('tw-1', { status: 'in_progress', assignee: 'shop/nux' });
  await carryOut(deps(), { act: 'reopen', bead: 'tw-1', from: NUX, why: 'dead', left: null });
  expect(await shown('tw-1')).toMatchObject({ status: 'open', assignee: '', attempts: 1 });
});

test.each<[what: string, before: Partial<Bead>, from: string | null, assignee: string]>([
  ['free, as it was seen', { status: 'open' }, null, ADA],
  ['held by the agent it was seen with', hooked, NUX, ADA],
  ['held by another by now', { status: 'hooked', assignee: 'shop/polecats/max' }, NUX, 'shop/polecats/max'],
  ['held by now', hooked, null, NUX],
  ['closed by now', { status: 'closed' }, NUX, ''],
])(
  'hook: goes to the agent it was given to only where it stands as it was seen: %s',
  async (_, before, from, assignee) => {
    await put('tw-1', before);
    await carryOut(deps(), { act: 'hook', bead: 'tw-1', agent: ADA, from });
    expect(await shown('tw-1')).toMatchObject({
      ...before,
      assignee,
      attempts: 0,
      ...(assignee === ADA && { status: 'hooked' }),
    });
  },
);
