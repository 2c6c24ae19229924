/** Steps of the wall clock on the disk, and the age of a stored time within a round of a patrol. */
import { expect, test } from 'vitest';
import { age, withSteps } from '../../src/ports/age.ts';
import { noteSteps } from '../../state/process/wall-steps.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { SimDisk } from '../world/disk.ts';

const WALL = 1_700_000_000_000;
const MINUTE = 60_000;
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
