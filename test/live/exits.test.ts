/** An agent that exits at once under a real town (C-6): its sibling notices nothing, and nothing of all the starts is left over. */
import { expect, test } from 'vitest';
import { PROCESS } from '../../src/ports/policy.ts';
import { TestTown } from '../cli/town.ts';
import { EXITING, exitAtOnce } from './exits.ts';

const LIMIT = { timeout: 300_000 };
/** A thousand are played in virtual time, and by `npm run bench`; what a real one leaves shows after sixty. */
const RESTARTS = 60;
/** Files and processes that there may be at one moment and not at another: a query of tmux, a save. */
const SLACK = 8;
/** A restart is six lines of the journal. */
const BYTES_PER_RESTART = 3_000;

let town: TestTown;

// Rules: C-6.
test('sixty exits at once leave no pane, hook, file or process behind, and the sibling untouched', LIMIT, async () => {
  town = new TestTown(EXITING);
  const { root } = town;
  const tmux = (...words: string[]): string => town.tmux(...words);
  const { restarts, crashLoop, sibling, held, scene, bytes } = await exitAtOnce(
    { root, tmux, up: () => town.run('up') },
    RESTARTS,
  );
  expect(restarts).toBeGreaterThanOrEqual(RESTARTS);
  expect(sibling.before).not.toBe(null);
  expect(sibling.after).toEqual(sibling.before);
  expect(crashLoop).toBe(true);
  expect(scene.after).toEqual(scene.before);
  for (const [what, count] of Object.entries(held.after))
    expect(count, what).toBeLessThanOrEqual((held.before[what] ?? 0) + SLACK);
  expect(bytes.journal / restarts).toBeLessThanOrEqual(BYTES_PER_RESTART);
  expect(bytes.output).toBeLessThanOrEqual(PROCESS.logBytes);
});
