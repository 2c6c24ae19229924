/** All that look every so often look at the same moments. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextMultiple } from '../../machines/kernel/schedule.ts';

const instant = fc.double({ min: 0, max: 1e9, noNaN: true });
const every = fc.integer({ min: 50, max: 3_600_000 });

test('is later than now, by one interval at most', () => {
  fc.assert(
    fc.property(instant, every, (now, ms) => {
      const next = nextMultiple(now, ms);
      expect(next).toBeGreaterThan(now);
      expect(next - now).toBeLessThanOrEqual(ms);
    }),
  );
});

test('those that begin at different times all meet at the same moments', () => {
  fc.assert(
    fc.property(instant, instant, every, (one, other, ms) => {
      const [earlier, later] = [Math.min(one, other), Math.max(one, other)];
      let next = nextMultiple(earlier, ms);
      if (next <= later) next = nextMultiple(next + Math.floor((later - next) / ms) * ms, ms);
      expect(next).toBe(nextMultiple(later, ms));
    }),
  );
});
