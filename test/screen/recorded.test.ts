import { expect, test } from 'vitest';
import { Packs } from '../../src/screen/packs.ts';
import { readScreen } from '../../src/screen/read.ts';
import { read, recordedScreens } from './recorded.ts';

const packs = new Packs();
const screens = recordedScreens();
const MAY_TYPE = new Set<string>(['idle', 'busy', 'error']);

test.each(screens)('$name is $state, and is typed into accordingly', ({ agent, state, picture }) => {
  const screen = readScreen(packs.named(agent), picture);
  expect(screen.state).toBe(state);
  expect(screen.mayType).toBe(MAY_TYPE.has(state) && screen.composer !== null);
});

test.each([
  ['claude/limit-plan-120x40', '12:46am'],
  ['claude/limit-cancelled-120x40', '12:47am (UTC)'],
  ['codex/limit-120x40', 'Nov 23rd, 2026 12:50 AM'],
  // What it counts down is the time until its next try: an end that is another one at each look would be told at each.
  ['opencode/limit-120x40', null],
])('the limit on %s ends %s', (name, resets) => {
  expect(read(name).resets).toBe(resets);
});

test.each([
  ['claude/limit-plan-120x40', true],
  ['claude/limit-80x24', true],
  ['codex/limit-120x40', true],
  ['aider/limit-120x40', true],
  // They try again by themselves.
  ['opencode/limit-120x40', undefined],
  ['aider/limit-retrying-80x24', undefined],
])('whether the limit on %s ended a turn: %s', (name, isCut) => {
  expect(read(name)).toMatchObject({ state: 'limited' });
  expect(read(name).isCut).toBe(isCut);
});

test('a sidebar is no part of the talk', () => {
  expect(read('opencode/resumed-200x50').columns).toBe(158);
  expect(read('opencode/small-80x24').columns).toBeNull();
});
