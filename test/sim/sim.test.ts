/** Random histories of the whole town: some hundreds of each mode, the oracle's own eyes, and that a seed repeats. */
import { describe, expect, test, vi } from 'vitest';
import { DAY, seedsFrom } from './day.ts';
import { play, tellStory } from './play.ts';
import type { HearingsPlant } from './plants.ts';
import { playMany } from './tally.ts';

/** Histories take processor time; a busy machine is no failure. */
vi.setConfig({ testTimeout: 180_000 });

/** Of each mode. A push plays 2,000 more: `npm run verify`. */
const RUNS = 150;
/** Seeds in which a planted fault must show; the rarest need a second town or a person at the right moment. */
const MAX_SEEDS = 500;
const FIRST = DAY * RUNS;

// Rules: law 2.
test.each(['safety', 'liveness'] as const)('%s: random histories without a violation', async (mode) => {
  const tally = await playMany(FIRST, RUNS, mode);
  expect(tally.failures, `repeat with: npm run sim -- --runs 1 --mode ${mode} --seed <seed>`).toEqual([]);
  expect(tally.crashes).toBeGreaterThan(RUNS / 10);
  expect(Object.keys(tally.verdicts).sort()).toEqual(['already_dead', 'escalated', 'executed', 'pardoned', 'void']);
  expect(tally.late).toBeLessThanOrEqual(tally.deaf * 0.01);
});

test.each([1, 127, 214])('seed %i tells the same story twice', async (seed) => {
  expect(await tellStory(seed, 'safety')).toBe(await tellStory(seed, 'safety'));
});

/** A seed in which each planted fault shows, and what the oracle must say about it. */
const SEEN: Readonly<Record<HearingsPlant, readonly [seed: number, sentence: RegExp]>> = {
  'looks without seeing': [9, /the last look could see/],
  'last look skipped': [9, /the last look could see: answered/],
  'rescue not done': [0, /before the work was saved/],
  'signals more than the list': [2, /not in the durable list/],
  'signals the untouchable': [54, /not to be ended by this town/],
  'asks without typing': [0, /killed after 0 questions/],
  'saves nothing': [0, /without a durable intent/],
  'saves after acting': [0, /without a durable intent/],
  'tells twice': [0, /was told executed, then pardoned/],
  'alerts nobody': [3, /and no person was alerted before/],
  'writes no letter': [0, /and 0 letters say so/],
  'kills though superseded': [119, /by a superseded town/],
  'starts beside the living': [24, /beside a living one/],
  'unknown is silence': [86, /question \d got \d+ ms/],
  'person is silence': [23, /could see: (person|dialog)/],
  'spares nobody': [61, /signalled though its answer was seen/],
  'loses a warrant': [185, /was lost in the crash/],
  'voids what it heard': [0, /nothing in the world bears that out/],
  'starts into a dead login': [85, /into a login that was known to be dead/],
  'starts what was stopped': [441, /it was stopped by an operator, and was started again/],
};

describe('the oracle sees a planted fault', () => {
  test.each(Object.entries(SEEN))('%s', async (plant, [known, sentence]) => {
    for (const seed of seedsFrom(known, MAX_SEEDS)) {
      const { findings } = await play(seed, 'safety', plant as HearingsPlant);
      if (findings.some((finding) => sentence.test(finding))) return;
    }
    expect.unreachable(`no finding like ${String(sentence)} in ${MAX_SEEDS} seeds`);
  });
});
