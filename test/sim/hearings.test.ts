/** Random histories of the whole town: some hundreds of each mode, the oracle's own eyes, and that a seed repeats. */
import { expect, test, vi } from 'vitest';
import { playDay, testScene } from './oracle-tests.ts';

/** Histories take processor time; a busy machine is no failure. */
vi.setConfig({ testTimeout: 180_000 });

/** Of each mode. A push plays 2,000 more: `npm run verify`. */
const RUNS = 80;

// Rules: law 2.
test.each(['safety', 'liveness'] as const)('%s: random histories without a violation', async (mode) => {
  const tally = await playDay(mode, RUNS);
  expect(tally.kills).toBeGreaterThan(RUNS / 10);
  expect(Object.keys(tally.verdicts).sort()).toEqual(['already_dead', 'escalated', 'executed', 'pardoned', 'void']);
  expect(tally.late).toBeLessThanOrEqual(tally.deaf * 0.01);
});

testScene('safety', 1, 127, 214);
