/** The check of the rules finds what is missing, unknown, doubled or invented; words have one meaning everywhere. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  check,
  citedIn,
  idsIn,
  mapOf,
  ROWS,
  rowsOf,
  shownIn,
  storyShown,
  type Cited,
  type Shown,
} from '../../scripts/rules.ts';
import { GLOSSARY } from '../../src/cli/tree/glossary.ts';
import { plant, ROOT } from './planted.ts';

const tableOf = (rows: readonly string[]) => ['| row | rule |', '| --- | --- |', ...rows].join('\n');
const rest = ROWS.slice(1).map((row) => `| ${row} | What it says. |`);
/** Two tables, as the file has several. */
const complete = (first: string) => `${tableOf([first])}\n\n## More\n\n${tableOf(rest)}`;
const SHOWN: Shown = { path: 'test/a.test.ts', line: 2, name: 'asks', ids: ROWS };
const checked = (markdown: string, cited: readonly Cited[] = [], shown: readonly Shown[] = [SHOWN]) =>
  check(markdown, { shown, cited });

test('a bar in a rule is escaped', () => {
  expect(rowsOf(tableOf(['| D-1 | It asks `a \\| b`. |']))).toEqual([{ row: 'D-1', rule: 'It asks `a | b`.' }]);
});

describe('the table', () => {
  test.each<[string, string, string[]]>([
    ['that is complete', complete('| D-1 | It asks. |'), []],
    ['without a sentence', complete('| D-1 | |'), ['D-1 has no sentence']],
    ['with a row twice', complete('| D-1 | It asks. |\n| D-1 | It asks. |'), ['D-1 has two rows']],
    [
      'with an unknown row',
      complete('| D-1 | It asks. |\n| D-99 | It asks. |'),
      ['"D-99" is no rule that is built or cited', 'D-99 has no test: cite it above one'],
    ],
    [
      'without a row',
      complete(''),
      ['D-1 has no row: add one to RULES.md', 'test/a.test.ts:2 cites D-1, which has no row'],
    ],
  ])('%s', (_, markdown, wrong) => {
    expect(checked(markdown)).toEqual(wrong);
  });

  test('has a row for what the code cites, also of what is built in part', () => {
    const whole = complete('| D-1 | It asks. |');
    const cited = [...ROWS, 'P-16'].map((id) => ({ id, path: 'src/a.ts' }));
    const shown: Shown = { ...SHOWN, ids: [...ROWS, 'P-16'] };
    expect(checked(whole, cited)).toEqual(['src/a.ts cites P-16, which has no row']);
    expect(checked(`${whole}\n| P-16 | It ends. |`, cited, [shown])).toEqual([]);
  });

  test.each<[string, Shown[], string[]]>([
    ['by a test', [SHOWN], []],
    ['by no test', [{ ...SHOWN, ids: ROWS.slice(1) }], ['D-1 has no test: cite it above one']],
    [
      'above what is no test',
      [SHOWN, { path: 'test/b.ts', line: 9, name: null, ids: ['D-1'] }],
      ['test/b.ts:9 is no test, but the line above it cites D-1'],
    ],
    ['by a line without a rule', [SHOWN, { ...SHOWN, ids: [] }], ['test/a.test.ts:2 cites no rule']],
    ['under an invented id', [{ ...SHOWN, ids: [...ROWS, 'D-98'] }], ['test/a.test.ts:2 cites D-98, which has no row']],
  ])('holds a rule that is shown %s', (_, shown, wrong) => {
    expect(checked(complete('| D-1 | It asks. |'), [], shown)).toEqual(wrong);
  });
});

describe('a citation', () => {
  test('stands directly above a test or a group of tests', () => {
    const text = [
      '// Rules: D-1, law 2.',
      "describe.each(['a'])('a room %s', () => {",
      '  // Rules: D-3.',
      '  test(`it ${asks}`, () => {',
      '    // Rules: D-4.',
      '    expect(1).toBe(1);',
      '  });',
      '});',
    ].join('\n');
    expect(shownIn('test/a.test.ts', text)).toEqual([
      { path: 'test/a.test.ts', line: 2, name: 'a room %s', ids: ['D-1', 'law 2'] },
      { path: 'test/a.test.ts', line: 4, name: '`it ${asks}`', ids: ['D-3'] },
      { path: 'test/a.test.ts', line: 6, name: null, ids: ['D-4'] },
    ]);
  });

  test('of a story is its second line', () => {
    expect(storyShown('test/stories/a.txt', '# It asks.\n# Rules: D-1.\n\nTime passes.')).toEqual([
      { path: 'test/stories/a.txt', line: 2, name: 'It asks.', ids: ['D-1'] },
    ]);
    expect(storyShown('test/stories/a.txt', '# It asks.\n\nTime passes.')).toEqual([]);
  });

  test('is printed below its rule', () => {
    expect(mapOf([{ row: 'D-1', rule: 'It asks.' }], [SHOWN])).toBe('D-1\n  test/a.test.ts:2  asks');
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

test('a word that the help explains has the same meaning on the page of words', () => {
  const page = readFileSync(join(ROOT, 'docs/words.md'), 'utf8');
  const words = new Map([...page.matchAll(/^- \*\*(.+?)\*\*: (.+)$/gm)].map(([, word, means]) => [word, means]));
  for (const { word, means } of GLOSSARY) expect([word, words.get(word)]).toEqual([word, means]);
  expect(words.size).toBeGreaterThan(GLOSSARY.length);
});
