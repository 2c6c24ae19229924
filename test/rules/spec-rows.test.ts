/** The check of the table of rules finds what is missing, unknown, doubled or invented. */
import { describe, expect, test } from 'vitest';
import { check, ROWS, rowsOf, type Listed } from '../../scripts/spec-rows.ts';

const LISTED: readonly Listed[] = [{ file: 'test/a.test.ts', name: 'a room > does `a | b`' }];
const tableOf = (rows: readonly string[]) => ['| row | tests |', '| --- | --- |', ...rows].join('\n');
const ITS = 'test/stories/a.txt';
const complete = (first: string) => tableOf([first, ...ROWS.slice(1).map((row) => `| ${row} | ${ITS} |`)]);
const checked = (markdown: string) => check(markdown, LISTED, (path) => path === ITS);

test('a bar in a name is escaped, and tests are divided by line breaks', () => {
  expect(rowsOf(tableOf(['| D-1 | test/a.test.ts: does `a \\| b`<br>test/stories/a.txt |']))).toEqual([
    { row: 'D-1', tests: ['test/a.test.ts: does `a | b`', 'test/stories/a.txt'] },
  ]);
});

describe('the table', () => {
  test.each<[string, string, string[]]>([
    ['that is complete', complete('| D-1 | test/a.test.ts: does `a \\| b`<br>test/stories/a.txt |'), []],
    ['by full name', complete('| D-1 | test/a.test.ts: a room > does `a \\| b` |'), []],
    [
      'with an invented test',
      complete('| D-1 | test/a.test.ts: does |'),
      ['D-1 names a test that is not there: test/a.test.ts: does'],
    ],
    [
      'with an invented story',
      complete('| D-1 | test/stories/b.txt |'),
      ['D-1 names a test that is not there: test/stories/b.txt'],
    ],
    ['with an empty cell', complete('| D-1 | |'), ['D-1 names a test that is not there: (nothing)']],
    ['with a rule that no test holds', complete('| D-1 | — |'), ['D-1 names a test that is not there: —']],
    ['with a row twice', complete(`| D-1 | ${ITS} |\n| D-1 | ${ITS} |`), ['D-1 has two rows']],
    [
      'with an unknown row',
      complete(`| D-1 | ${ITS} |\n| D-99 | ${ITS} |`),
      ['"D-99" is no rule that this table is about'],
    ],
    ['without a row', complete(''), ['D-1 has no row: add one with its tests']],
  ])('%s', (_, markdown, wrong) => {
    expect(checked(markdown)).toEqual(wrong);
  });
});
