/** The commands about work, as a person and as an agent type them, with no town running. */
import { beforeEach, describe, expect, test } from 'vitest';
import { openLedger } from '../../../state/ledger/sqlite.ts';
import { startSwarm } from '../../../src/ledger/swarms.ts';
import { TestTown, type Ran } from '../../cli/town.ts';

let town: TestTown;
beforeEach(() => (town = new TestTown()));

const make = async (title: string, ...words: string[]): Promise<string> =>
  (await town.data<{ id: string }>('bead', 'create', title, ...words)).id;
const codes = (...all: Ran[]) => all.map(({ code }) => code);

// Rules: F-4.
test('a kind of gate, and a rig, that there is not are refused before anything is made', async () => {
  const id = await make('build');
  const gate = ['bead', 'gate', 'create', 'Release it', '--blocks', id];
  const refused = [
    await town.run(...gate, '--type', 'humna'),
    await town.run('bead', 'gate', 'check', '--type', 'foo'),
    await town.run(...gate, '--rig', 'shpo'),
    await town.run('bead', 'create', 'sweep', '--rig', 'shpo'),
    await town.run('bead', 'update', id, '--rig', 'shpo'),
  ];
  expect(codes(...refused)).toEqual([2, 2, 2, 2, 2]);
  expect(refused.map(({ stderr }) => /"shpo"|humna|foo/.exec(stderr)?.[0])).toEqual([
    'humna',
    'foo',
    ...Array<string>(3).fill('"shpo"'),
  ]);
  expect(await town.data('bead', 'list')).toMatchObject([{ id }]);
  await town.rig('shop');
  expect((await town.run('bead', 'update', id, '--rig', 'shop')).code).toBe(0);
  expect((await town.run('bead', 'update', id, '--rig', '')).code).toBe(0);
});

test('an agent is one by each of its names, and a name that none or several have is refused', async () => {
  await town.rig('shop');
  const id = await make('fix the login', '--rig', 'shop', '--assignee', 'shop/nux');
  const nux = { assignee: 'shop/polecats/nux' };
  expect(await town.data('bead', 'show', id)).toMatchObject(nux);
  for (const name of ['shop/nux', 'gt-shop-nux', 'shop/polecats/nux/']) {
    expect(await town.data('bead', 'hook', id, name)).toMatchObject(nux);
    expect(await town.data('bead', 'list', '--assignee', name)).toMatchObject([{ id }]);
    expect((await town.run('bead', 'unhook', id, name)).code).toBe(0);
  }
  await town.run('bd', 'update', id, '--assignee', 'gt-shop-nux');
  expect(await town.data('bead', 'show', id)).toMatchObject(nux);
  expect(await town.data('bead', 'update', id, '--assignee', 'witness')).toMatchObject({ assignee: 'shop/witness' });
  expect(await town.data('bead', 'update', id, '--assignee', 'alice')).toMatchObject({ assignee: 'alice' });
  const unknown = await town.run('bead', 'update', id, '--assignee', 'shpo/nux');
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('there is no agent "shpo/nux"')]);
  await town.rig('api');
  const several = await town.run('bead', 'hook', id, 'witness');
  expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('of api/witness, shop/witness;')]);
});

// Rules: F-4.
test.each([
  ['bead show tw-none', 'there is no bead "tw-none"'],
  ['bead close tw-none', 'there is no bead "tw-none"'],
  ['bead dep add ID tw-none', 'there is no bead "tw-none"'],
  ['bead dep remove ID tw-none', 'has no link to "tw-none"'],
  ['convoy show tw-none', 'there is no bead "tw-none"'],
  ['convoy show ID', 'is no convoy'],
  ['triage show tw-none', 'there is no triage request "tw-none"'],
  ['mail read m-none', 'There is no message'],
])('%s: what is not known exits 2', async (line, why) => {
  const id = await make('build');
  const { code, stderr } = await town.run(...line.replace('ID', id).split(' '));
  expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
});

test('a change that changes nothing is told as that', async () => {
  const id = await make('build', '--label', 'ui');
  const said = async (...words: string[]) => (await town.run('bead', 'update', id, ...words)).stdout.trim();
  expect((await town.run('bead', 'update', id)).code).toBe(2);
  expect(await said('--unset', 'nope')).toMatch(/ is as it was: /);
  expect(await said('--remove-label', 'nope')).toMatch(/ is as it was: /);
  const before = await town.data<{ version: number }>('bead', 'show', id);
  expect(await said('--remove-label', 'ui')).toBe(`${id} is changed`);
  expect((await town.data<{ version: number }>('bead', 'show', id)).version).toBe(before.version + 1);
});

