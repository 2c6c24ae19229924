/** What a reader can see of a text. */
import { expect, test } from 'vitest';
import { saysNothing } from '../../machines/kernel/shell-safe-text.ts';

test.each([
  '',
  ' \t\n',
  '\u00a0\u2003\u3000',
  '\u200b\u200c\u200d\u2060\ufeff',
  '\u202e\u2066\u061c',
  '\u0301\u0300',
  '\u0007\u009b',
])('%j says nothing', (text) => expect(saysNothing(text)).toBe(true));
test.each(['\u00ad\u034f\ufe0f', '\u115f\u3164\uffa0', '\u2800', '\ud800'])('%j says nothing either', (text) =>
  expect(saysNothing(text)).toBe(true),
);
test.each(['x', '.', '\u200bé', 'e\u0301', '家', '👩‍👩‍👧', '?!', '\u0e01'])('%j says something', (text) =>
  expect(saysNothing(text)).toBe(false),
);
