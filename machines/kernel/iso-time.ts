/**
 * A wall time as people and programs write it. Machines have no clock, and so no `Date`; the guard has none because the time zone
 * tables of `Date` take a megabyte. The date is Howard Hinnant's civil_from_days. Pure.
 */
import type { WallMs } from '../protocol.ts';

const DAY = 86_400_000;
/** Days of 400 years, after which the calendar repeats itself, and of its first years from March 0000 to 1970. */
const ERA_DAYS = 146_097;
const EPOCH_DAYS = 719_468;

const padded = (value: number, digits = 2): string => String(value).padStart(digits, '0');

/** Year, month and day, by years that begin in March, so that a leap day is a year's last. */
function dateOf(daysSince1970: number): string {
  const days = daysSince1970 + EPOCH_DAYS;
  const era = Math.floor(days / ERA_DAYS);
  const ofEra = days - era * ERA_DAYS;
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1_460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  );
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const march = Math.floor((5 * ofYear + 2) / 153);
  const day = ofYear - Math.floor((153 * march + 2) / 5) + 1;
  const month = march < 10 ? march + 3 : march - 9;
  return `${padded(yearOfEra + era * 400 + (month <= 2 ? 1 : 0), 4)}-${padded(month)}-${padded(day)}`;
}

/** `2024-01-15T10:30:00.000Z` */
export function isoOf(wall: WallMs): string {
  const at = Math.round(wall);
  const days = Math.floor(at / DAY);
  const ms = at - days * DAY;
  const clock = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1_000) % 60].map((part) => padded(Math.floor(part)));
  return `${dateOf(days)}T${clock.join(':')}.${padded(ms % 1_000, 3)}Z`;
}
