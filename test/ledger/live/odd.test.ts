/** Hostile words, beads of another program and a damaged ledger, by commands with no town running. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openLedger } from '../../../state/ledger/sqlite.ts';
import { TestTown } from '../../cli/town.ts';

let town: TestTown;
beforeEach(() => (town = new TestTown()));

const make = async (title: string, ...words: string[]): Promise<string> =>
  (await town.data<{ id: string }>('bead', 'create', title, ...words)).id;

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