test('the beginning of a closed id is that bead, where no open one begins so', async () => {
  const id = await make('build');
  await town.run('bead', 'close', id);
  expect(await town.data('bead', 'show', id.slice(0, -1))).toMatchObject({ id, status: 'closed' });
  expect((await town.run('bead', 'reopen', id.slice(0, -1))).code).toBe(0);
  expect(await town.data('bead', 'show', id)).toMatchObject({ status: 'open' });
});

test('work is put in, listed, taken by one agent, given back, done and opened again', async () => {
  await town.rig('shop');
  const id = await make('fix the login', '--priority', '1', '--label', 'ui', '--metadata', 'k=a=b', '--rig', 'shop');
  expect(id).toMatch(/^tw-[0-9a-z]{6}$/);
  expect(await town.data('bead', 'list', '--label', 'ui', '--rig', 'shop')).toMatchObject([
    { id, metadata: { k: 'a=b' } },
  ]);
  expect((await town.run('bead', 'list')).stdout).toMatch(
    new RegExp(`^ID .*\\n${id} +P1 +open +task +- +fix the login\\n`),
  );
  const hooked = { status: 'hooked', assignee: 'shop/polecats/nux' };
  expect(await town.data('bead', 'hook', id, 'shop/polecats/nux')).toMatchObject(hooked);
  expect((await town.run('bead', 'hook', id, 'shop/polecats/nux')).code).toBe(0);
  const other = await town.run('bead', 'hook', id, 'shop/slit');
  expect(codes(other, await town.run('bead', 'unhook', id, 'shop/slit'))).toEqual([5, 5]);
  expect(other.stderr).toBe(
    `town: ${id} is hooked by shop/polecats/nux; \`town bead unhook ${id}\` takes it off that hook\n`,
  );
  expect(await town.data('bead', 'unhook', id)).toMatchObject({ status: 'open' });
  expect(await town.data('bead', 'close', id, '--reason', 'merged')).toMatchObject([
    { status: 'closed', close_reason: 'merged' },
  ]);
  expect((await town.run('bead', 'hook', id, 'shop/slit')).code).toBe(5);
  expect([await town.data('bead', 'list'), await town.data('bead', 'list', '--all')]).toMatchObject([[], [{ id }]]);
  expect(await town.data('bead', 'reopen', id)).toMatchObject({ status: 'open', version: 5 });
});

test("a list shows what work waits for, its parent too, and keeps what is the town's own for --all", async () => {
  const gate = await make('the review', '--type', 'gate');
  const whole = await make('the whole', '--dep', gate);
  const part = await make('a part', '--dep', `parent-child:${whole}`, '--label', 'shown');
  const wisp = await make('a note', '--wisp', 'patrol', '--label', 'shown');
  const request = await make('a case', '--type', 'triage_request');
  const listed = async (...words: string[]): Promise<string[]> =>
    (await town.data<{ id: string }[]>('bead', 'list', ...words)).map(({ id }) => id);
  expect(await town.data('bead', 'list')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: gate, waits_for: [] }),
      expect.objectContaining({ id: whole, waits_for: [gate] }),
      expect.objectContaining({ id: part, waits_for: [gate] }),
    ]),
  );
  expect(await listed()).not.toEqual(expect.arrayContaining([wisp]));
  expect(await listed()).not.toEqual(expect.arrayContaining([request]));
  expect(await listed('--all')).toEqual(expect.arrayContaining([gate, whole, part, wisp, request]));
  expect((await listed('--label', 'shown')).sort()).toEqual([part, wisp].sort());
  const { stdout } = await town.run('bead', 'list');
  expect(stdout).toContain(`a part (waits for ${gate})`);
  expect(stdout).toMatch(/\nwhat the town keeps for itself is left out; see it with --all\n$/);
  await town.run('bead', 'close', gate);
  expect((await town.run('bead', 'list')).stdout).not.toContain('waits for');
});

test('a pipe gets the bare id of a new bead, fit for a variable of a shell', async () => {
  const made = await town.run('bead', 'create', 'fix the login');
  expect([made.code, made.stderr]).toEqual([0, '']);
  expect(made.stdout).toMatch(/^tw-[0-9a-z]{6}\n$/);
  expect((await town.run('bead', 'show', made.stdout.trim())).stdout).toContain('fix the login');
});

