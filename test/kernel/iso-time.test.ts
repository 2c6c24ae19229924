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
