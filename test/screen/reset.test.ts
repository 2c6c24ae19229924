/** When a usage limit that is still shown is over (C-6): by the clock, where its words say a time of day. */
import { expect, test } from 'vitest';
import { Packs } from '../../src/screen/packs.ts';
import { isReset, resetAt } from '../../src/screen/reset.ts';
import { readScreen } from '../../src/screen/read.ts';
import { recordedScreens } from './recorded.ts';

const NOON = Date.parse('2026-03-02T12:00:30Z');

test.each([
  ['11:59am (UTC)', true],
  ['11:59 AM (UTC).', true],
  ['12:00pm (UTC)', false],
  ['12:01pm (UTC)', false],
  ['3am (UTC)', true],
  ['3pm (UTC)', false],
  // The night before, rather than the one to come; half a day off it is the one to come.
  ['12:30am (UTC)', true],
  ['11:30pm (UTC)', false],
  ['12:30pm (Europe/Berlin)', true],
  ['1:30pm (Europe/Berlin)', false],
  ['15:00 (Asia/Tokyo)', true],
  ['Mar 1st, 2026 11:50 PM', true],
  ['March 5, 2026 9:00 am', false],
  ['Foo 5th, 2026 9:00 am', false],
  // What says no time of day lasts as long as it is shown.
  ['Mon 9am (UTC)', false],
  ['Nov 25, 3am (UTC)', false],
  ['approximately 2 hours', false],
  ['5', false],
  ['25:00', false],
  ['9:75am', false],
  ['3am (Middle/Earth)', false],
  ['', false],
])('%j at noon in UTC: over %s', (words, over) => {
  expect(isReset(words, NOON)).toBe(over);
});

test('a limit beside an empty composer ends by the clock; a dialog about one does not', () => {
  const packs = new Packs();
  const limits = recordedScreens().filter(({ state }) => state === 'limited');
  const at = (name: string, wall: number | null): string => {
    const one = limits.find((screen) => screen.name === name)!;
    return readScreen(packs.named(one.agent), { ...one.picture, at: wall }).state;
  };
  const plan = 'claude/limit-plan-120x40.txt';
  expect([at(plan, null), at(plan, Date.parse('2026-03-01T22:00:00Z'))]).toEqual(['limited', 'limited']);
  expect(at(plan, Date.parse('2026-03-02T00:50:00Z'))).toBe('idle');
});

// Rules: M-9.
test.each([
  ['11am (UTC)', NOON - 30_000 - 3_600_000],
  ['3pm (UTC)', NOON - 30_000 + 3 * 3_600_000],
  ['1am (UTC)', NOON - 30_000 - 11 * 3_600_000],
  ['12pm (UTC)', NOON],
  ['2 hours', null],
  ['tomorrow', null],
])('%s is the nearest such time', (words, at) => {
  expect(resetAt(words, NOON)).toBe(at);
});

test.each([
  ['the clock goes back before it', '2026-10-24T23:30:00Z', '7am (Europe/Berlin)', '2026-10-25T06:00:00Z'],
  ['the clock went back after it', '2026-10-25T06:00:00Z', '1:30am (Europe/Berlin)', '2026-10-24T23:30:00Z'],
  ['the clock goes forward before it', '2026-03-29T00:30:00Z', '7am (Europe/Berlin)', '2026-03-29T05:00:00Z'],
  ['the clock went forward after it', '2026-03-29T05:00:00Z', '1:30am (Europe/Berlin)', '2026-03-29T00:30:00Z'],
  ['the night leaves it out, seen before', '2026-03-29T00:00:00Z', '2:30am (Europe/Berlin)', '2026-03-29T01:30:00Z'],
  ['the night leaves it out, seen after', '2026-03-29T02:00:00Z', '2:30am (Europe/Berlin)', '2026-03-29T01:30:00Z'],
])('a time of day where %s', (_, now, words, at) => {
  expect(new Date(resetAt(words, Date.parse(now))!).toISOString()).toBe(new Date(at).toISOString());
});
