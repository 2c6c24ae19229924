/** What comes of a witness's acts: each rests on what stands in the ledger then, and does to no other what it means for one. */
import { keepNote, noteOf, notesOf, type Noted } from '../../state/patrols/notes.ts';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { NOT_OFFICIAL, type Bead } from '../../machines/ledger/bead.ts';
import { TRIAGE } from '../../machines/triage/policy.ts';
import { close as closeBead, reopen } from '../../machines/ledger/changes.ts';
import { changeBead } from '../../src/ledger/change.ts';
import { undecidedCases } from '../../src/triage/requests.ts';
import type { OrderedAct } from '../../machines/witness/acting.ts';
import { carryOut, type ActDeps } from '../../src/patrols/witness/acts.ts';
import { askForEnd } from '../../src/patrols/witness/ends.ts';
import { failuresOf, witnessOf } from '../../src/patrols/memory/evidence.ts';
import { NOT_EXEMPT, UNTYPED } from '../../src/patrols/memory/notes.ts';
import { handedOf, requestsIn } from '../../src/patrols/witness/refinery-work.ts';
import { boxAt } from '../../src/patrols/witness/post.ts';
import { attemptsOf, wispsOf } from '../../src/patrols/witness/work.ts';
import { EXIT, Failure } from '../../src/terminal/failure.ts';
import { writeFiles } from '../../state/files/atomic-write.ts';
import { realDisk, type Disk } from '../../state/files/disk.ts';
import { paths } from '../../state/files/layout.ts';
import { keepWork, workOn } from '../../state/rigs/work.ts';
import { sessionText } from '../../state/sessions/records.ts';
import { bead } from '../ledger/beads.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { life, running } from '../sessions/one.ts';
import { MINUTE, NUX } from './seen.ts';
import { freshFolder } from '../world/over.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const TIP = 'c'.repeat(40);
const BASE = 'b'.repeat(40);
const ADA = 'shop/polecats/ada';

let disk: Disk;
let ledger: MemoryLedger;
beforeEach(() => {
  disk = realDisk(freshFolder(), 0);
  ledger = new MemoryLedger();
});

const boxOf = (address: string) => boxAt({ disk, note: () => undefined }, address);
const deps = (more: Partial<ActDeps> = {}): ActDeps => ({
  rig: 'shop',
  ledger,
  disk,
  now: NOW,
  triage: TRIAGE,
  own: boxOf('shop/witness'),
  boxOf: (address) => Promise.resolve(boxOf(address)),
  bornAt: () => null,
  startedFor: () => null,
  tellPerson: (box, letter) => box.send(letter),
  tailOf: () => Promise.resolve(''),
  filesOf: () => Promise.resolve(''),
  nudge: () => Promise.resolve(),
  obstacle: () => Promise.resolve(null),
  spawn: () => Promise.resolve('x'),
  end: () => Promise.resolve('x'),
  keepCommit: () => Promise.resolve(),
  lacks: () => Promise.resolve(true),
  nuke: async (_, { before }) => {
    await before?.(TIP);
    return [];
  },
  check: () => undefined,
  dropMerged: () => Promise.resolve([]),
  start: () => Promise.resolve(),
  asked: () => undefined,
  ...more,
});
const put = (id: string, more: Partial<Bead>) =>
  ledger.put(bead(id, { rig: 'shop', ...more }), { expects: 0, write: id });
const shown = async (id: string): Promise<Bead> => (await ledger.beads([id]))[0]!;
const hooked = { status: 'hooked', assignee: NUX } as const;
const ready = { to: 'shop/refinery', subject: 'MERGE_READY nux', body: 'Issue: tw-1', of: 'u' };
const nuke: Extract<OrderedAct, { act: 'nuke' }> = {
  act: 'nuke',
  polecat: 'nux',
  uuid: 'u',
  push: false,
  why: 'done',
  bead: 'tw-1',
  agent: NUX,
  ready,
  branch: 'mend-it',
  commit: TIP,
  main: BASE,
};

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
  expect([kept, (await workOn(disk, { rig: 'shop', of: 'tw-1' })).handed]).toEqual([[], []]);
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
  await ledger.put(one, { expects: 0, write: 'tw-1', official });
  expect(await carryOut(deps(), nuke)).toMatchObject({ done: true, text: 'done' });
  expect(await shown('tw-1')).toMatchObject({ status: 'in_progress', assignee: 'shop/refinery' });
  expect((await workOn(disk, { rig: 'shop', of: 'tw-1' })).handed).toMatchObject([{ uuid: 'u', commit: TIP }]);
});

