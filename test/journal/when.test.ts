/** Times for people: relative within a day, local beyond it, in several time zones and where the clock is changed. */
import { afterEach, expect, test } from 'vitest';
import { about, age, localTime, stamp, when } from '../../src/journal/when.ts';

const HOME = process.env['TZ'];
const zone = (name: string): void => {
  process.env['TZ'] = name;
};
afterEach(() => {
  if (HOME === undefined) Reflect.deleteProperty(process.env, 'TZ');
  else zone(HOME);
});

const NOW = Date.UTC(2026, 10, 23, 12);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

test.each([
  [0, '0 s'],
  [21_400, '21 s'],
  [59_600, '1 min'],
  [119_000, '2 min'],
  [59.6 * MINUTE, '1 h'],
  [23 * HOUR, '23 h'],
  [36 * HOUR, '2 d'],
  [NaN, 'an unknown time'],
])('%s ms are about %s', (ms, told) => {
  expect(about(ms)).toBe(told);
});

test.each([
  [0, 'now'],
  [-400, 'now'],
  [-20 * SECOND, '20 s ago'],
  [-2 * MINUTE, '2 min ago'],
  [21 * SECOND, 'in 21 s'],
  [3 * HOUR, 'in 3 h'],
  [-23 * HOUR, '23 h ago'],
])('%s ms from now is %s, in any time zone', (ms, told) => {
  for (const name of ['UTC', 'Asia/Kolkata', 'America/St_Johns']) {
    zone(name);
    expect(when(NOW + ms, NOW)).toBe(told);
    expect(when(new Date(NOW + ms).toISOString(), NOW)).toBe(told);
  }
});

test.each([
  ['UTC', '2026-11-21 12:00:05'],
  ['Asia/Kolkata', '2026-11-21 17:30:05'],
  ['America/St_Johns', '2026-11-21 08:30:05'],
  ['Pacific/Kiritimati', '2026-11-22 02:00:05'],
])('two days ago is a date and a time in %s', (name, told) => {
  zone(name);
  const wall = NOW - 48 * HOUR + 5 * SECOND;
  expect(when(wall, NOW)).toBe(told.slice(0, -3));
  expect(stamp(wall, NOW)).toBe(`${told} `);
});

test('lines below each other are equally wide, and within a day hold both the clock and how long ago it was', () => {
  zone('Asia/Kolkata');
  const lines = [0, 5 * SECOND, 59 * MINUTE, 23 * HOUR, 48 * HOUR].map((ms) => stamp(NOW - ms, NOW));
  expect(lines).toEqual([
    '17:30:00         now',
    '17:29:55     5 s ago',
    '16:31:00  59 min ago',
    '18:30:00    23 h ago',
    '2026-11-21 17:30:00 ',
  ]);
});

// 2026-10-25 01:00 UTC: in Berlin 3 o'clock becomes 2 o'clock. 2026-03-29 01:00 UTC: 2 o'clock becomes 3 o'clock.
test.each([
  ['Europe/Berlin', Date.UTC(2026, 9, 25, 0, 30), '2026-10-25 02:30:00 UTC+2'],
  ['Europe/Berlin', Date.UTC(2026, 9, 25, 1, 30), '2026-10-25 02:30:00 UTC+1'],
  ['Europe/Berlin', Date.UTC(2026, 9, 25, 3), '2026-10-25 04:00:00'],
  ['Europe/Berlin', Date.UTC(2026, 2, 29, 0, 59), '2026-03-29 01:59:00 UTC+1'],
  ['Europe/Berlin', Date.UTC(2026, 2, 29, 1), '2026-03-29 03:00:00 UTC+2'],
  ['Australia/Lord_Howe', Date.UTC(2026, 3, 4, 15, 15), '2026-04-05 01:45:00 UTC+10:30'],
  ['America/New_York', Date.UTC(2026, 10, 1, 6, 15), '2026-11-01 01:15:00 UTC-5'],
])('where the clock is changed no reading means two times: %s %s', (name, wall, told) => {
  zone(name);
  expect(localTime(wall)).toBe(told);
});

test('a day with a change of the clock is as far off as it lasted', () => {
  zone('Europe/Berlin');
  const noon = Date.UTC(2026, 9, 25, 11); // 12:00 there
  expect(when(Date.UTC(2026, 9, 24, 10), noon)).toBe('2026-10-24 12:00'); // 25 hours before, by the same reading
  expect(when(Date.UTC(2026, 9, 24, 12), noon)).toBe('23 h ago');
});

test('what is no time is told as such, and a clock that was set back makes nothing negative', () => {
  expect([when('yesterday', NOW), when(null, NOW), age(null, NOW)]).toEqual(Array(3).fill('an unknown time'));
  expect(stamp('x', NOW)).toHaveLength(stamp(NOW, NOW).length);
  expect(age(NOW + HOUR, NOW)).toBe('0 s');
});
