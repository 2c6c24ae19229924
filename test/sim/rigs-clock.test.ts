/** The work of rigs in virtual time, where the wall clock is set forward and back by up to ten days. */
import { afterEach, expect, test, vi } from 'vitest';
import { HOUR, MINUTE, play, playAll } from './rigs-play.ts';

vi.setConfig({ testTimeout: 300_000 });
afterEach(() => vi.restoreAllMocks());

test('nothing is lost where the wall clock is set forward and back', async () => {
  await playAll({ clock: [HOUR, -HOUR, 20 * MINUTE, -20 * MINUTE] });
});

test.each([
  ['forward', 1],
  ['back', -1],
])('nothing is lost where it is set %s by up to ten days, twice', async (_, sign) => {
  await playAll({ clock: [sign * 240 * HOUR, sign * 240 * HOUR] });
});

test('nothing is lost where it is set back by up to ten days, and forward again', async () => {
  await playAll({ clock: [-240 * HOUR, 240 * HOUR] });
});

test('a clock that shows the time of a hand-over again delays no alert of what lies with the refinery', async () => {
  expect((await play(9_087, { clock: [-240 * HOUR, 240 * HOUR] })).found).toEqual([]);
});
