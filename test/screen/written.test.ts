/** What is news on a screen, and what only moves in its place (M-3). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readRecorded, UNKNOWN_PICTURE } from '../../src/screen/picture.ts';
import { Packs } from '../../src/screen/packs.ts';
import { readScreen } from '../../src/screen/read.ts';
import type { Picture } from '../../src/screen/screen.ts';
import { errorIn, hasNews, writtenOn, type Written } from '../../src/screen/written.ts';

const packs = new Packs();
const generic = packs.named('generic');
const written = (
  rows: readonly string[],
  place = rows.length,
  name = 'generic',
  more: Partial<Picture> = {},
): Written => {
  const pack = packs.named(name);
  const picture = { ...UNKNOWN_PICTURE, rows, ...more };
  return writtenOn(pack, picture, readScreen(pack, picture), place);
};

describe('of a program that writes line by line', () => {
  const rows: readonly (readonly [what: string, before: string[], now: string[], isNews: boolean])[] = [
    ['nothing', ['a'], ['a'], false],
    ['a new line', ['a'], ['a', 'b'], true],
    ['a new line like the one before but for its number', ['file 41'], ['file 41', 'file 42'], true],
    ['a counter that goes on in its place', ['file 41 of 100'], ['file 42 of 100'], false],
    ['a spinner', ['| building'], ['/ building'], false],
    ['a bar', ['[##   ] 40%'], ['[###  ] 60%'], false],
    ['a clock', ['12:00:01 waiting'], ['12:00:02 waiting'], false],
    ['other words in their place', ['fetching a'], ['building a'], true],
    ['blank lines', ['a'], ['a', '', ''], true],
  ];
  // Rules: M-3.
  test.each(rows)('%s', (_, before, now, isNews) => {
    expect(hasNews(written(before), written(now))).toBe(isNews);
  });
});

describe('of a program that draws', () => {
  const drawn = (rows: string[]): Written => written(rows, 0, 'generic', { alternate: true });
  // Rules: M-3.
  test('lines that scroll below a line that stays are news', () => {
    const from = (first: number) =>
      drawn(['the prompt', `line ${first}`, `line ${first + 1}`, `line ${first + 2}`, `line ${first + 3}`]);
    expect(hasNews(from(1), from(3))).toBe(true);
    expect(hasNews(from(1), from(1))).toBe(false);
  });

  test('lines that scroll are news, though each is like the last but for its number', () => {
    expect(
      hasNews(drawn(['file 1', 'file 2', 'file 3', 'file 4']), drawn(['file 2', 'file 3', 'file 4', 'file 5'])),
    ).toBe(true);
  });
  // Rules: M-3.
  test('numbers that go on in each place are none', () => {
    expect(hasNews(drawn(['cpu 1', 'memory 2', 'disk 3']), drawn(['cpu 2', 'memory 2', 'disk 4']))).toBe(false);
  });
});

const FOLDER = join(import.meta.dirname, 'recorded');
const screens = readdirSync(FOLDER).flatMap((name) =>
  readdirSync(join(FOLDER, name)).map((file) => [name, file] as const),
);
const pictureOf = (name: string, file: string): Picture =>
  readRecorded(readFileSync(join(FOLDER, name, file), 'utf8')).picture;
/** As it stands later: clocks, counters and spinners have gone on, not each by one, which numbered lines that scroll do too. */
const later = ({ rows, ...picture }: Picture): Picture => ({
  ...picture,
  rows: rows.map((row) =>
    // Colours are numbers too.
    row.replaceAll(/\u001b\[[0-?]*[ -/]*[@-~]|\d|[⠋⠙⠹✶✢✽✻]/gu, (sign) => {
      if (sign.startsWith('\u001b')) return sign;
      return /\d/.test(sign) ? String(9 - Number(sign)) : sign < '✀' && sign >= '⠀' ? '⠙' : '✽';
    }),
  ),
});
const writtenIn = (name: string, picture: Picture): Written =>
  writtenOn(packs.named(name), picture, readScreen(packs.named(name), picture), 0);

// Rules: M-3.
test.each(screens.filter(([name]) => packs.names().includes(name)))(
  '%s %s: numbers and spinners are no news',
  (name, file) => {
    const picture = pictureOf(name, file);
    const [before, now] = [writtenIn(name, picture), writtenIn(name, later(picture))];
    expect(hasNews(before, now)).toBe(false);
    const rows = picture.rows.map((row, at) => (at === 0 ? 'A word that was not there' : row));
    if (before.lines.length > 0) expect(hasNews(before, writtenIn(name, { ...picture, rows }))).toBe(true);
  },
);

// Rules: M-3.
test('what scrolls beside a sidebar is news', () => {
  const picture = pictureOf('opencode', 'streaming-200x50.txt');
  const before = writtenIn('opencode', picture);
  expect(before.lines.join('\n')).toContain('Line ');
  expect(before.lines.join('\n')).not.toContain('Context');
  const top = picture.rows.findIndex((row) => /Line \d/.test(row));
  // Each line goes up by one, and the sidebar stays.
  const lines = picture.rows.map((row) => /Line \d+[^.]*\./.exec(row)?.[0]);
  const rows = picture.rows.map((row, at) => {
    const [own, next] = [lines[at], lines.slice(Math.max(top, at) + 1).find((line) => line !== undefined)];
    return own === undefined
      ? row
      : row.replace(own, next ?? own.replace(/\d+/, (number) => String(Number(number) + 1)));
  });
  expect(hasNews(before, writtenIn('opencode', { ...picture, rows }))).toBe(true);
});

describe('a line that is an error', () => {
  // Rules: M-3.
  test.each([
    "Error: Cannot find module 'foo'",
    'npm ERR! code ELIFECYCLE',
    'error[E0382]: borrow of moved value',
    'Build failed with exit code 1',
    'Traceback (most recent call last):',
    'ValueError: no such key',
    'make: *** [all] Error 2 -- command exited with code 2',
    'fatal: not a git repository',
    'panic: runtime error: index out of range',
  ])('%s', (line) => {
    expect(errorIn(generic, ['ok', line, 'more'])).toBe(line);
  });
  // Rules: M-3.
  test.each([
    '0 errors, 3 warnings',
    'compiled without errors',
    'Retrying: request failed with status 503',
    'the build fails if a test failed',
    'error handling is in src/error.ts',
    'ErrorBoundary.tsx compiled',
    'exited with code 0',
    'expected error: no such file (ok)',
  ])('not: %s', (line) => {
    expect(errorIn(generic, ['ok', line, 'more'])).toBeNull();
  });
  // Rules: M-3.
  test('counts among the last twenty lines', () => {
    const later = (count: number): string[] => ['Error: no', ...Array.from({ length: count }, (_, at) => `line ${at}`)];
    expect(errorIn(generic, later(19))).toBe('Error: no');
    expect(errorIn(generic, later(20))).toBeNull();
  });
});