// Rules: P-8.
test('a start that nothing hinders is an attempt; one that memory or a missing program hinders is none, and makes nothing', async () => {
  const spawns: string[] = [];
  const spawn = (bead: string) => Promise.resolve(`shop/${String(spawns.push(bead))}`);
  const short = deps({ spawn, obstacle: () => Promise.resolve('it waits for memory') });
  const act = { act: 'spawn', rig: 'shop', bead: 'tw-1' } as const;
  expect(await carryOut(short, act)).toMatchObject({ done: false, text: 'it waits for memory' });
  expect([spawns, await attemptsOf(ledger, witnessOf('shop'), NOW)]).toEqual([[], []]);
  expect(await carryOut(deps({ spawn }), act)).toMatchObject({ done: true });
  expect([spawns, await attemptsOf(ledger, witnessOf('shop'), NOW)]).toEqual([['tw-1'], [{ bead: 'tw-1', agoMs: 0 }]]);
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
  const { items } = await ledger.list({ labels: ['gt:escalation'] }, { limit: 9 });
  expect(items.map(({ description }) => description)).toEqual(['tw-1 (mend the parser) has failed: red']);
});

// Rules: law 1, P-12.
test.each(['reopen', 'fail'] as const)('%s: not while the record of its work does not count', async (act) => {
  await put('tw-1', hooked);
  const path = 'patrols/work/shop.tw-1.json';
  await disk.mkdir('patrols/work');
  await disk.write(path, '{"schema":');
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
    await keepWork(disk, { rig: 'shop', of: 'tw-1' }, { begun: [began] });
    const one = { act, bead: 'tw-1', from: NUX, why: 'dead', left: { branch: 'mend-it', commit: TIP } } as const;
    // The process ends at the first evidence, then at the bead, then at none.
    const cuts = [vi.spyOn(ledger, 'addEvidence'), vi.spyOn(ledger, 'put'), null];
    for (const [at, cut] of cuts.entries()) {
      cut?.mockRejectedValueOnce(new Error('cut'));
      await carryOut(deps({ now: NOW + at * MINUTE }), one);
    }
    expect(await shown('tw-1')).toMatchObject({ assignee: '', attempts: 1 });
    for (const of of ['tw-1', NUX]) {
      const { items } = await ledger.evidence(failuresOf('shop', of), { limit: 9 });
      expect(items).toHaveLength(1);
    }
    expect((await workOn(disk, { rig: 'shop', of: 'tw-1' })).begun.at(-1)).toMatchObject({
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

test('what an agent asks about its own life reaches the Deacon as it was written, once', async () => {
  const flags = { via: 'agent', urgent: false, needs_response: true, sentAt: NOW - 5, incarnation: 'u-1' } as const;
  await boxOf('shop/witness').send({
    id: 'm1',
    from: 'gt-shop-nux',
    subject: 'LIFECYCLE: restart',
    body: '',
    ...flags,
  });
  const act: OrderedAct = { act: 'forward', mail: 'm1', to: 'deacon' };
  for (let n = 0; n < 2; n += 1) expect((await carryOut(deps(), act))?.done).toBe(true);
  expect(await boxOf('deacon').inbox()).toMatchObject([
    { id: 'm1', from: 'gt-shop-nux', via: 'agent', incarnation: 'u-1', sent_at: new Date(NOW - 5).toISOString() },
  ]);
});

test('a refinery that is started again and again has one letter that waits', async () => {
  const start: OrderedAct = {
    act: 'start',
    agent: 'shop/refinery',
    why: '1 merge request waits in shop',
    endedSoon: true,
  };
  const subjects = async () => (await boxOf('shop/refinery').inbox()).map(({ subject }) => subject);
  await carryOut(deps(), { ...start, endedSoon: false });
  const kind = async () => (await notesOf(disk, 'shop/refinery')).start?.kind;
  expect(await kind()).toBe('start');
  await carryOut(deps({ now: NOW + 1 }), start);
  expect(await kind()).toBe('again');
  expect(await subjects()).toEqual(['PATROL: Wake up']);
  const [letter] = await boxOf('shop/refinery').inbox();
  await boxOf('shop/refinery').archive(letter!.id);
  await carryOut(deps({ now: NOW + 2 }), start);
  expect(await subjects()).toEqual(['PATROL: Wake up']);
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
      handedOf({ ledger, disk, rig: 'shop', now, trees, requests, isAsked: () => isAsked, everyMs: 1_000 }),
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
      changeBead(ledger, 'tw-1', (one) => ({ ...one, metadata: { ...one.metadata, 'town.handed': life } }));
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
  await changeBead(ledger, 'tw-1', again);
  expect([(await carryOut(deps({ now: NOW + 2_000 }), close))?.done, await merges()]).toEqual([true, true]);
  await changeBead(ledger, 'tw-1', again);
  await changeBead(ledger, 'tw-1', (bead) => closeBead(bead, 'by hand', new Date(NOW + 3_000).toISOString()));
  expect(await merges()).toBe(false);
  await put('tw-2', { isWisp: true });
  await carryOut(deps(), { ...close, bead: 'tw-2' });
  expect(await shown('tw-2')).toMatchObject({ status: 'closed', official: { made: null, resolution: null } });
  expect((await shown('tw-2')).official.merged).toBeUndefined();
});

test('a total of a swarm that is no number is none', async () => {
  await put('tw-3', { isWisp: true, labels: ['swarm', 'swarm_id:s', 'total:three', 'tracks:tw-9'] });
  const wisps = await wispsOf(ledger, 'shop', NOW);
  expect(wisps.flatMap(({ swarm }) => swarm ?? [])).toEqual([{ id: 's', total: 1, closed: 0 }]);
});

test('a swarm that a letter starts is one that a command starts: once, and never of beads that are not there', async () => {
  await put('tw-1', {});
  const act: OrderedAct = { act: 'follow', swarm: 's', beads: ['tw-1', 'tw-1'] };
  expect(await carryOut(deps(), act)).toMatchObject({ done: true, text: 'tw-swarm-s' });
  expect(await carryOut(deps({ now: NOW + 1 }), act)).toBe(null);
  expect(await wispsOf(ledger, 'shop', NOW)).toMatchObject([{ swarm: { id: 's', total: 1, closed: 0 } }]);
  expect(await carryOut(deps(), { act: 'follow', swarm: 't', beads: ['tw-1', 'tw-9'] })).toMatchObject({
    done: false,
    text: 'the ledger does not have tw-9',
  });
});

test('the end of an agent that is protected, or has no life, is not asked for', async () => {
  const needs = { disk, ledger, rig: 'shop', now: NOW, patienceMs: 1 };
  const wanted = { agent: NUX, isVoluntary: true, why: 'done' };
  await expect(askForEnd({ ...needs, protects: ['gt-shop-*'] }, wanted)).rejects.toThrow('gt-shop-nux is protected');
  await expect(askForEnd({ ...needs, protects: [] }, wanted)).rejects.toThrow('has no life to end');
});

describe('the end of a life', () => {
  const LIFE = 'life-1';
  const SESSION = 'gt-shop-nux';
  const AGAIN = 'it is asked for already: why';
  const filed = async () => (await disk.list('deacon/dogs/warrants')).map((name) => name.replace('.json', '')).sort();
  const asked = (isVoluntary: boolean, now = NOW) => {
    const needs = { disk, rig: 'shop', protects: [], now, patienceMs: 15 * MINUTE };
    return askForEnd(needs, { agent: NUX, isVoluntary, why: 'why' });
  };
  const hears = (id: string) => disk.rename(paths.warrant(id), paths.held(id));
  beforeEach(async () => {
    for (const folder of ['sessions', 'deacon/dogs/held', 'deacon/dogs/warrants']) await disk.mkdir(folder);
    const spec = { name: SESSION, command: ['cat'], dir: '/', tags: [], restart: 'permanent', process: null } as const;
    const text = sessionText(running({ spec, incarnation: { ...life, session: SESSION, uuid: LIFE } }));
    await writeFiles(disk, [{ path: paths.session(SESSION), text }]);
  });

  test('its own wish comes on top of a hearing, open or over, and is asked for once', async () => {
    expect([await asked(false), await asked(false, NOW + 1)]).toEqual(['it is heard first: why', AGAIN]);
    expect([await asked(true, NOW + 2), await asked(true, NOW + 3), await asked(false, NOW + 3)]).toEqual([
      'why',
      AGAIN,
      AGAIN,
    ]);
    expect(await filed()).toEqual([`done-${LIFE}`, `over-${LIFE}`]);
    await expect(asked(true, NOW + 60 * MINUTE)).rejects.toThrow(
      'why; its end was asked for, and gt-shop-nux lives on',
    );
  });

  test('one that lives on after its hearing is known at once, and the wish of its own ends it', async () => {
    await asked(false);
    await hears(`over-${LIFE}`);
    expect(await asked(false, NOW + 1)).toBe(AGAIN);
    await disk.remove(paths.held(`over-${LIFE}`));
    await expect(asked(false, NOW + 2)).rejects.toThrow('why; its hearing is over, and gt-shop-nux lives on');
    expect([await asked(true, NOW + 3), await filed()]).toEqual(['why', [`done-${LIFE}`]]);
  });

  test('a note of an older town, which names no reason, keeps no wish back', async () => {
    await keepNote(disk, NUX, 'end', { kind: 'end', text: LIFE, at: NOW });
    expect([await asked(false, NOW + 1), await filed()]).toEqual([AGAIN, []]);
    expect([await asked(true, NOW + 1), await filed()]).toEqual(['why', [`done-${LIFE}`]]);
  });
});

describe('what stands so already is no act of a cycle', () => {
  const twice: readonly (readonly [string, OrderedAct])[] = [
    ['a close', { act: 'close', bead: 'tw-1', reason: 'merged' }],
    ['a label', { act: 'label', wisp: 'tw-1', add: 'told:recovery' }],
    ['a bead taken back', { act: 'reopen', bead: 'tw-1', from: NUX, why: 'dead', left: null }],
    ['a letter', { act: 'send', to: 'mayor', subject: 'HELP', body: '', of: 'm1' }],
    ['a case', { act: 'triage', type: 'stuck_agent', agent: NUX, context: 'it does not move' }],
    ['what a person is told', { act: 'tell', severity: 'high', about: 'help/nux', text: 'nux needs help' }],
  ];
  test.each(twice)('%s', async (_, act) => {
    await put('tw-1', hooked);
    expect(await carryOut(deps(), act)).toMatchObject({ act: act.act, done: true });
    expect(await carryOut(deps({ now: NOW + 1 }), act)).toBe(null);
  });
});

describe('a nudge that is refused', () => {
  const gentle: OrderedAct = { act: 'nudge', kind: 'gentle', agent: NUX, text: 'well?' };
  const refuses = (code: string) => deps({ nudge: () => Promise.reject(new Failure(EXIT.failed, code, code)) });
  const kept = async (what: Noted) => (await noteOf(disk, NUX, what))?.kind ?? null;
  // Rules: W-4.
  test.each<[code: string, counts: boolean]>([
    ['nudge_busy', true],
    ['nudge_paneless', true],
    ['nudge_protected', true],
    ['nudge_working', false],
    ['nudge_dialog', false],
    ['nudge_limited', false],
    ['nudge_person', false],
    ['nudge_recent', false],
    ['nudge_unknown', false],
  ])('%s counts as said: %s', async (code, counts) => {
    expect((await carryOut(refuses(code), gentle))?.done).toBe(false);
    expect(await kept('nudge')).toBe(counts ? 'gentle' : null);
    expect(await kept('hook-exempt')).toBe(code);
    await carryOut(deps({ now: NOW + 1 }), gentle);
    expect(await kept('hook-exempt')).toBe(NOT_EXEMPT);
  });

  // Rules: P-3, W-4.
  test.each(['red', 'empty', 'dirty'] as const)('is noted as not typed where it is %s', async (kind) => {
    const words: OrderedAct = { act: 'nudge', kind, agent: NUX, text: 'Not done yet' };
    await carryOut(refuses('nudge_paneless'), words);
    expect(await kept(kind)).toBe(UNTYPED);
    await carryOut(deps({ now: NOW + 1 }), words);
    expect(await kept(kind)).toBe(kind);
  });
});

// Rules: W-4.
test('a case about one that hangs shows the end of its screen, looked at once', async () => {
  let looks = 0;
  const tailOf = () => Promise.resolve(`? an unknown screen ${(looks += 1)}`);
  const stuck: OrderedAct = { act: 'triage', type: 'stuck_agent', agent: NUX, context: 'no progress' };
  const first = await carryOut(deps({ tailOf }), stuck);
  expect(await carryOut(deps({ tailOf }), stuck)).toBe(null);
  expect((await shown(first?.text ?? '')).description).toBe(
    'no progress\nThe end of its screen:\n? an unknown screen 1',
  );
  expect(looks).toBe(1);
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
  expect([tries.splice(0).length, await undecidedCases(ledger)]).toEqual([3, []]);
  for (let at = 0; at < 4 * 60 * MINUTE; at += MINUTE / 4) await carryOut(refusing(at), pushing);
  expect(tries).toEqual([0, 5, 10, 20, 40, 80, 140, 200]);
  expect(await undecidedCases(ledger)).toMatchObject([
    { type: 'dirty_polecat', agent: NUX, context: expect.stringContaining('protected branch') as string },
  ]);
});
