/**
 * When a usage limit ends, in a program's words. A screen that is not drawn again shows a limit long after it ended:
 * without a look at the clock its agent would never be asked again.
 */
import type { WallMs } from '../../machines/protocol.ts';

/** `3am`, `10:25 PM`, `10:20pm (Europe/Berlin)`. Days and spans are not read: the limit then lasts as long as it is shown. */
const TIME_OF_DAY = /^(\d{1,2})(?::(\d{2}))?(?:\s*([ap]m))?(?:\s*\(([\w/+-]+)\))?[.\s]*$/i;
/** `Nov 23rd, 2026 12:50 AM`, where the town runs. */
const DATE = /^([a-z]{3,9} \d{1,2})(?:st|nd|rd|th)?,? (\d{4}),? (\d{1,2}:\d{2}(?: ?[ap]m)?)[.\s]*$/i;
const MINUTES_A_DAY = 24 * 60;
const MINUTE_MS = 60_000;

/** Whether this time is over. Pure. */
export function isReset(words: string, now: WallMs): boolean {
  const at = resetAt(words, now);
  return at !== null && at < now;
}

/**
 * The time that these words name; null = none. A time of day means the nearest one, before or after now: a farther one would
 * come with its day. Pure.
 */
export function resetAt(words: string, now: WallMs): WallMs | null {
  const [, day, year, time] = DATE.exec(words) ?? [];
  if (day !== undefined) return orNone(Date.parse(`${day}, ${year ?? ''} ${time ?? ''}`));
  const [, hour = '', minute, half, zone] = TIME_OF_DAY.exec(words) ?? [];
  if (hour === '' || (minute === undefined && half === undefined)) return null;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  const past = Number(minute ?? 0);
  return hours > 23 || past > 59 ? null : nearest(hours * 60 + past, now, zone);
}

/** The nearest time at which the clock of that zone shows these minutes of the day. */
function nearest(wanted: number, now: WallMs, zone: string | undefined): WallMs | null {
  const clock = minutesOfDay(now, zone);
  if (clock === null) return null;
  const since = (clock - wanted + MINUTES_A_DAY) % MINUTES_A_DAY;
  // Within its own minute it is not over yet.
  if (since === 0) return now;
  const minutes = since < MINUTES_A_DAY / 2 ? -since : MINUTES_A_DAY - since;
  const guess = (Math.floor(now / MINUTE_MS) + minutes) * MINUTE_MS;
  // The clock may be set to summer or winter time in between.
  const off =
    ((wanted - (minutesOfDay(guess, zone) ?? wanted) + 1.5 * MINUTES_A_DAY) % MINUTES_A_DAY) - MINUTES_A_DAY / 2;
  const corrected = guess + off * MINUTE_MS;
  // A time that this night leaves out counts from before the change, so it is the later of the two.
  return minutesOfDay(corrected, zone) === wanted ? corrected : Math.max(guess, corrected);
}

const orNone = (at: number): WallMs | null => (Number.isNaN(at) ? null : at);

/** In a zone, or where the town runs; null = there is no such zone. */
function minutesOfDay(now: WallMs, zone: string | undefined): number | null {
  try {
    const format = new Intl.DateTimeFormat('en', {
      hour: 'numeric',
      minute: 'numeric',
      hourCycle: 'h23',
      ...(zone !== undefined && { timeZone: zone }),
    });
    const part = (type: string): number => Number(format.formatToParts(now).find((one) => one.type === type)?.value);
    return part('hour') * 60 + part('minute');
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
