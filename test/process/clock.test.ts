/** What the wall showed when the monotonic clock began: one look a boot, not what the wall shows later. */
import { expect, test } from 'vitest';
import { noteWallAtZero } from '../../state/process/clock.ts';
import { FILES } from '../../state/files/layout.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { SimDisk } from '../world/disk.ts';

const WALL = 1_700_000_000_000;
const DAY = 86_400_000;
const sim = new SimDisk({ wall: () => WALL });
const disk = sim.mount();
const quarantine = new Quarantine({ disk, wall: () => WALL, onRefused: () => undefined });
const noted = (boot: string, at: number, wall: number) =>
  noteWallAtZero({ disk, quarantine }, { pid: 7, started: `9@${boot}` }, { at, wall });

// Rules: D-15.
test('the first look of a boot counts for every process of it, and a new boot looks anew', async () => {
  expect(await noted('one', 1_000, WALL)).toBe(WALL - 1_000);
  expect(await noted('one', 2_000, WALL + 30 * DAY)).toBe(WALL - 1_000);
  expect(await noted('two', 500, WALL + 30 * DAY)).toBe(WALL + 30 * DAY - 500);
});

test('what cannot be read is put aside, and looked at anew', async () => {
  sim.put(FILES.clock, '{"schema":"clock/1"}');
  expect(await noted('two', 500, WALL)).toBe(WALL - 500);
  expect([...sim.files()].some(([path]) => path.startsWith('quarantine/'))).toBe(true);
});
