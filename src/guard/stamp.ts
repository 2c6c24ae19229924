/** The time of day for the guard's log and guard.json, without `Date`: its time zone tables cost a megabyte of memory. */
import type { WallMs } from '../../machines/protocol.ts';

const MS_PER_DAY = 86_400_000;
/** Days from 0000-03-01 to 1970-01-01; years that begin in March have their leap day at the end. */
const DAYS_TO_1970 = 719_468;
const DAYS_PER_ERA = 146_097;

/** `2026-11-22T01:02:03.456Z`, as `Date.toISOString` gives it, for times from 1970 on. */
export function isoTime(wall: WallMs): string {
  const days = Math.floor(wall / MS_PER_DAY);
  const inDay = wall - days * MS_PER_DAY;
  const { year, month, day } = civil(days);
  const hour = Math.floor(inDay / 3_600_000);
  const minute = Math.floor(inDay / 60_000) % 60;
  const second = Math.floor(inDay / 1_000) % 60;
  const date = `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
  return `${date}T${digits(hour, 2)}:${digits(minute, 2)}:${digits(second, 2)}.${digits(Math.floor(inDay) % 1_000, 3)}Z`;
}

/** Howard Hinnant's civil_from_days: an era is the 400 years after which the calendar repeats. */
function civil(daysSince1970: number): { year: number; month: number; day: number } {
  const days = daysSince1970 + DAYS_TO_1970;
  const era = Math.floor(days / DAYS_PER_ERA);
  const ofEra = days - era * DAYS_PER_ERA;
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1_460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  );
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * ofYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const day = ofYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, '0');
}
