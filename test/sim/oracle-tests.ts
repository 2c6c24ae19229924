/** What every scene of the simulated world must show of itself: no violation, the same story twice, and each planted fault seen. */
import { describe, expect, test } from 'vitest';
import { traceOf } from './log.ts';
import type { Plant } from './plants.ts';
import type { RigsScene } from './rigs.ts';
import { playMany, playRigs, SCENES, type SceneName, type Tally } from './scenes.ts';
import { DAY, seedsFrom } from './seeds.ts';

/** Plays so many seeds of the day; what came of them is for the test's own claims. */
export async function playDay(scene: SceneName, runs: number): Promise<Tally> {
  const tally = await playMany(DAY * runs, runs, [scene]);
  expect(tally.failures, `repeat with: npm run sim -- --runs 1 --scene ${scene} --seed <seed>`).toEqual([]);
  return tally;
}

export function testScene(scene: SceneName, ...seeds: readonly number[]): void {
  const { play, most, plants } = SCENES[scene];
  test.each(seeds)('seed %i tells the same story twice', async (seed) => {
    const story = async (): Promise<unknown> => {
      const { log, findings, steps } = await play(seed);
      return [traceOf(log), findings, steps];
    };
    expect(await story()).toEqual(await story());
  });

  describe('the oracle sees a planted fault', () => {
    test.each(Object.entries(plants))('%s', async (plant, { seed: known, says }) => {
      for (const seed of seedsFrom(known, most))
        if ((await play(seed, plant as Plant)).findings.some((finding) => says.test(finding))) return;
      expect.unreachable(`no finding like ${String(says)} in ${most} seeds`);
    });
  });
}

/** Histories of rigs take seconds each. */
export const RIG_RUNS = 4;
/** Seeds from one day to the next. */
const RIGS_A_DAY = 6;
export const FIRST_RIGS = DAY * RIGS_A_DAY;

interface Which {
  readonly isFinding?: (one: string) => boolean;
  /** The seeds of this share, where several kinds of history share the seeds of the day. */
  readonly share?: readonly [nth: number, of: number];
}

/** Plays the seeds of the day with what is other than usual there; resolves with how often the town was killed. */
export async function playDayOfRigs(
  more: Partial<RigsScene> = {},
  { isFinding = () => true, share: [nth, count] = [0, 1] }: Which = {},
): Promise<number> {
  const failed: string[] = [];
  let all = 0;
  for (let seed = FIRST_RIGS + nth; seed < FIRST_RIGS + RIG_RUNS; seed += count) {
    const { kills, findings } = await playRigs(seed, more);
    all += kills;
    failed.push(...findings.filter(isFinding).map((one) => `seed ${seed}: ${one}`));
  }
  expect(failed).toEqual([]);
  return all;
}
