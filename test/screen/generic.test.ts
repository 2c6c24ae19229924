/** A program that no pack knows, and menus by their shape: in doubt it is a dialog or a draft. */
import { describe, expect, test } from 'vitest';
import { menuAt } from '../../src/screen/menu.ts';
import { Packs } from '../../src/screen/packs.ts';
import { UNKNOWN_PICTURE } from '../../src/screen/picture.ts';
import { readScreen } from '../../src/screen/read.ts';
import type { Picture, Screen } from '../../src/screen/screen.ts';
import { OBSTACLES } from './obstacles.ts';

const generic = new Packs().named('generic');
const read = (text: string, more: Partial<Picture> = {}): Screen =>
  readScreen(generic, { ...UNKNOWN_PICTURE, rows: text.split('\n'), ...more });

/** With the cursor behind the last letter. */
const atEnd = (row: string): Screen => read(row, { cursor: { x: row.length, y: 0 }, alternate: false });

test.each(Object.entries(OBSTACLES))('%s is not typed into', (_name, [state, text]) => {
  const screen = read(text);
  expect(screen.state).toBe(state);
  expect(screen.mayType).toBe(false);
});

describe('what stands before the cursor', () => {
  test.each(['> ', '(Pdb) ', 'In [3]: ', 'sqlite> '])('%j is a prompt', (row) => {
    expect(atEnd(row).mayType).toBe(true);
  });

  test.each(['boss@town:~/rig$ ', 'host % ', '# ', '$ '])('%j is the prompt of a shell', (row) => {
    expect(atEnd(row)).toMatchObject({ rule: 'generic/shell', mayType: false });
  });

  test.each(['Delete? y = yes', 'Deploy to production? ', 'Overwrite [y/N] '])('%j in the row above waits', (row) => {
    expect(read(`${row}\n`, { cursor: { x: 0, y: 1 }, alternate: false }).mayType).toBe(false);
  });

  test.each(['> do not', '> do not delete it.', '> is it done?', '$ make >', '> a > b >', 'name: x)', 'progress 97%'])(
    '%j is a draft, or may be one',
    (row) => {
      expect(atEnd(row)).toMatchObject({ state: 'draft', mayType: false });
    },
  );
});

test.each([
  ['an empty screen', ''],
  ['a list whose row is inverse', 'Proceed\n\u001b[7m Yes \u001b[27m\n No\n'],
  ['a list whose row has a colour', 'Proceed\n\u001b[36mDelete everything\u001b[39m\nKeep it\n'],
  ['a list whose row has a star', 'Model\n  opus\n* sonnet\n  haiku\n'],
])('%s with the cursor on an empty row is typed into only where the terminal gathers lines', (_, text) => {
  const cursor = { x: 0, y: text.split('\n').length - 1 };
  for (const lineMode of [false, null]) expect(read(text, { lineMode, cursor, alternate: false }).mayType).toBe(false);
});

test('a terminal that gathers lines takes text, the alternate screen of an unknown program does not', () => {
  expect(read('compiled module 4\n', { lineMode: true, cursor: { x: 0, y: 1 } }).mayType).toBe(true);
  expect(read('compiled module 4\n> ', { lineMode: true, cursor: { x: 2, y: 1 } }).mayType).toBe(true);
  expect(read('> ', { alternate: true }).mayType).toBe(false);
});

const CHOICES = [
  'Allow?\n❯ Yes\n  No',
  '❯ Postgres\n  SQLite\n  MySQL',
  '? How shall it go on?  (Use arrow keys)\n » Allow once\n   Always\n   Never',
  '? Pick one:  [Use arrows to move, type to filter]\n> red\n  blue',
  'Pick one:\n  a\n> b\n  c\n\nsome status\nand some more',
  'Which?\n◯ lint\n◉ test',
  '[ ] lint\n[x] test\n\n',
];
test.each(CHOICES.flatMap((text) => [true, false].map((lineMode) => ({ text, lineMode }))))(
  'a list that may wait for a choice is not typed into: $text (line mode: $lineMode)',
  ({ text, lineMode }) => {
    const rows = text.split('\n');
    for (const y of rows.keys())
      for (const x of [0, 2, 3])
        expect(read(text, { lineMode, cursor: { x, y }, alternate: false }).mayType).toBe(false);
  },
);

test.each([
  'do not delete the',
  'Delete all files? ',
  'Type yes to continue: ',
  'Select [1-3]: ',
  'Apply? y/n ',
  'OTP: ',
])('a terminal that gathers lines takes no text behind %j', (row) => {
  expect(read(row, { lineMode: true, cursor: { x: row.length, y: 0 } }).mayType).toBe(false);
});

test('words behind the cursor are no empty prompt', () => {
  expect(read(' » Allow once', { cursor: { x: 3, y: 0 }, alternate: false }).mayType).toBe(false);
});

test('a percentage is no prompt', () => {
  expect(read('23:14  agent (thinking)   context: 5.0%').state).toBe('unknown');
});

describe('menus', () => {
  const keysOf = (text: string): string[] =>
    menuAt(text.split('\n'))?.options.map(({ keys, chosen }) => `${keys.join(' ')}${chosen ? '*' : ''}`) ?? [];

  test('plain options below and above the pointer', () => {
    expect(keysOf('Which one?\n   Alpha\n ❯ Beta\n   Gamma\n\n ↑/↓ to navigate · enter to select')).toEqual([
      'Up Enter',
      'Enter*',
      'Down Enter',
    ]);
  });

  test('an answer below what a person asked is no list of options', () => {
    expect(menuAt(['❯ fix the tests', '  They pass now.', '  Nothing is left.'])).toBeNull();
    expect(menuAt(['❯ fix the tests', '  They pass now.', '', '  esc to interrupt'])).toBeNull();
    expect(menuAt(['> fix the tests', '> and the docs', '> and the rest', '  Waiting for the model'])).toBeNull();
  });

  test('round buttons', () => {
    expect(keysOf('Run it?\n1 (○) Yes\n2 (●) No')).toEqual(['1', '2*']);
  });
});
