/** Steps of the wall clock on the disk, and the age of a stored time within a round of a patrol. */
import { expect, test } from 'vitest';
import { age, withSteps } from '../../src/ports/age.ts';
import { noteSteps } from '../../state/process/wall-steps.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { SimDisk } from '../world/disk.ts';

const WALL = 1_700_000_000_000;
const MINUTE = 60_000;
const DAY = 86_400_000;

// Rules: D-15.
test('a step outlives the process that saw it; a round of another one counts by it, and nothing outside does', async () => {
  const sim = new SimDisk({ wall: () => WALL });
  const disk = sim.mount();
  const quarantine = new Quarantine({ disk, wall: () => WALL, onRefused: () => undefined });
  const options = { disk, quarantine, maxBytes: 10_000, note: () => undefined };
  await noteSteps(options, { at: 0, wall: WALL });
  await noteSteps(options, { at: MINUTE, wall: WALL + MINUTE + 10 * DAY });
  const later = { at: 2 * MINUTE, wall: WALL + 2 * MINUTE + 10 * DAY };
  expect(await withSteps(options, later, () => Promise.resolve(age(WALL, later.wall)))).toBe(2 * MINUTE);
  expect(age(WALL, later.wall)).toBe(2 * MINUTE + 10 * DAY);
});
