/** The commands about alerts, escalations and evidence, as a person and as an agent type them, with no town running. */
import { beforeEach, expect, test } from 'vitest';
import { hashOf } from '../../../state/sessions/tokens.ts';
import { realDisk } from '../../../state/files/disk.ts';
import { TestTown, type Ran } from '../../cli/town.ts';
import { episode, putAlerts } from '../../state/make.ts';

let town: TestTown;
beforeEach(() => (town = new TestTown()));

const make = async (title: string, ...words: string[]): Promise<string> =>
  (await town.data<{ id: string }>('bead', 'create', title, ...words)).id;
const codes = (...all: Ran[]) => all.map(({ code }) => code);

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
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('see `town status`') as string });
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

test('an escalation is a question, marked once it is acknowledged', async () => {
  const low = await town.data<{ id: string }>('escalate', 'a detail', '-s', 'low');
  const { id } = await town.data<{ id: string }>('escalate', 'which database?', '-s', 'high', '-r', 'both fit');
  const asked = async () => {
    const all = await town.data<{ id: string; isAcked: boolean }[]>('questions');
    return new Map(all.map((one) => [one.id, one.isAcked]));
  };
  const open = [
    [id, false],
    [low.id, false],
  ] as const;
  expect(await asked()).toEqual(new Map(open));
  expect(await town.data('ack', id)).toMatchObject({
    labels: expect.arrayContaining(['acked', 'gt:escalation']) as string[],
  });
  expect(await asked()).toEqual(new Map([...open, [id, true]]));
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

// Rules: T-5.
test('evidence that says nothing is refused, and so is a signal that the stall watch could not read', async () => {
  const add = (...words: string[]) => town.run('evidence', 'add', ...words);
  expect(codes(await add(''), await add('   '), await add('\u200b'))).toEqual([2, 2, 2]);
  for (const body of [
    '{}',
    '"tired"',
    'null',
    '{"fatigue":"0.5"}',
    '{"confidence":2}',
    '{"fatigue":0.5,"confidence":[]}',
  ]) {
    const refused = await add('--type', 'signal', '--body', body);
    expect([body, refused.code]).toEqual([body, 2]);
    expect(refused.stderr).toContain('each a number from 0 to 1');
  }
  expect(await town.data('evidence', 'list')).toEqual([]);
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
test('a life that is over changes nothing, by any door, once the next one has begun', async () => {
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
