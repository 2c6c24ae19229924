/** A refinery whose command is wrong: who hears of it, and how soon a changed command counts. On real tmux. */
import { beforeEach, expect, test } from 'vitest';
import { until } from '../../cli/town.ts';
import { BY_HAND, Shop } from '../shop.ts';

const NAME = 'gt-shop-refinery';
const WRONG = `refinery = "echo no such option: --squash; exit 7"`;

let town: Shop;

beforeEach(async () => {
  town = new Shop(`${BY_HAND}[rig.shop]\n`);
  town.set('sessions', 'backoff = "100ms"\nmax_backoff = "4s"');
  await town.open();
});

const request = (): Promise<unknown> =>
  town.run('mail', 'send', 'shop/refinery', '-s', 'MERGE_READY nux', '-m', 'Branch: polecat/nux');
const starts = async (): Promise<string[]> =>
  (await town.acts()).filter((act) => act.startsWith('start ') && act.endsWith('shop/refinery'));
const waits = async (): Promise<string> => (await town.run('status')).stdout;
const isTold = /gt-shop-refinery keeps dying .*exit code 7, last words: "no such option: --squash".*`echo no such/;
const names = (old: string, lines: string): void => town.write('town.toml', town.read('town.toml').replace(old, lines));

// Rules: W-3, C-6.
test('a refinery that ends at once is tried on and an alert says how it ends; another command counts in the next round', async () => {
  town.set('rig.shop', WRONG);
  await request();
  expect(await starts()).toEqual(['start done: shop/refinery']);
  await until(waits, (text) => isTold.test(text));
  // Its restarts are the business of the sessions: no round adds one.
  expect(await starts()).toEqual([]);
  names(WRONG, 'refinery = "cat"');
  await until(async () => (await starts()).includes('start done: shop/refinery'));
  await until(() => town.record(NAME)?.spec.command.at(-1) === 'cat');
  await town.viewed(NAME, ({ state }) => state === 'running');
  await until(waits, (text) => !isTold.test(text));
});

// Rules: W-3.
test('a refinery whose program is not found is an alert in the first round, and starts once its name is mended', async () => {
  town.set('rig.shop', 'refinery = "twon refinery"');
  // Where programs are is known of a tmux server that runs.
  await town.data('session', 'start', 'builder', '--', 'cat');
  await request();
  expect(await town.stands()).toEqual([
    expect.stringMatching(/^1 merge request waits in shop, and its refinery cannot be started: .*twon/) as string,
  ]);
  expect(await town.view(NAME)).toBeUndefined();
  names('refinery = "twon refinery"', 'refinery = "cat"');
  expect(await starts()).toEqual(['start done: shop/refinery']);
  expect(await town.stands()).toEqual([]);
});
