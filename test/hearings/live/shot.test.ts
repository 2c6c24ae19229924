import { expect, test } from 'vitest';
import { join } from '../../../src/hearings/capture.ts';

const texts = (rows: readonly string[], joined: readonly string[]): [number, string][] =>
  join(rows, joined, 10).map(({ row, text }) => [row, text]);

test('rows that tmux wrapped are one line, numbered by the first', () => {
  expect(texts(['one', '0123456789', '01234', '', 'end'], ['one', '012345678901234', '', 'end'])).toEqual([
    [0, 'one'],
    [1, '012345678901234'],
    [3, ''],
    [4, 'end'],
  ]);
});

test('a row that is not full was drawn over: the old wrap joins nothing', () => {
  expect(texts(['dash)', 'ALIVE'], ['dash)ALIVE'])).toEqual([
    [0, 'dash)'],
    [1, 'ALIVE'],
  ]);
  expect(texts(['dash)     ', 'ALIVE'], ['dash)     ALIVE'])).toEqual([
    [0, 'dash)'],
    [1, 'ALIVE'],
  ]);
});

test('wide letters fill two columns, and may leave the last one free', () => {
  expect(texts(['a日本語です', 'x'], ['a日本語ですx'])).toEqual([[0, 'a日本語ですx']]);
  expect(texts(['日本語で ', 'x'], ['日本語で x'])).toEqual([[0, '日本語で x']]);
});

test('a blank row behind a full one, and pictures that do not fit', () => {
  expect(texts(['0123456789', '   ', 'b'], ['0123456789', 'b'])).toEqual([
    [0, '0123456789'],
    [1, ''],
    [2, 'b'],
  ]);
  expect(texts(['a', 'b'], ['x'])).toEqual([
    [0, 'a'],
    [1, 'b'],
  ]);
});
