/** Random histories of the watchdog chain, killed between any two steps, judged by what an observer saw (RULES.md, C). */
import { describe, expect, test, vi } from 'vitest';
import { Chain } from './chain.ts';
import { chainHistoryOf } from './chain-history.ts';
import { DAY, seedsFrom } from './day.ts';
import { judgeChain } from './oracle-chain.ts';
import type { ChainPlant } from './plants.ts';

vi.setConfig({ testTimeout: 180_000 });

const RUNS = Number(process.env['SIM_RUNS'] ?? 40);
/** SIM_SEED and SIM_RUNS=1 play the seed of a failure again. */
const FIRST = Number(process.env['SIM_SEED'] ?? DAY * RUNS);

async function play(seed: number, plant?: ChainPlant) {
  const history = chainHistoryOf(seed);
  const ran = await new Chain(history, plant).run();
  return { ran, found: judgeChain(ran, history) };
}

describe('random histories of the chain', () => {
  // Rules: C-2, C-4, C-8, C-10.
  test('without a violation', async () => {
    let kills = 0;
    const failed: string[] = [];
    for (let seed = FIRST; seed < FIRST + RUNS; seed++) {
      const { ran, found } = await play(seed);
      kills += ran.kills;
      if (found.length > 0) failed.push(`seed ${seed}: ${found.join('; ')}`);
    }
    expect(failed).toEqual([]);
    expect(kills).toBeGreaterThan(RUNS / 2);
  });

  test('a seed tells the same story twice', async () => {
    expect((await play(FIRST)).ran).toEqual((await play(FIRST)).ran);
  });
});

/** Seeds in which a planted fault must show. */
const MAX_SEEDS = 150;
/** A seed in which each shows, and what the oracle must say about it. */
const SEEN: Readonly<Record<ChainPlant, readonly [seed: number, sentence: RegExp]>> = {
  'nobody looks': [10, /no Deacon from/],
  'hears of no hearing': [9, /is typed to at \d+, though/],
  'sees no pause': [28, /is signalled at \d+, though paused/],
  'takes the living for dead': [0, /is started at \d+ beside/],
  'ticks twice': [0, /no tick since the last one/],
  'notifies twice': [0, /: alert at \d+ and again/],
  'leaves letters': [1, /mail\/deacon\/.* is there in the end/],
  'forgets who asked for its end': [1, /asked to stay ended/],
};
test.each(Object.entries(SEEN))('the oracle sees a planted fault: %s', async (plant, [known, sentence]) => {
  for (const seed of seedsFrom(known, MAX_SEEDS))
    if ((await play(seed, plant as ChainPlant)).found.some((one) => sentence.test(one))) return;
  expect.unreachable(`no finding like ${String(sentence)} in ${MAX_SEEDS} seeds`);
});
