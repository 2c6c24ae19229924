/** Tables at the widths of real terminals: nothing is cut inside a word, what matters least is left out first. */
import { expect, test } from 'vitest';
import { hanging, layOut, wrap } from '../../src/terminal/layout.ts';
import { columnsOf } from '../../src/terminal/columns.ts';

const COLUMNS = [
  { head: 'NAME' },
  { head: 'STATE' },
  { head: 'AGE', right: true, drop: 3 },
  { head: 'PID', right: true, drop: 1 },
  { head: 'NOTE' },
];
const ROWS = [
  ['a2', 'running', '3 h', '1234', 'ended with exit code 3; starts again in 21 s'],
  ['会議室-建築者', 'backing off', '2 min', '99', ''],
  ['a-very-long-name-of-a-session-for-a-small-screen', 'heard', '1 d', '7', 'question 3 of 3, 2 min left'],
];
const drawn = (room: number | null): string => layOut(COLUMNS, ROWS, room).flat().join('\n');

test('a pipe gets a line for each row, with every column', () => {
  const lines = drawn(null).split('\n');
  expect(lines).toHaveLength(4);
  expect(lines[1]).toMatch(/^a2 +running +3 h +1234 {2}ended with exit code 3; starts again in 21 s$/);
});

test.each([40, 60, 80, 200])('at %i columns every line fits and every word is whole', (room) => {
  const lines = layOut(COLUMNS, ROWS, room).flat();
  const names = ROWS.map(([name = '']) => name);
  expect(lines.filter((line) => columnsOf(line) > room && !names.includes(line))).toEqual([]);
  const words = new Set(lines.join(' ').split(/\s+/));
  for (const row of ROWS)
    for (const at of [0, 1, 4])
      for (const word of (row[at] ?? '').split(' ').filter(Boolean)) expect(words).toContain(word);
});

test('columns are left out in their order, and a text without room stands below its row', () => {
  expect(drawn(200).split('\n')[0]).toMatch(/^NAME +STATE +AGE +PID {2}NOTE$/);
  expect(drawn(60).split('\n')[0]).toMatch(/^NAME +STATE +AGE {2}NOTE$/);
  expect(drawn(50).split('\n')[0]).toMatch(/^NAME +STATE {2,}NOTE$/);
  expect(drawn(40)).toMatchInlineSnapshot(`
    "NAME           STATE          AGE   PID
    a2             running        3 h  1234
        ended with exit code 3; starts again
        in 21 s
    会議室-建築者  backing off  2 min    99
    a-very-long-name-of-a-session-for-a-small-screen
                   heard          1 d     7
        question 3 of 3, 2 min left"
  `);
});

test('letters that take two columns are counted as two', () => {
  const [, plain = [], wide = []] = layOut(COLUMNS, ROWS, 200);
  const before = (line: string, word: string): number => columnsOf(line.slice(0, line.indexOf(word)));
  expect(before(wide[0] ?? '', 'backing')).toBe(before(plain[0] ?? '', 'running'));
});

test('where nothing can be left out, all goes on below the name', () => {
  const heads = ['ID', 'TARGET', 'STATE', 'WARRANT', 'TEXT'].map((head) => ({ head }));
  const row = ['dog-1790000000000', 'builder', 'interrogating', 'w-1790000000000-00000000', 'it is silent'];
  const lines = layOut(heads, [row], 40).flat();
  expect(lines.filter((line) => columnsOf(line) > 40)).toEqual([]);
  expect(lines.join(' ').split(/\s+/)).toEqual([...heads.map(({ head }) => head), ...row.join(' ').split(' ')]);
  expect(lines).toEqual([
    'ID',
    '    TARGET  STATE  WARRANT  TEXT',
    'dog-1790000000000',
    '    builder  interrogating',
    '    w-1790000000000-00000000  it is',
    '    silent',
  ]);
});

test('a text breaks between words, wide letters between any two, and a longer word stands whole', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap('a https://example.org/a/b b', 10)).toEqual(['a', 'https://example.org/a/b', 'b']);
  expect(wrap('会議室建築者', 5)).toEqual(['会議', '室建', '築者']);
  expect(hanging('  ! high: ', 'one two three four five six', 31)).toEqual([
    '  ! high: one two three four',
    '          five six',
  ]);
});
