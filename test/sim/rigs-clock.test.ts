/** The work of rigs in virtual time, where the wall clock is set forward and back by up to ten days. */
import { expect, test, vi } from 'vitest';
import { playDayOfRigs } from './oracle-tests.ts';
import { playRigs } from './scenes.ts';

vi.setConfig({ testTimeout: 300_000 });

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAYS = 240 * HOUR;
/** How the clock is set, one after the other. Each is played with its share of the seeds of the day. */
const SET: Readonly<Record<string, readonly number[]>> = {
  'forward and back': [HOUR, -HOUR, 20 * MINUTE, -20 * MINUTE],
  'forward by up to ten days, twice': [DAYS, DAYS],
  'back by up to ten days, twice': [-DAYS, -DAYS],
  'back by up to ten days, and forward again': [-DAYS, DAYS],
};
test.each(Object.entries(SET))('nothing is lost where the wall clock is set %s', async (how, clock) => {
  const all = Object.keys(SET);
  await playDayOfRigs({ clock }, { share: [all.indexOf(how), all.length] });
});

test('a clock that shows the time of a hand-over again delays no alert of what lies with the refinery', async () => {
  expect((await playRigs(9_087, { clock: [-240 * HOUR, 240 * HOUR] })).findings).toEqual([]);
});
