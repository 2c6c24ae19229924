/** The commands about work, as a person and as an agent type them, with no town running. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { hashOf } from '../../../state/sessions/tokens.ts';
import { realDisk } from '../../../state/files/disk.ts';
import { openLedger } from '../../../state/ledger/sqlite.ts';
import { startSwarm } from '../../../src/ledger/swarms.ts';
import { TestTown, type Ran } from '../../cli/town.ts';
import { episode, putAlerts } from '../../state/make.ts';

let town: TestTown;
beforeEach(() => (town = new TestTown()));

const make = async (title: string, ...words: string[]): Promise<string> =>
  (await town.data<{ id: string }>('bead', 'create', title, ...words)).id;
const codes = (...all: Ran[]) => all.map(({ code }) => code);

test('work is put in, listed, taken by one agent, given back, done and opened again', async () => {
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
  const other = await town.run('bead', 'hook', id, 'slit');
  expect(codes(other, await town.run('bead', 'unhook', id, 'slit'))).toEqual([5, 5]);
  expect(other.stderr).toBe(
    `town: ${id} is hooked by shop/polecats/nux; \`town bead unhook ${id}\` takes it off that hook\n`,
  );
  expect(await town.data('bead', 'unhook', id)).toMatchObject({ status: 'open' });
  expect(await town.data('bead', 'close', id, '--reason', 'merged')).toMatchObject([
    { status: 'closed', close_reason: 'merged' },
  ]);
  expect((await town.run('bead', 'hook', id, 'slit')).code).toBe(5);
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
  expect(codes(early, circle, unknown, gone)).toEqual([5, 5, 1, 1]);
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
    expect((await town.run(kind, 'show', one)).code).toBe(1);
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

// Rules: law 8, P-11.
test('the same words of a person once more count on what stands', async () => {
  const ids: string[] = [];
  for (let nth = 0; nth < 3; nth += 1) ids.push((await town.data<{ id: string }>('escalate', 'I am stuck')).id);
  expect(new Set(ids).size).toBe(1);
  const listed = await town.data<{ title: string }[]>('escalation', 'list');
  expect(listed.map(({ title }) => title)).toEqual(['I am stuck (3 times by now)']);
});

test('one word takes note of an alert, an escalation and a letter', async () => {
  const unknown = await town.run('ack', 'tw-none');
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('see `town status`') as string });
  const disk = realDisk(town.root, 1);
  await disk.mkdir('alerts');
  const numbers = async (list: 'alerts' | 'questions'): Promise<string[]> =>
    (await town.data<{ number: string }[]>(...(list === 'alerts' ? ['alerts', 'list'] : ['questions']))).map(
      ({ number }) => number,
    );
  await putAlerts(disk, episode('usage-limit/other', { session: 'other', since: 1_763_905_400_456 }));
  const [alert = ''] = await numbers('alerts');
  expect((await town.run('ack', alert)).stdout).toContain('usage-limit/other is acknowledged');
  const { id: letter } = await town.data<{ id: string }>('mail', 'send', 'overseer', '--subject', 'which database?');
  expect(await town.data('ack', letter)).toMatchObject({ id: letter, box: 'cur' });
  const { id: raised } = await town.data<{ id: string }>('escalate', 'which host?', '-s', 'high');
  // Its number is the same before its alert begins, and in both lists.
  const [question = ''] = await numbers('questions');
  await putAlerts(disk, episode(`escalation/${raised}`, { session: null, since: 1_763_905_400_789 }));
  expect([await numbers('questions'), (await numbers('alerts')).includes(question)]).toEqual([[question], true]);
  expect(await town.data('ack', question)).toMatchObject({ id: raised });
  expect(await town.data('alerts', 'list')).toMatchObject([
    { acked: { by: 'operator' } },
    { acked: { by: 'overseer' } },
  ]);
  expect(await town.data('mail', 'inbox')).toMatchObject([{ id: letter }]);
  const { id: low } = await town.data<{ id: string }>('escalate', 'a detail', '-s', 'low');
  expect(await town.data('escalate', 'ack', low.slice(0, -1))).toMatchObject({ id: low });
  const task = await town.run('ack', await make('a task'));
  expect(task).toMatchObject({ code: 1, stderr: expect.stringMatching(/is no escalation but a task; see/) as string });
});

test('an escalation is a question until it is acknowledged', async () => {
  const low = await town.data<{ id: string }>('escalate', 'a detail', '-s', 'low');
  const { id } = await town.data<{ id: string }>('escalate', 'which database?', '-s', 'high', '-r', 'both fit');
  const asked = async () => (await town.data<{ id: string }[]>('questions')).map((one) => one.id).sort();
  expect(await asked()).toEqual([id, low.id].sort());
  expect(await town.data('ack', id)).toMatchObject({
    labels: expect.arrayContaining(['acked', 'gt:escalation']) as string[],
  });
  expect(await asked()).toEqual([low.id]);
  expect(
    codes(await town.run('escalate', 'x', '-s', 'loud'), await town.run('ack', await make('no escalation'))),
  ).toEqual([2, 1]);
  expect(low.id).toMatch(/^tw-wisp-/);
});

test('evidence is a text or JSON, under the name of its kind that other programs use too', async () => {
  const add = (...words: string[]) => town.run('evidence', 'add', ...words);
  expect((await add('--type', 'signal', '--body', '{"fatigue":0.5}', '--author', 'builder')).code).toBe(0);
  expect(await town.data('evidence', 'list', '--author', 'builder')).toMatchObject([
    { kind: 'signal', text: '{"fatigue":0.5}' },
  ]);
  for (const words of [[], ['words', '--body', '{}'], ['--body', 'tired']]) expect((await add(...words)).code).toBe(2);
});

test('evidence is kept once under its id, and an agent gives its own only', async () => {
  town.session('builder');
  const add = (...words: string[]) => town.as('token-of-builder', 'evidence', 'add', ...words);
  expect(
    codes(await add('tests pass', '--id', 'e-1', '--at', '2026-01-01T00:00:00Z'), await add('x', '--author', 'mayor')),
  ).toEqual([0, 5]);
  await add('tests pass', '--id', 'e-1', '--at', '2026-01-01T00:00:00Z');
  expect((await add('others', '--id', 'e-1')).code).toBe(5);
  await town.run('evidence', 'add', 'looked', '--kind', 'look');
  expect(await town.data('evidence', 'list')).toMatchObject([
    { author: 'builder' },
    { author: 'overseer', kind: 'look' },
  ]);
  expect(await town.data('evidence', 'list', '--author', 'builder')).toHaveLength(1);
});

test('design, acceptance criteria and notes are shown, in words and to programs', async () => {
  const texts = ['--design', 'by hand', '--acceptance', 'all parse', '--notes', 'see #4'];
  const { stdout } = await town.run('bd', 'create', 'parse', '-d', 'what', ...texts, '--silent');
  const id = stdout.trim();
  const fields = { design: 'by hand', acceptance_criteria: 'all parse', notes: 'see #4' };
  const words = 'what\n\nDesign:\nby hand\n\nAcceptance criteria:\nall parse\n\nNotes:\nsee #4';
  for (const front of ['bd', 'bead']) expect((await town.run(front, 'show', id)).stdout).toContain(words);
  expect(await town.data('bead', 'show', id)).toMatchObject(fields);
  expect(JSON.parse((await town.run('bd', 'show', id, '--json')).stdout)).toMatchObject([fields]);
});

// Rules: P-5.
test('a life that is over changes nothing, by whatever door, once the next one has begun', async () => {
  const id = await make('work');
  town.session('builder');
  expect((await town.as('token-of-builder', 'bead', 'hook', id, 'builder')).code).toBe(0);
  town.session('builder', { tokenHash: hashOf('token-of-the-next') });
  const old = (...words: string[]) => town.as('token-of-builder', ...words);
  const ran = [
    await old('bead', 'close', id),
    await old('bead', 'unhook', id, 'builder'),
    await old('bead', 'update', id, '--title', 'x'),
    await old('bead', 'create', 'x'),
    await old('evidence', 'add', 'done'),
    await old('bd', 'close', id),
    await old('bd', 'update', id, '--status=open', '--assignee='),
  ];
  expect(codes(...ran)).toEqual([5, 5, 5, 5, 5, 1, 1]);
  for (const { stdout, stderr } of ran)
    expect([stdout, stderr]).toEqual(['', expect.stringContaining('no living session')]);
  expect(await town.data('bead', 'list', '--all')).toMatchObject([
    { id, status: 'hooked', assignee: 'builder', title: 'work', version: 2 },
  ]);
  expect((await town.as('token-of-the-next', 'bead', 'close', id)).code).toBe(0);
});

const HOSTILE = [
  "'; DROP TABLE beads; --",
  '$(reboot)',
  '`reboot`',
  '../../etc/passwd',
  '--force',
  'a\u001b[2Jb',
  'a b',
  'refs/heads/main.lock/..',
  'x'.repeat(200),
  '\u202e',
];

test('a hostile id is no bead: nothing is found, made or hooked by it, and what it is told with steers no terminal', async () => {
  const id = await make('work');
  for (const word of HOSTILE) {
    const [shown, hooked, spawned, made, asked] = await Promise.all([
      town.run('bead', 'show', '--', word),
      town.run('bead', 'hook', '--', word, 'nux'),
      town.run('polecat', 'spawn', 'shop', 'nux', `--bead=${word}`, '--', 'true'),
      town.run('bd', 'create', 'x', `--id=${word}`),
      town.run('bd', 'show', '--', word),
    ]);
    for (const { code, stdout, stderr } of [shown, hooked, spawned, made, asked]) {
      expect([code, word]).not.toEqual([0, word]);
      expect(stdout + stderr).not.toMatch(/[\0-\x08\v-\x1f\x7f-\x9f\u202e]/);
      expect(stderr).not.toMatch(/SQLITE|at file:|syntax error/);
    }
  }
  // No assignee is a command, a path or a column.
  for (const agent of HOSTILE) await town.run('bead', 'hook', id, '--', agent);
  expect(await town.data('bead', 'list', '--all')).toMatchObject([{ id, title: 'work' }]);
});

test('beads come from bd and go back to it as they came', async () => {
  const lines = [
    {
      _type: 'issue',
      id: 'tt-1',
      title: 'one',
      status: 'open',
      priority: 1,
      issue_type: 'task',
      created_at: '2026-11-22T19:26:18.513455234Z',
      created_by: 'fake',
      updated_at: '2026-11-22T19:26:18.513455234Z',
      unknown: { deep: [null] },
      labels: ['b', 'a'],
    },
    {
      id: 'tt-2',
      title: 'two',
      status: 'closed',
      priority: 2,
      issue_type: 'bug',
      created_by: 'fake',
      created_at: '2026-11-22T19:26:18Z',
      updated_at: '2026-11-22T19:26:18Z',
      closed_at: '2026-11-22T19:26:19Z',
      dependencies: [{ issue_id: 'tt-2', depends_on_id: 'tt-1', type: 'blocks', metadata: '{}' }],
      comments: [{ id: '01a2', issue_id: 'tt-2', author: 'fake', text: 'heard', created_at: '2026-11-22T19:26:32Z' }],
    },
  ];
  const file = join(town.home, 'beads.jsonl');
  const odd = ['', '{"_type":"event","key":"k"}', 'no json'];
  writeFileSync(file, [...lines.map((line) => JSON.stringify(line)), ...odd].join('\n'));
  const ran = await town.run('bead', 'import', file);
  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain('2 created');
  expect(ran.stdout).toContain('line 4 left out: it is a "event", and only issues and memories are beads');
  const back = (await town.run('bead', 'export')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(back).toEqual(lines);
  writeFileSync(file, back.map((line) => JSON.stringify(line)).join('\n'));
  await town.run('bead', 'update', 'tt-1', '--add-label', 'here');
  expect(await town.data('bead', 'import', file)).toMatchObject({ created: 0, older: 1, unchanged: 1, refused: [] });
  expect((await town.data<{ labels: string[] }>('bead', 'show', 'tt-1')).labels).toContain('here');
});

test('nothing hostile in a bead steers a terminal, and it comes back as it was', async () => {
  const title = `x\u001b[2J\u202e'; DROP TABLE beads; --\r`;
  const id = await make(title, '--description', 'a\u0007\nb', '--label', '"; $(reboot)');
  for (const words of ['bead list', `bead show ${id}`, 'bead ready', 'bd list', 'bead export'])
    expect((await town.run(...words.split(' '))).stdout).not.toMatch(/[\0-\x08\v-\x1f\x7f-\x9f\u202e]/);
  const back = { title, description: 'a\u0007\nb', labels: ['"; $(reboot)'] };
  expect(await town.data('bead', 'show', id)).toMatchObject(back);
});

test('a damaged ledger is told, and the last backup works on', async () => {
  const id = await make('kept');
  const { openLedger } = await import('../../../state/ledger/sqlite.ts');
  const ledger = openLedger({ root: town.root, wall: Date.now });
  await ledger.backUp(Date.now());
  ledger.close();
  writeFileSync(join(town.root, 'ledger/town.db'), Buffer.alloc(20_000, 7));
  const { stdout, stderr } = await town.run('bead', 'show', id);
  expect([stdout, stderr]).toEqual([
    expect.stringContaining('kept'),
    expect.stringContaining('the ledger was damaged'),
  ]);
  expect(readFileSync(join(town.root, 'ledger/town.db')).subarray(0, 15).toString()).toBe('SQLite format 3');
  await town.run('bead', 'show', id);
  expect(await town.data('mail', 'inbox')).toMatchObject([{ subject: 'the ledger was damaged', via: 'town' }]);
});
