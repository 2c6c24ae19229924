/** Random histories of agents that work, ask and lose their accounts, and of sources that may lie, killed between any two steps. */
import { expect, test, vi } from 'vitest';
import { playDay, testScene } from './oracle-tests.ts';

vi.setConfig({ testTimeout: 180_000 });

const RUNS = 24;

// Rules: T-1, T-2, T-6, M-2, M-4, M-5, M-9, M-11, law 7.
test('random histories without a violation', async () => {
  expect((await playDay('ears', RUNS)).kills).toBeGreaterThan(RUNS / 2);
});

testScene('ears', 1);
