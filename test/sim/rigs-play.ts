/** How tests play histories of rigs: seeds of the day, or those that SIM_SEED and SIM_RUNS give. */
import { expect, vi } from 'vitest';
import { Chance } from '../world/chance.ts';
import { DAY } from './day.ts';
import { judgeRigs } from './oracle-rigs.ts';
import { Rigs, type RigsScene } from './rigs.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const RUNS = Number(process.env['SIM_RUNS'] ?? 6);
/** SIM_SEED and SIM_RUNS=1 play the seed of a failure again. */
export const FIRST = Number(process.env['SIM_SEED'] ?? DAY * RUNS);

/** Long enough after the last work that what waits for a day is told. */
const SMALL = {
  rigs: ['shop'],
  maxPolecats: 5,
  work: 12,
  withinMs: 3 * HOUR,
  untilMs: 40 * HOUR,
  activeMs: 60_000,
  // In most cycles of these two days there is nothing to do: a town's own five minutes would cost twice as much.
  idleMs: 20 * MINUTE,
  kills: 4,
} as const;

/** Plays one seed, and what the oracle finds wrong. */
export async function play(seed: number, more: Partial<RigsScene> = {}) {
  const ids = new Chance(seed);
  vi.spyOn(Math, 'random').mockImplementation(() => ids.next());
  const sim = await new Rigs({ ...SMALL, seed, ...more }).run();
  return { sim, found: await judgeRigs(sim) };
}

interface Which {
  readonly isFinding?: (one: string) => boolean;
  /** The seeds of this share, where several scenes share the seeds of the day. */
  readonly share?: readonly [nth: number, of: number];
}

/** Plays all seeds; how often the town was killed. */
export async function playAll(more: Partial<RigsScene> = {}, { isFinding = () => true, share = [0, 1] }: Which = {}) {
  const failed: string[] = [];
  let kills = 0;
  const [nth, of] = share;
  for (let seed = FIRST + nth; seed < FIRST + RUNS; seed += of) {
    const { sim, found } = await play(seed, more);
    kills += sim.kills;
    failed.push(...found.filter(isFinding).map((one) => `seed ${seed}: ${one}`));
  }
  expect(failed).toEqual([]);
  return kills;
}
