/** Random histories of the watchdog chain, killed between any two steps, judged by what an observer saw (RULES.md, C). */
import { expect, test, vi } from 'vitest';
import { playDay, testScene } from './oracle-tests.ts';

vi.setConfig({ testTimeout: 180_000 });

const RUNS = 40;

// Rules: C-2, C-4, C-8, C-10.
test('random histories without a violation', async () => {
  expect((await playDay('chain', RUNS)).kills).toBeGreaterThan(RUNS / 2);
});

testScene('chain', 1);
