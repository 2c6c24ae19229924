/** The check of the tables of rules finds what is missing, unknown, doubled or invented; words have one meaning everywhere. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { check, citedIn, idsIn, ROWS, rowsOf, type Cited, type Listed } from '../../scripts/spec-rows.ts';
import { GLOSSARY } from '../../src/cli/tree/glossary.ts';
import { plant, ROOT } from './planted.ts';

const LISTED: readonly Listed[] = [{ file: 'test/a.test.ts', name: 'a room > does `a | b`' }];
const tableOf = (rows: readonly string[]) => ['| row | rule | tests |', '| --- | --- | --- |', ...rows].join('\n');
const ITS = 'test/stories/a.txt';
const rest = ROWS.slice(1).map((row) => `| ${row} | What it says. | ${ITS} |`);
/** Two tables, as the file has several. */
const complete = (first: string) => `${tableOf([first])}\n\n## More\n\n${tableOf(rest)}`;
const checked = (markdown: string, cited: readonly Cited[] = []) =>
  check(markdown, { listed: LISTED, exists: (path) => path === ITS, cited });

test('a bar in a name is escaped, and tests are divided by line breaks', () => {
  expect(rowsOf(tableOf(['| D-1 | It asks. | test/a.test.ts: does `a \\| b`<br>test/stories/a.txt |']))).toEqual([
    { row: 'D-1', rule: 'It asks.', tests: ['test/a.test.ts: does `a | b`', 'test/stories/a.txt'] },
  ]);
});

describe('the table', () => {
  test.each<[string, string, string[]]>([
    ['that is complete', complete('| D-1 | It asks. | test/a.test.ts: does `a \\| b`<br>test/stories/a.txt |'), []],
    ['by full name', complete('| D-1 | It asks. | test/a.test.ts: a room > does `a \\| b` |'), []],
    [
      'with an invented test',
      complete('| D-1 | It asks. | test/a.test.ts: does |'),
      ['D-1 names a test that is not there: test/a.test.ts: does'],
    ],
    [
      'with an invented story',
      complete('| D-1 | It asks. | test/stories/b.txt |'),
      ['D-1 names a test that is not there: test/stories/b.txt'],
    ],
    ['with an empty cell', complete('| D-1 | It asks. | |'), ['D-1 names a test that is not there: (nothing)']],
    ['with a rule that no test holds', complete('| D-1 | It asks. | — |'), ['D-1 names a test that is not there: —']],
    ['without a sentence', complete(`| D-1 | | ${ITS} |`), ['D-1 has no sentence']],
    ['with a row twice', complete(`| D-1 | It asks. | ${ITS} |\n| D-1 | It asks. | ${ITS} |`), ['D-1 has two rows']],
    [
      'with an unknown row',
      complete(`| D-1 | It asks. | ${ITS} |\n| D-99 | It asks. | ${ITS} |`),
      ['"D-99" is no rule that is built or cited'],
    ],
    ['without a row', complete(''), ['D-1 has no row: add one with its tests']],
  ])('%s', (_, markdown, wrong) => {
    expect(checked(markdown)).toEqual(wrong);
  });

  test('has a row for what the code cites, also of what is built in part', () => {
    const whole = complete(`| D-1 | It asks. | ${ITS} |`);
    const cited = [...ROWS, 'P-16'].map((id) => ({ id, path: 'src/a.ts' }));
    expect(checked(whole, cited)).toEqual(['src/a.ts cites P-16, which has no row']);
    expect(checked(`${whole}\n| P-16 | It ends. | ${ITS} |`, cited)).toEqual([]);
  });
});

describe('a rule that is cited', () => {
  const copy = plant({
    'machines/a.ts': '/** Law 6, and D-3; also (law 4, C-7). UTF-8 is none. */',
    'src/deep/b.toml': '# P-99',
    'test/c.ts': '// D-98',
  });

  test('is found in every file of the product, once', () => {
    const paths = citedIn(copy).map(({ id, path }) => `${id} ${path}`);
    expect(paths).toEqual([
      ...['law 6', 'D-3', 'law 4', 'C-7'].map((id) => `${id} machines/a.ts`),
      'P-99 src/deep/b.toml',
    ]);
  });

  test('is one of the list', () => {
    const rows = rowsOf(readFileSync(join(ROOT, 'RULES.md'), 'utf8')).map(({ row }) => row);
    expect(citedIn(ROOT).filter(({ id }) => !rows.includes(id))).toEqual([]);
    expect(idsIn(rows.join(' '))).toEqual(rows);
  });
});

test('a word that the help explains has the same meaning among the words of the rules', () => {
  const rules = readFileSync(join(ROOT, 'RULES.md'), 'utf8');
  const words = new Map([...rules.matchAll(/^- \*\*(.+?)\*\*: (.+)$/gm)].map(([, word, means]) => [word, means]));
  for (const { word, means } of GLOSSARY) expect([word, words.get(word)]).toEqual([word, means]);
  expect(words.size).toBeGreaterThan(GLOSSARY.length);
});
