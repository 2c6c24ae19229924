/** `town plan` as a person and an agent type it, on a real ledger, and killed at any statement of it. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { MAIN, TestTown, type Ran } from '../../cli/town.ts';
import { RigOn } from '../../rigs/yard.ts';

const STRIKE = join(inject('programs'), 'ledger-strike.mjs');

interface Task {
  readonly line: number;
  readonly id: string | null;
  readonly is: string;
  readonly title: string;
  readonly after: readonly string[];
}

let town: TestTown;
const file = (name: string): string => join(town.home, name);
const write = (text: string | Uint8Array, name = 'night.md'): string => {
  writeFileSync(file(name), text);
  return file(name);
};
const plan = (...words: string[]): Promise<Ran> => town.run('plan', file('night.md'), '--rig', 'shop', ...words);
const beads = () =>
  town.data<{ id: string; title: string; description?: string }[]>('bead', 'list', '--all', '--limit', '5000');

beforeEach(async () => {
  town = new TestTown();
  expect((await town.run('rig', 'add', 'shop', '--repo', new RigOn().top)).code).toBe(0);
});

const NIGHT = '# Night\n\n- [ ] mend the parser (P1)\n  It dies.\n- [ ] test it\n  after: mend the parser\n';

// Rules: R-3.
test('what would be made is shown and not written, then made, then left as it is', async () => {
  write(NIGHT);
  const dry = await plan('--dry-run');
  expect([dry.code, await beads()]).toEqual([0, []]);
  expect(dry.stdout).toContain('2 tasks for shop would be: 2 made; nothing was written\n');
  const made = await plan();
  expect(made.stdout).toMatch(
    /^LINE +ID +BEAD +P +AFTER +TITLE\n3 +tw-[0-9a-z]{8} +made +P1 +- +mend the parser\n5 .* line 3 +test it\n/,
  );
  expect(made.stdout.replace(/\n2 tasks.*\n/, '')).toBe(dry.stdout.replace(/\n2 tasks.*\n/, ''));
  expect(made.stderr).toContain('shop has no agent');
  const [mend] = await beads();
  expect(mend?.description).toBe('It dies.\n\nPart of the plan: Night');
  expect(await town.data('bead', 'ready')).toMatchObject([{ title: 'mend the parser', rig: 'shop' }]);
  expect((await plan()).stdout).toContain('2 tasks for shop: 2 as they were\n');
  const fromPipe = await town.data<{ tasks: Task[] }>('plan', write(`${NIGHT}- [ ] third\n`), '--rig', 'shop');
  expect(fromPipe.tasks.map((one) => one.is)).toEqual(['same', 'same', 'made']);
  expect(await beads()).toHaveLength(3);
});

// Rules: R-3.
test('a text that a person changed stays, the run says so, and emptied it takes the text of the file again', async () => {
  write(NIGHT);
  await plan();
  const [mend] = await beads();
  const update = (text: string): Promise<Ran> => town.run('bead', 'update', mend!.id, '--description', text);
  await update('Never touch the lexer.');
  expect((await plan()).stderr).not.toContain('by hand');
  write(NIGHT.replace('It dies.', 'It dies on empty input.'));
  const left = await plan();
  expect(left.stdout).toContain('2 tasks for shop: 2 as they were\n');
  expect(left.stderr).toContain(
    `line 3: the text of ${mend!.id} was changed by hand and stays; for the text of the file: town bead update ${mend!.id} --description ""`,
  );
  expect((await beads())[0]?.description).toBe('Never touch the lexer.');
  await update('');
  expect((await plan()).stdout).toContain('1 changed');
  expect((await beads())[0]?.description).toContain('It dies on empty input.');
});

// Rules: R-3.
test('killed at any statement of the ledger it leaves a beginning, and the next run makes the rest', async () => {
  const titles = Array.from({ length: 520 }, (_, at) => `task ${at}`);
  write(
    titles
      .map((title, at) => `- [ ] ${title}\n${at === 0 ? '' : `  after: task ${at - 1}\n`}`)
      .reverse()
      .join(''),
  );
  let hits = 0;
  // The last call of the ledger is its close: past it a run is whole.
  for (let n = 1; ; n = Math.ceil(n * 1.7)) {
    const args = ['--import', STRIKE, MAIN, '--root', town.root, 'plan', file('night.md'), '--rig', 'shop'];
    const child = spawn(process.execPath, args, { env: town.env({ STRIKE: String(n) }), stdio: 'ignore' });
    const signal = await new Promise((resolve) => child.on('close', (_, how) => resolve(how)));
    const found = await town.data<{ id: string; dependencies?: { depends_on_id: string }[] }[]>(
      'bead',
      'list',
      '--limit',
      '5000',
    );
    const ids = new Set(found.map(({ id }) => id));
    for (const { dependencies = [] } of found)
      for (const link of dependencies) expect(ids).toContain(link.depends_on_id);
    if (signal !== 'SIGKILL') break;
    hits += 1;
  }
  expect(hits).toBeGreaterThan(5);
  expect((await beads()).map(({ title }) => title).sort()).toEqual([...titles].sort());
  expect((await plan()).stdout).toContain('520 tasks for shop: 520 as they were');
});

describe('an agent', () => {
  const asAgent = (...words: string[]) =>
    town.as('token-of-builder', 'plan', file('night.md'), '--rig', 'shop', ...words);

  // Rules: R-3.
  test('makes beads in its own name, and changes none of others, nor any beside it', async () => {
    town.session('builder');
    write('- [ ] its own\n');
    expect((await asAgent()).code).toBe(0);
    expect(await beads()).toMatchObject([{ created_by: 'builder' }]);
    write('- [ ] mine\n');
    expect((await plan()).code).toBe(0);
    write('- [ ] new\n- [ ] its own (P1)\n- [ ] mine (P0)\n  what it wants\n');
    const refused = await asAgent();
    expect([refused.code, refused.stdout]).toEqual([5, '']);
    expect(refused.stderr).toContain('is not on your hook, and you did not make it');
    expect((await beads()).map(({ title, description = '' }) => [title, description]).sort()).toEqual([
      ['its own', ''],
      ['mine', ''],
    ]);
    expect((await town.as('wrong', 'plan', file('night.md'), '--rig', 'shop')).code).toBe(5);
  });
});

describe('bad input is one sentence, and writes nothing:', () => {
  const HUGE = `- [ ] a\n${'x'.repeat(10_000_000)}`;
  test.each<[string, string | Uint8Array, string]>([
    ['10 MB', HUGE, 'has more than 2000000 bytes, the limit of a plan; divide it into several'],
    ['Windows-1252', Buffer.from('- [ ] a\n- [ ] caf\xe9\n', 'latin1'), 'iconv -f WINDOWS-1252 -t UTF-8'],
    ['UTF-16', Buffer.from('\ufeff- [ ] a\n', 'utf16le'), 'iconv -f UTF-16 -t UTF-8'],
    ['UTF-16 without its mark', Buffer.from('- [ ] é\n', 'utf16le'), 'iconv -f UTF-16 -t UTF-8'],
    ['HTML', '<ul>\n<li>[ ] a</li>\n</ul>\n', 'has no task; write one as a line `- [ ] title`'],
    ['nothing', '', 'has no task'],
    [
      'a circle',
      '- [ ] a\n  after: b\n- [ ] b\n  after: a\n',
      'line 1: these wait for each other, so that none can begin: line 1 → line 3 → line 1',
    ],
    ['a title twice', '- [ ] a\r\n- [ ] b\r\n- [ ] a\r\n', 'line 3: "a" is the title of line 1 too'],
    [
      'too many',
      '- [ ] x\n'.replace('x', 'y') + Array.from({ length: 5_000 }, (_, at) => `- [ ] ${at}\n`).join(''),
      'has 5001 tasks, the limit of a plan is 5000',
    ],
  ])('%s', async (_, text, words) => {
    write(text);
    const { code, stdout, stderr } = await plan();
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(words);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(await beads()).toEqual([]);
  });

  test('several mistakes, each with its line', async () => {
    write('- [ ] a\n  after: 8\n- [ ] b (P1)\n  after: 9\n');
    const { code, stderr } = await plan();
    expect(code).toBe(2);
    expect(stderr.split('\n').map((line) => line.replace(file('night.md'), 'F'))).toEqual([
      'town: F line 2: there is no task 8; the plan has 2',
      'town: F line 4: there is no task 9; the plan has 2',
      'town: F has 2 mistakes, and nothing was written; mend them and type it again',
      '',
    ]);
  });

  test('no file, a folder, no rig, a rig that is not there', async () => {
    write(NIGHT);
    const refused = [
      await town.run('plan', file('none.md'), '--rig', 'shop'),
      await town.run('plan', town.home, '--rig', 'shop'),
      await plan('--rig', 'shp'),
      await town.run('plan', file('night.md')),
    ];
    expect(refused.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
    for (const { stderr } of refused.slice(0, 2))
      expect(stderr).toMatch(/^town: "\S+" cannot be read: .*; give a file that is there\n$/);
    expect(refused.map(({ stderr }) => stderr.trim().split('\n').length)).toEqual([1, 1, 1, 1]);
    expect(refused[2]?.stderr).toContain('did you mean shop?');
  });
});

test('a named pipe without a writer is refused, and a pipe of the shell is read', async () => {
  const pipe = file('pipe');
  execFileSync('mkfifo', [pipe]);
  const words = `'${process.execPath}' '${MAIN}' --root '${town.root}' plan --rig shop --dry-run`;
  const typed = (line: string) => spawnSync('bash', ['-c', line], { env: town.env(), encoding: 'utf8' });
  const refused = typed(`${words} '${pipe}'`);
  expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('no regular file but a named pipe')]);
  for (const line of ['<(echo "- [ ] x")', '- <<<"- [ ] x"', '/dev/stdin <<<"- [ ] x"'])
    expect([line, typed(`${words} ${line}`).status]).toEqual([line, 0]);
  expect(typed(`echo '- [ ] x' | ${words} /dev/stdin`).stdout).toContain('1 task');
});

test('a file with the line ends and the mark of Windows is read as any other', async () => {
  write(`\ufeff${NIGHT.replaceAll('\n', '\r\n')}`);
  expect((await plan()).stdout).toContain('2 made');
  write(NIGHT);
  expect((await plan()).stdout).toContain('2 as they were');
});
