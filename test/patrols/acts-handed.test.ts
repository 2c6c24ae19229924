/** How a witness hands work to the refinery with the end of its polecat, and closes what is merged. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { NOT_OFFICIAL, type Bead } from '../../machines/ledger/bead.ts';
import { close as closeBead, reopen } from '../../machines/ledger/changes.ts';
import { changeBead } from '../../src/ledger/change.ts';
import { undecidedCases } from '../../src/triage/requests.ts';
import type { OrderedAct } from '../../machines/witness/acting.ts';
import { carryOut, type ActDeps } from '../../src/patrols/witness/acts.ts';
import { handedOf, requestsIn } from '../../src/patrols/witness/refinery-work.ts';
import { EXIT, Failure } from '../../src/terminal/failure.ts';
import { workOn } from '../../state/rigs/work.ts';
import { bead } from '../ledger/beads.ts';
import { MINUTE, NUX } from './seen.ts';
import { actWorlds, ADA, BASE, NOW, TIP, hooked, nuke } from './act-world.ts';

const world = actWorlds();
const { boxOf, deps, put, shown } = world;

// Rules: P-2.
test('work that was closed since the look is not handed over', async () => {
  await put('tw-1', { ...hooked, status: 'closed', closedAt: new Date(NOW).toISOString() });
  expect(await carryOut(deps(), nuke)).toMatchObject({ done: false, text: `tw-1 is not the work of ${NUX} any more` });
  expect(await boxOf('shop/refinery').names()).toEqual([]);
});

// Rules: P-2.
test('what is not its work any more leaves no record of a handover, and no mark', async () => {
  await put('tw-1', { ...hooked, assignee: ADA });
  const kept: string[] = [];
  const keepCommit = (uuid: string) => Promise.resolve(kept.push(uuid));
  expect((await carryOut(deps({ keepCommit }), nuke))?.done).toBe(false);
  expect([kept, (await workOn(world.disk, { rig: 'shop', of: 'tw-1' })).handed]).toEqual([[], []]);
  expect(await shown('tw-1')).toMatchObject({ ...hooked, assignee: ADA, metadata: {} });
});

// Rules: P-2.
test.each<[assignee: string, more: Partial<Bead>]>([
  ['shop/nux', { status: 'in_progress' }],
  ['gt-shop-nux', { status: 'hooked' }],
  ['shop/nux', { status: 'closed' }],
  ['', { status: 'closed' }],
])('work of %j is handed over, %j: it is the agent’s in each form of its name', async (assignee, more) => {
  const closedAt = more.status === 'closed' ? new Date(NOW).toISOString() : '';
  const closed = { via: 'agent', by: NUX, life: 'u', at: closedAt } as const;
  const official = { ...NOT_OFFICIAL, ...(more.status === 'closed' && { closed }) };
  const one = bead('tw-1', { rig: 'shop', ...more, assignee, closedAt });
  await world.ledger.put(one, { expects: 0, write: 'tw-1', official });
  expect(await carryOut(deps(), nuke)).toMatchObject({ done: true, text: 'done' });
  expect(await shown('tw-1')).toMatchObject({ status: 'in_progress', assignee: 'shop/refinery' });
  expect((await workOn(world.disk, { rig: 'shop', of: 'tw-1' })).handed).toMatchObject([{ uuid: 'u', commit: TIP }]);
});

// Rules: P-6.
test('the end of a polecat names the ignored files that went along', async () => {
  const ended = async (...ignored: string[]) =>
    (await carryOut(deps({ nuke: () => Promise.resolve(ignored) }), { ...nuke, ready: null }))?.text;
  expect(await ended()).toBe('done');
  expect(await ended('out/')).toBe('done; ignored files went along: out/');
  expect(await ended('a', 'b', 'c', 'd', 'e', 'f', 'g')).toMatch(/ a, b, c, d, e, and 2 more$/);
});

test('what a polecat leaves is the refinery’s, with its branch; refused, it stays the polecat’s; another’s is left alone', async () => {
  await put('tw-1', hooked);
  const refused = await carryOut(deps({ nuke: () => Promise.reject(new Error('it is dirty')) }), nuke);
  expect([refused?.done, refused?.text]).toEqual([false, 'it is dirty']);
  expect(await shown('tw-1')).toMatchObject(hooked);
  expect((await carryOut(deps(), nuke))?.done).toBe(true);
  expect(await shown('tw-1')).toMatchObject({
    status: 'in_progress',
    assignee: 'shop/refinery',
    metadata: { branch: 'mend-it', branch_commit: TIP },
  });
  await put('tw-2', { status: 'hooked', assignee: ADA });
  await carryOut(deps(), { ...nuke, bead: 'tw-2', ready: null });
  expect(await shown('tw-2')).toMatchObject({ status: 'hooked', assignee: ADA });
});

describe('work that was handed to the refinery', () => {
  const asked: string[] = [];
  const trees = {
    broughtBack: () => Promise.resolve(new Map<string, string>()),
    gone: () => Promise.resolve(new Map<string, string>()),
    merged: (works: readonly { readonly commit: string; readonly base: string | null }[]) => {
      asked.push(...works.map(({ commit, base }) => `${commit} since ${base ?? '?'}`));
      return Promise.resolve(new Map(works.map(({ commit }) => [commit, 'yes' as const])));
    },
  };
  const look = (now: number, isAsked = false) =>
    requestsIn(boxOf('shop/refinery'), 'shop').then((requests) =>
      handedOf({
        ledger: world.ledger,
        disk: world.disk,
        rig: 'shop',
        now,
        trees,
        requests,
        isAsked: () => isAsked,
        everyMs: 1_000,
      }),
    );
  const withRefinery = { status: 'in_progress', assignee: 'shop/refinery' } as const;
  const flags = { urgent: false, needs_response: false, sentAt: NOW } as const;
  beforeEach(() => asked.splice(0));

  // Rules: P-2.
  test('is what the town kept of it, not what its bead says', async () => {
    await put('tw-1', hooked);
    await carryOut(deps(), nuke);
    await put('tw-2', { ...withRefinery, metadata: { branch: 'main', branch_commit: 'a'.repeat(40) } });
    expect(await look(NOW)).toMatchObject([
      { bead: 'tw-1', polecat: 'nux', branch: 'mend-it', commit: TIP, isOfGone: true, isMerged: 'yes' },
    ]);
    expect(asked).toEqual([`${TIP} since ${BASE}`]);
  });

  // Rules: P-2.
  test('is not what an earlier life handed over, while that of a later one is not on record yet', async () => {
    await put('tw-1', hooked);
    await carryOut(deps(), nuke);
    const [letter] = await boxOf('shop/refinery').inbox();
    await boxOf('shop/refinery').archive(letter!.id);
    const of = (life: string) =>
      changeBead(world.ledger, 'tw-1', (one) => ({ ...one, metadata: { ...one.metadata, 'town.handed': life } }));
    await of('a later life');
    expect(await look(NOW)).toEqual([]);
    await of('u');
    expect(await look(NOW + 2_000)).toMatchObject([{ bead: 'tw-1', isMerged: 'yes' }]);
  });

  test('is asked about once in a while, and where a letter is about it', async () => {
    await put('tw-1', hooked);
    await carryOut(deps(), nuke);
    const merged = async (...when: Parameters<typeof look>) => (await look(...when)).map(({ isMerged }) => isMerged);
    expect(await merged(NOW)).toEqual(['yes']);
    expect(await merged(NOW + 999)).toEqual(['unknown']);
    expect(await merged(NOW + 999, true)).toEqual(['yes']);
    expect(await merged(NOW + 2_000)).toEqual(['yes']);
    // The clock went back.
    expect(await merged(NOW - 60_000)).toEqual(['yes']);
  });

  test('has requests of the town and of the operator; what an agent writes itself asks for nothing', async () => {
    const body = `Branch: b\nCommit: ${TIP}\nPolecat: nux`;
    const send = (id: string, via: 'operator' | 'agent' | 'town', from: string) =>
      boxOf('shop/refinery').send({ id, from, via, subject: 'MERGE_READY nux', body, ...flags });
    await send('m1', 'town', 'shop/witness');
    await send('m2', 'operator', 'overseer');
    await send('m3', 'agent', ADA);
    await send('m4', 'agent', 'shop/witness');
    const seen = await look(NOW);
    expect(seen.map(({ requests }) => requests.join()).sort()).toEqual(['m1', 'm2', 'm4']);
    // Only the town itself hands over what is of no living polecat.
    expect(seen.filter(({ isOfGone }) => isOfGone).flatMap(({ requests }) => requests)).toEqual(['m1']);
  });

  test('of which the bead was closed has requests that are withdrawn, each once', async () => {
    await put('tw-1', hooked);
    await carryOut(deps(), nuke);
    await carryOut(deps(), { act: 'close', bead: 'tw-1', reason: 'not needed' });
    const [seen] = await look(NOW);
    expect(seen).toMatchObject({ bead: 'tw-1', isClosed: true });
    const act: OrderedAct = { act: 'withdraw', mail: seen!.requests[0]!, why: 'tw-1 is closed' };
    expect(await carryOut(deps(), act)).toMatchObject({ done: true, text: 'tw-1 is closed' });
    expect(await carryOut(deps(), act)).toBe(null);
    expect(await look(NOW)).toEqual([]);
  });
});

// Rules: R-4.
test('branches of earlier attempts go once the work is closed as merged, and one that stays holds nothing up', async () => {
  const dropMerged = vi.fn(async (id: string) => [`polecat/${id}`, (await shown(id)).status]);
  for (const id of ['tw-1', 'tw-2', 'tw-3']) await put(id, {});
  const close = (bead: string) => ({ act: 'close', bead, reason: 'merged' }) as const;
  expect(await carryOut(deps({ dropMerged }), close('tw-1'))).toMatchObject({
    done: true,
    text: 'merged; deleted on the remote, since main has it: polecat/tw-1, closed',
  });
  await carryOut(deps({ dropMerged }), close('tw-1'));
  await carryOut(deps({ dropMerged }), { ...close('tw-2'), ifOpen: true });
  expect(dropMerged).toHaveBeenCalledTimes(1);
  const silent = deps({ dropMerged: () => Promise.reject(new Error('the remote is away')) });
  expect(await carryOut(silent, close('tw-3'))).toMatchObject({ done: true, text: 'merged' });
});

test('what a witness closes is merged officially, each time; what a person closes then is not, and a wisp is no work', async () => {
  const merges = async () => (await shown('tw-1')).official.merged === (await shown('tw-1')).closedAt;
  const close: OrderedAct = { act: 'close', bead: 'tw-1', reason: 'merged' };
  await put('tw-1', hooked);
  expect([(await carryOut(deps(), close))?.done, await merges()]).toEqual([true, true]);
  const again = (bead: Bead): Bead => reopen(bead, new Date(NOW + 1_000).toISOString());
  await changeBead(world.ledger, 'tw-1', again);
  expect([(await carryOut(deps({ now: NOW + 2_000 }), close))?.done, await merges()]).toEqual([true, true]);
  await changeBead(world.ledger, 'tw-1', again);
  await changeBead(world.ledger, 'tw-1', (bead) => closeBead(bead, 'by hand', new Date(NOW + 3_000).toISOString()));
  expect(await merges()).toBe(false);
  await put('tw-2', { isWisp: true });
  await carryOut(deps(), { ...close, bead: 'tw-2' });
  expect(await shown('tw-2')).toMatchObject({ status: 'closed', official: { made: null, resolution: null } });
  expect((await shown('tw-2')).official.merged).toBeUndefined();
});

test('a push that the remote refuses is tried at first after minutes, then hourly, and is one case; one that found no remote is tried again at once', async () => {
  const pushing: OrderedAct = { ...nuke, push: true, bead: null };
  const tries: number[] = [];
  const refusing = (atMs: number, code = 'push_refused'): ActDeps =>
    deps({
      now: NOW + atMs,
      nuke: () => {
        tries.push(atMs / MINUTE);
        return Promise.reject(new Failure(EXIT.refused, code, 'polecat/nux was not pushed: protected branch'));
      },
    });
  for (let n = 0; n < 3; n += 1) await carryOut(refusing(0, 'not_asked'), pushing);
  expect([tries.splice(0).length, await undecidedCases(world.ledger)]).toEqual([3, []]);
  for (let at = 0; at < 4 * 60 * MINUTE; at += MINUTE / 4) await carryOut(refusing(at), pushing);
  expect(tries).toEqual([0, 5, 10, 20, 40, 80, 140, 200]);
  expect(await undecidedCases(world.ledger)).toMatchObject([
    { type: 'dirty_polecat', agent: NUX, context: expect.stringContaining('protected branch') as string },
  ]);
});
