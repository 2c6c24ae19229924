/** What has to be seen twice is looked at twice, and rounds that begin together look once. */
import { expect, test } from 'vitest';
import { Looks } from '../../src/patrols/thread/looks.ts';

// Rules: P-3.
test('rounds that begin together share a look, a round looks once, and the next one of the same patrol looks anew', async () => {
  let [count, now] = [0, 0];
  const looks = new Looks(
    () => Promise.resolve((count += 1)),
    1_000,
    () => now,
  );
  const shop = looks.round('shop');
  expect([await shop(), await shop(), await looks.round('bank')()]).toEqual([1, 1, 1]);
  now = 300;
  expect([await looks.round('shop')(), await looks.round('bank')()]).toEqual([2, 2]);
  now = 1_400;
  expect(await looks.round('farm')()).toBe(3);
});
