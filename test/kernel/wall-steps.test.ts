/** Ages of stored wall times over steps of the clock: none is older than what really passed since. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ageBy, lookedAgain, type WallSteps } from '../../machines/kernel/wall-steps.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const WALL = Date.parse('2026-01-01T00:00:00Z');
const POLICY = { stepMs: 60_000, maxStretches: 50 };
const LOOK_MS = 30_000;

const moment = fc.record({
  passes: fc.integer({ min: 1, max: 20 }).map((looks) => looks * LOOK_MS),
  step: fc.oneof(fc.constant(0), fc.integer({ min: -10 * DAY, max: 10 * DAY })),
});

/** Plays it, with a look each half minute; at each moment a wall time is stored. */
function played(moments: readonly { readonly passes: number; readonly step: number }[]) {
  let [mono, ahead] = [1_000, WALL];
  let steps: WallSteps | null = null;
  const stored: { readonly wall: number; readonly mono: number }[] = [];
  const ages: { readonly age: number; readonly passed: number }[] = [];
  for (const { passes, step } of moments) {
    ahead += step;
    for (let left = passes; left > 0; left -= LOOK_MS) {
      steps = lookedAgain(steps, { at: mono, wall: mono + ahead }, POLICY);
      for (const one of stored) ages.push({ age: ageBy(steps, one.wall, mono + ahead), passed: mono - one.mono });
      stored.push({ wall: mono + ahead, mono });
      mono += LOOK_MS;
    }
  }
  return ages;
}

// Rules: D-15.
test('property: over any steps, no age is more than what passed', () => {
  fc.assert(
    fc.property(fc.array(moment, { minLength: 1, maxLength: 6 }), (moments) => {
      // A smaller step is none: it is known only to a minute, each.
      const slack = POLICY.stepMs * moments.length;
      expect(played(moments).filter(({ age, passed }) => age > passed + slack)).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test.each([
  ['no step', 0],
  ['ten days forward', 10 * DAY],
  ['ten days back', -10 * DAY],
])('%s: what was stored an hour ago is an hour old', (_, step) => {
  const before = lookedAgain(null, { at: 0, wall: WALL }, POLICY);
  const after = lookedAgain(before, { at: HOUR, wall: WALL + HOUR + step }, POLICY);
  expect(ageBy(after, WALL, WALL + HOUR + step)).toBe(HOUR);
  const later = WALL + 2 * HOUR + step;
  expect(ageBy(after, WALL + HOUR + step, later)).toBe(HOUR);
  expect(ageBy(after, WALL - HOUR, later)).toBe(3 * HOUR);
});

test('a machine that was off for a night has slept that night; its next step counts as before', () => {
  const before = lookedAgain(null, { at: 9 * HOUR, wall: WALL }, POLICY);
  const booted = lookedAgain(before, { at: 1_000, wall: WALL + 8 * HOUR }, POLICY);
  expect(ageBy(booted, WALL, WALL + 8 * HOUR)).toBe(8 * HOUR);
  const set = lookedAgain(booted, { at: 1_000 + HOUR, wall: WALL + 9 * HOUR + 10 * DAY }, POLICY);
  expect(ageBy(set, WALL, WALL + 9 * HOUR + 10 * DAY)).toBe(9 * HOUR);
});
