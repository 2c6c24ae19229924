/** The common beat: who looks every so often looks when the others do. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextBeat } from '../../machines/kernel/schedule.ts';

const instant = fc.double({ min: 0, max: 1e9, noNaN: true });
const every = fc.integer({ min: 50, max: 3_600_000 });

test('is later than now, by one interval at most', () => {
  fc.assert(
    fc.property(instant, every, (now, ms) => {
      const beat = nextBeat(now, ms);
      expect(beat).toBeGreaterThan(now);
      expect(beat - now).toBeLessThanOrEqual(ms);
    }),
  );
});

test('those that begin at different times all meet at the same moments', () => {
  fc.assert(
    fc.property(instant, instant, every, (one, other, ms) => {
      const [earlier, later] = [Math.min(one, other), Math.max(one, other)];
      let beat = nextBeat(earlier, ms);
      if (beat <= later) beat = nextBeat(beat + Math.floor((later - beat) / ms) * ms, ms);
      expect(beat).toBe(nextBeat(later, ms));
    }),
  );
});
