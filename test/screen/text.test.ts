import { describe, expect, test } from 'vitest';
import { secondsIn } from '../../src/screen/region.ts';
import { spansOf, withoutGhost } from '../../src/screen/spans.ts';
import { alphanumerics, lettersOf, normalise, plain, tailOf, stripDecoration } from '../../src/screen/text.ts';

describe('M-3: the fingerprint of a row', () => {
  // Rules: M-3.
  test.each([
    ['\u001b[31m12:03:05 up\u001b[0m', '09:59:59 up'],
    ['⠋ Loading 12%', '⠹ Loading 97%'],
    ['| 3 files', '/ 4 files'],
    ['✽ Pondering… (12s · ↓ 1.2k tokens)', '✶ Pondering… (72s · ↓ 9.9k tokens)'],
    ['[###>      ] 30%', '[########> ] 80%'],
    ['│ 5 of 9 │', '5 of 9'],
  ])('%j and %j are one', (a, b) => {
    expect(normalise(a)).toBe(normalise(b));
    expect(normalise(a)).not.toBe('');
  });

  // Rules: M-3.
  test.each([
    ['compiled parser.ts', 'compiled lexer.ts'],
    ['日本語', '日本'],
    ['a/b', 'a b'],
  ])('%j and %j are two', (a, b) => expect(normalise(a)).not.toBe(normalise(b)));

  test.each(['────────', '│      │', '⠋', '|', '  ', '[=====   ]'])('%j is nothing', (row) =>
    expect(normalise(row)).toBe(''),
  );
});

test('colour, titles and control characters are no text', () => {
  expect(plain('\u001b[1;38;5;174mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007\u009b')).toBe('red link');
});

test('a suggestion is no text, a cursor over typed text is', () => {
  const shown = (row: string): string => withoutGhost(spansOf([row])[0] ?? []);
  expect(shown('❯ \u001b[7mT\u001b[27m\u001b[2mry this\u001b[22m')).toBe('❯ ');
  expect(shown('❯ typed\u001b[7m \u001b[27m')).toBe('❯ typed ');
  expect(shown('❯ \u001b[7mt\u001b[27myped')).toBe('❯ typed');
  expect(shown('\u001b[38;5;2mgreen\u001b[0m')).toBe('green');
});

test('letters, digits and decoration', () => {
  expect(lettersOf('│ 请检查 K7-\u00a03F · ñ │')).toBe('请检查K73Fñ');
  expect(alphanumerics('│ K7-\u00a03F · ñ │')).toBe('K73F');
  expect(['│ ⏺ **ALIVE** │', '> ALIVE.', 'ALIVE?'].map(stripDecoration)).toEqual(['ALIVE', 'ALIVE', 'ALIVE?']);
});

test('the tail is the last rows with words', () => {
  expect(tailOf(['a', '', 'b  ', '\u001b[0m', 'c', ''], 2)).toBe('b\nc');
});

test.each([
  ['(12s · esc)', 12],
  ['1m 42s', 102],
  ['2h 3m 4s', 7_384],
  ['1.2s', null],
  ['12 seconds, v2s1', null],
  ['', null],
])('the clock in %j', (text, seconds) => expect(secondsIn(text)).toBe(seconds));
