/** Steps of the wall clock on the disk, and the age of a stored time within a round of a patrol. */
import { expect, test } from 'vitest';
import { age, byKnownSteps, withSteps } from '../../src/ports/age.ts';
import { noteSteps } from '../../state/process/wall-steps.ts';
import { FILES } from '../../state/files/layout.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { SimDisk } from '../world/disk.ts';

const WALL = 1_700_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 86_400_000;

function world() {
  const disk = new SimDisk({ wall: () => WALL }).mount();
  const quarantine = new Quarantine({ disk, wall: () => WALL, onRefused: () => undefined });
  return { disk, quarantine, note: () => undefined };
}

// Rules: D-15.
test('a step outlives the process that saw it; a round of another one counts by it, and nothing outside does', async () => {
  const options = world();
  await noteSteps(options, { at: 0, wall: WALL });
  await noteSteps(options, { at: MINUTE, wall: WALL + MINUTE + 10 * DAY });
  const later = { at: 2 * MINUTE, wall: WALL + 2 * MINUTE + 10 * DAY };
  expect(await withSteps(options, later, () => Promise.resolve(age(WALL, later.wall)))).toBe(2 * MINUTE);
  expect(age(WALL, later.wall)).toBe(2 * MINUTE + 10 * DAY);
});

test.each([
  ['for good', [-10 * DAY]],
  ['and forward by less', [-10 * DAY, 9 * DAY]],
  ['twice', [-10 * DAY, -5 * DAY]],
])('a time that is asked about is as old as it is, also when a clock set back %s shows it again', async (_, steps) => {
  const options = world();
  const ageAt = (at: number) => {
    const days = steps.slice(0, Math.floor(at / DAY)).reduce((sum, one) => sum + one, 0);
    const now = { at, wall: WALL + at + days };
    return withSteps(options, now, () => Promise.resolve(age(WALL, now.wall)));
  };
  const found: number[] = [];
  const ages = Array.from({ length: 40 }, (__, n) => n * (DAY / 2));
  for (const at of ages) found.push(await ageAt(at));
  expect(found).toEqual(ages);
});

test('a disk that refuses the note costs no round its work', async () => {
  const options = world();
  await noteSteps(options, { at: 0, wall: WALL });
  await noteSteps(options, { at: MINUTE, wall: WALL - DAY });
  const disk = { ...options.disk, write: () => Promise.reject(new Error('ENOSPC')) } as typeof options.disk;
  const now = { at: 2 * MINUTE, wall: WALL - DAY + MINUTE };
  expect(await withSteps({ ...options, disk }, now, () => Promise.resolve(age(WALL - 1, now.wall)))).toBe(
    2 * MINUTE + 1,
  );
});

// Rules: D-15.
test('what a command sees by its own clocks is written nowhere', async () => {
  const options = world();
  await noteSteps(options, { at: 0, wall: WALL });
  const kept = await options.disk.read(FILES.wallSteps, Infinity);
  // A caller gave the command a wall of one hour later, and that wall as its monotonic clock.
  const faked = { at: WALL + HOUR, wall: WALL + HOUR };
  await byKnownSteps(options, faked, () => Promise.resolve(age(WALL - 1, faked.wall)));
  expect(await options.disk.read(FILES.wallSteps, Infinity)).toBe(kept);
});

test('times that cannot be are no steps: the wall alone counts, and the next look begins anew', async () => {
  const options = world();
  await noteSteps(options, { at: 0, wall: WALL });
  await noteSteps(options, { at: WALL + HOUR, wall: WALL + HOUR });
  const ageAt = (now: { at: number; wall: number }) =>
    withSteps(options, now, () => Promise.resolve(age(WALL, now.wall)));
  expect(await ageAt({ at: MINUTE, wall: WALL + MINUTE })).toBe(MINUTE);
  expect(await ageAt({ at: 2 * MINUTE, wall: WALL + 2 * MINUTE + 10 * DAY })).toBe(2 * MINUTE);
});
