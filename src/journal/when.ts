/**
 * Times as a person reads them: how far off within a day, beyond that the local date and time. Programs get UTC
 * (`--json`). Times come as wall ms, or as the ISO text of a record; an invalid time is shown as such.
 */
import { roomOf } from '../terminal/print.ts';
import { LAYOUT } from '../terminal/policy.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A unit, and how many of it are one of the next. */
const UNITS = [
  ['s', SECOND_MS, 60],
  ['min', MINUTE_MS, 60],
  ['h', HOUR_MS, 24],
] as const;
const UNKNOWN = 'an unknown time';

export type Moment = number | string | null;

const wallOf = (at: Moment): number => (typeof at === 'number' ? at : at === null ? NaN : Date.parse(at));

/** `21 s`, `2 min`, `3 h`, `5 d`: one unit, to the nearest. */
export function about(ms: number): string {
  if (!Number.isFinite(ms)) return UNKNOWN;
  for (const [unit, size, most] of UNITS) {
    const count = Math.round(ms / size);
    if (count < most) return `${count} ${unit}`;
  }
  return `${Math.round(ms / DAY_MS)} d`;
}

/** How long it has been, for a column; never negative, even if the clock stepped back. */
export const age = (at: Moment, now = Date.now()): string => about(Math.max(0, now - wallOf(at)));

const isNear = (ms: number): boolean => Math.round(Math.abs(ms) / HOUR_MS) < DAY_MS / HOUR_MS;

/** `now`, `2 min ago`, `in 21 s`; a day off or more `2026-11-22 14:03`. */
export function when(at: Moment, now = Date.now()): string {
  const wall = wallOf(at);
  if (Number.isNaN(wall)) return UNKNOWN;
  const ms = wall - now;
  if (!isNear(ms)) return localTime(wall).replace(/:\d\d(?= |$)/, '');
  if (Math.round(Math.abs(ms) / SECOND_MS) === 0) return 'now';
  return ms < 0 ? `${about(-ms)} ago` : `in ${about(ms)}`;
}

/** `since 20:50`, a day off or more `since 2026-11-22 20:50`. */
export const sinceText = (at: Moment, now = Date.now()): string => clockText(at, now).replace('at', 'since');

/** `at 20:50`, a day off or more `at 2026-11-22 20:50`. */
export function clockText(at: Moment, now = Date.now()): string {
  const wall = wallOf(at);
  if (Number.isNaN(wall)) return `at ${UNKNOWN}`;
  const minutes = localTime(wall).replace(/:\d\d(?= |$)/, '');
  return `at ${isNear(wall - now) ? minutes.slice(DATE) : minutes}`;
}

/**
 * For lines below each other: `14:03:22   2 min ago`, a day off or more `2026-11-22 14:03:22`. All equally wide. Where there is
 * little room the time alone.
 */
export function stamp(at: Moment, now = Date.now()): string {
  const wall = wallOf(at);
  const room = roomOf();
  const isNarrow = room !== null && room < STAMP + LAYOUT.besideStamp;
  if (Number.isNaN(wall)) return isNarrow ? UNKNOWN : UNKNOWN.padEnd(STAMP);
  const local = localTime(wall);
  if (isNarrow) return isNear(wall - now) ? local.slice(DATE) : local;
  if (!isNear(wall - now)) return local.padEnd(STAMP);
  return `${local.slice(DATE)}${when(wall, now).padStart(STAMP - local.length + DATE)}`;
}

const DATE = 'YYYY-MM-DD '.length;
const STAMP = 'HH:MM:SS  59 min ago'.length;

/** `2026-11-22 14:03:22`. Within an hour of a change of the clock one reading may mean two times: then it bears its offset. */
export function localTime(wall: number): string {
  const at = new Date(wall);
  if (Number.isNaN(at.getTime())) return UNKNOWN;
  const two = (count: number): string => String(count).padStart(2, '0');
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const text = `${date} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  const offset = (ms: number): number => new Date(wall + ms).getTimezoneOffset();
  return offset(-HOUR_MS) === offset(HOUR_MS) ? text : `${text} ${offsetText(-at.getTimezoneOffset())}`;
}

function offsetText(minutes: number): string {
  const all = Math.abs(minutes);
  const rest = all % 60 === 0 ? '' : `:${String(all % 60).padStart(2, '0')}`;
  return `UTC${minutes < 0 ? '-' : '+'}${Math.floor(all / 60)}${rest}`;
}
