/** Durations as a person reads them: whole units, two at most, and never a fraction of an hour. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sizeText, span } from '../../machines/kernel/span.ts';

const HOUR = 3_600_000;

test.each([
  [0, '0 ms'],
  [464, '464 ms'],
  [2_300, '2.3 s'],
  [59_999, '60 s'],
  [60_000, '1 min'],
  [HOUR / 60, '1 min'],
  [200_000, '3 min 20 s'],
  [1.5 * HOUR, '1 h 30 min'],
  [0.016666 * HOUR, '60 s'],
  [51 * HOUR, '2 d 3 h'],
  [NaN, 'unknown time'],
])('%d ms is %s', (ms, text) => {
  expect(span(ms)).toBe(text);
});

test('property: no duration has more than one digit behind the point, and none of a minute or more has any', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 400 * 24 * HOUR, noNaN: true }), (ms) => {
      expect(span(ms)).toMatch(ms < 60_000 ? /^\d+(?:\.\d)? m?s$/ : /^\d+ (?:min|h|d)(?: \d+ (?:s|min|h))?$/);
    }),
  );
});

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1_400_000, '1.4 MB'],
  [999_600, '1.0 MB'],
  [9_960_000, '10 MB'],
  [12_300_000_000, '12 GB'],
])('%i bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
