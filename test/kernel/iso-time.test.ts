/** A machine's own way to write a time says what `Date` says. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isoOf } from '../../machines/kernel/iso-time.ts';

// Rules: M-5.
test('a time is written as everywhere else', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Date.UTC(2400, 0) }), (wall) => {
      expect(isoOf(wall)).toBe(new Date(wall).toISOString());
    }),
  );
});

test('leap days and turns of the year are those of the calendar', () => {
  const day = 86_400_000;
  const days = ['1970-01-01', '2000-02-29', '2024-02-29', '2024-03-01', '2026-12-31', '2100-02-28', '2100-03-01'];
  const instants = days.map((text) => Date.parse(text)).flatMap((at) => [at, at + day - 1, at + 12_345_678]);
  for (const at of instants) expect(isoOf(at)).toBe(new Date(at).toISOString());
});
