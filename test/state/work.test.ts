/** What the record of a piece of work says about where its next attempt begins. */
import { expect, test } from 'vitest';
import { lastBegun, type Attempt, type Work } from '../../state/rigs/work.ts';

const [BASE, A, D] = ['b', 'a', 'd'].map((sign) => sign.repeat(40)) as [string, string, string];
const OWN = 'polecat/nux';

const begun = (at: number, branch = OWN, saved: string | null = null): Attempt => {
  const start = saved === null ? null : { branch: OWN, base: BASE, main: BASE, commit: saved };
  return { polecat: 'nux', uuid: 'u1', branch, base: BASE, main: BASE, start, at };
};
const handed = (at: number, branch = OWN): Work['handed'][number] => {
  return { polecat: 'nux', uuid: 'u1', branch, commit: A, main: BASE, at };
};

// Rules: law 4, P-13.
test.each([
  ['it was handed over', [begun(1)], handed(2), A],
  ['more was saved since', [begun(1), begun(3, OWN, D)], handed(2), D],
  ['it was handed over after it was saved', [begun(1), begun(2, OWN, D)], handed(3), A],
  ['what one before saved is where it began', [begun(1, OWN, D)], handed(2), A],
  ['another branch was seen since', [begun(1), begun(3, 'other')], handed(2), null],
  ['a refused merge names the branch that was handed over', [begun(1), begun(3, 'feature')], handed(2, 'feature'), A],
  ['a branch of the agent’s own was saved over', [begun(1), begun(3, OWN, D)], handed(2, 'feature'), D],
  ['the clock was set back', [begun(5)], handed(2), A],
])('the next attempt begins with what was there last: %s', (_, all, over, commit) => {
  const last = lastBegun({ rig: 'shop', of: 'tw-1', begun: all, handed: [over] });
  expect((last?.handed ?? last?.start)?.commit ?? null).toBe(commit);
  // Neither is forgotten.
  expect(last?.handed?.commit ?? last?.outdated).toBe(A);
});
