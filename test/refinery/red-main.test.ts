/** Which red merges a red main excuses, and how long it is believed without another test. */
import { expect, test } from 'vitest';
import { REFINERY } from '../../src/refinery/policy.ts';
import { excuses, isFresh } from '../../src/refinery/red-main.ts';

const HOUR = 3_600_000;

// Rules: R-2.
test.each<[string, string[] | null, string[] | null, boolean]>([
  ['all of that, in another order', ['a', 'b'], ['b', 'a'], true],
  ['all of that and more', ['a'], ['a', 'new'], true],
  ['less', ['a', 'b'], ['b'], false],
  ['something else', ['no script'], ['a'], false],
  ['something, while main has no result', null, ['a'], true],
  ['more than is kept of its output', ['a'], null, true],
])('main fails, and a merge fails by %s', (_, main, merge, is) => {
  expect(excuses({ fails: main && new Set(main) }, { fails: merge && new Set(merge) })).toBe(is);
});

// Rules: R-2.
test('a main that takes an hour to fail is not tested again after each merge that takes an hour', () => {
  const slow = { at: 0, tookMs: HOUR };
  expect(isFresh(slow, { leastMs: 0 }, HOUR * 1.5)).toBe(true);
  expect(isFresh(slow, { leastMs: 0 }, HOUR * 3)).toBe(false);
  // Before a merge that was not tested a quick test is run anew: what it needs may be back.
  const quick = { at: 0, tookMs: 1_000 };
  expect(isFresh(quick, { leastMs: 0 }, REFINERY.restMs)).toBe(false);
  expect(isFresh(quick, { leastMs: REFINERY.maxRestMs }, REFINERY.restMs)).toBe(true);
});
