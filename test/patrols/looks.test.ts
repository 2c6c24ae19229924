/** What has to be seen twice is looked at twice, and rounds that begin together look once. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changeOf, Looks } from '../../src/patrols/thread/looks.ts';
import { tempFolder } from '../world/over.ts';

function looked() {
  const at = { now: 0, mark: 'a', count: 0 };
  const looks = new Looks({
    look: () => Promise.resolve((at.count += 1)),
    mark: () => Promise.resolve(at.mark),
    freshMs: 1_000,
    now: () => at.now,
  });
  return { at, looks };
}

// Rules: P-3.
test('rounds that begin together share a look, a round looks once, and the next one of the same patrol looks anew', async () => {
  const { at, looks } = looked();
  const shop = looks.round('shop');
  expect([await shop(), await shop(), await looks.round('bank')()]).toEqual([1, 1, 1]);
  at.now = 300;
  expect([await looks.round('shop')(), await looks.round('bank')()]).toEqual([2, 2]);
  at.now = 1_400;
  expect(await looks.round('farm')()).toBe(3);
});

// Rules: P-3, law 1.
test('a look from before a session began is no look for the next round: the session would count as gone', async () => {
  const { at, looks } = looked();
  expect(await looks.round('shop')()).toBe(1);
  at.mark = 'b';
  expect(await looks.round('bank')()).toBe(2);
  expect(await looks.round('farm')()).toBe(2);
});

test('a record that is made or replaced in a folder is a change of it', async () => {
  const folder = join(tempFolder('looks'), 'sessions');
  const marks = [await changeOf(folder)];
  mkdirSync(folder);
  marks.push(await changeOf(folder));
  expect(await changeOf(folder)).toBe(marks[1]);
  for (const text of ['one', 'other']) {
    await expect
      .poll(async () => {
        writeFileSync(join(folder, '.new'), text);
        renameSync(join(folder, '.new'), join(folder, 'ada.json'));
        return marks.includes(await changeOf(folder));
      })
      .toBe(false);
    marks.push(await changeOf(folder));
  }
});