test('what waits is not ready and not closed; a circle is refused', async () => {
  const first = await make('first');
  const second = await make('second', '--dep', first);
  expect(await town.data('bead', 'ready')).toMatchObject([{ id: first }]);
  const [early, circle, unknown, gone] = [
    await town.run('bead', 'close', second),
    await town.run('bead', 'dep', 'add', first, second),
    await town.run('bead', 'create', 'x', '--dep', 'tw-nobody'),
    await town.run('bead', 'show', 'tw-nobody'),
  ];
  expect(codes(early, circle, unknown, gone)).toEqual([5, 5, 2, 2]);
  expect(early.stderr).toContain(`waits for ${first}, which is open`);
  expect(await town.data('bead', 'dep', 'list', second)).toMatchObject([{ id: first, type: 'blocks', status: 'open' }]);
  expect((await town.run('bead', 'dep', 'remove', second, first)).code).toBe(0);
  expect(await town.data('bead', 'ready', '--unassigned', '--limit', '1')).toHaveLength(1);
  expect((await town.run('bead', 'show', second.slice(0, -1))).stdout).toContain('second');
});

// Rules: P-7.
test('the time of a gate that waits for a person is told once too', async () => {
  const due = await town.data<{ id: string }>(
    'bead',
    'gate',
    'create',
    'approve it',
    '--type',
    'human',
    '--timeout',
    '1ms',
  );
  await town.data('bead', 'gate', 'create', 'no hurry', '--type', 'human');
  const check = () => town.data('bead', 'gate', 'check', '--escalate');
  expect(await check()).toEqual({ checked: 2, due: [due.id], escalated: [`${due.id}-overdue`] });
  expect(await check()).toMatchObject({ due: [due.id], escalated: [] });
});

// Rules: P-7.
test('a gate holds back what waits for it; its time is told once and opens nothing', async () => {
  const id = await make('build');
  const gate = await town.data<{ id: string }>('bead', 'gate', 'create', 'review', '--timeout', '1ms', '--blocks', id);
  expect(await town.data('bead', 'ready')).toEqual([]);
  expect(await town.data('bead', 'gate', 'check', '--escalate')).toMatchObject({
    due: [gate.id],
    escalated: [`${gate.id}-overdue`],
  });
  expect(await town.data('bead', 'gate', 'check', '--escalate')).toMatchObject({ due: [gate.id], escalated: [] });
  expect(await town.data('bead', 'gate', 'list')).toMatchObject([{ id: gate.id, is_due: true, await_type: 'timer' }]);
  expect((await town.run('bead', 'gate', 'close', gate.id)).code).toBe(0);
  expect(await town.data('bead', 'ready')).toMatchObject([{ id }]);
  expect((await town.run('bead', 'gate', 'create', 'x', '--timeout', 'soon')).code).toBe(2);
  const unknown = await town.run('bead', 'gate', 'create', 'x', '--type', 'plugin', '--await-id', 'nightly');
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain('there is no plugin nightly');
});

describe.each(['convoy', 'swarm'] as const)('a convoy, by the word %s', (kind) => {
  test('follows beads until all are closed', async () => {
    const [one, other] = [await make('one'), await make('other')];
    const { id } = await town.data<{ id: string }>(kind, 'create', 'release', one);
    expect(await town.data(kind, 'add', id, other)).toMatchObject({ total: 2, completed: 0 });
    expect((await town.run(kind, 'close', id)).code).toBe(5);
    await town.run('bead', 'close', one, other);
    expect(await town.data(kind, 'list')).toMatchObject([{ id, completed: 2 }]);
    expect((await town.run(kind, 'show', id)).stdout).toContain('2 of 2 closed');
    expect(await town.data(kind, 'close', id)).toMatchObject({ status: 'closed' });
    expect((await town.run(kind, 'show', one)).code).toBe(2);
  });
});

// Rules: W-1.
test('a swarm that a letter started is followed like a convoy, by its name too', async () => {
  const one = await make('one');
  const ledger = openLedger({ root: town.root, wall: Date.now });
  const wanted = { name: 'release', beads: [one], by: 'shop/witness', at: new Date().toISOString(), rig: 'shop' };
  expect(await startSwarm(ledger, wanted)).toMatchObject({ is: 'started' });
  ledger.close();
  expect(await town.data('convoy', 'list')).toMatchObject([{ id: 'tw-swarm-release', completed: 0, total: 1 }]);
  expect((await town.run('swarm', 'show', 'release')).stdout).toContain('0 of 1 closed');
  await town.run('bead', 'close', one);
  expect(await town.data('swarm', 'close', 'release')).toMatchObject({ status: 'closed' });
});
