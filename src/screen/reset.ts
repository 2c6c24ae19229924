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

/**
 * Whether this time is over. A time of day means the nearest one, before or after now: a farther one would come with
 * its day. Pure.
 */
export function isReset(words: string, now: WallMs): boolean {
  const [, day, year, time] = DATE.exec(words) ?? [];
  if (day !== undefined) return Date.parse(`${day}, ${year ?? ''} ${time ?? ''}`) < now;
  const [, hour = '', minute, half, zone] = TIME_OF_DAY.exec(words) ?? [];
  if (hour === '' || (minute === undefined && half === undefined)) return false;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  const clock = minutesOfDay(now, zone);
  if (clock === null || hours > 23 || Number(minute ?? 0) > 59) return false;
  const since = (clock - hours * 60 - Number(minute ?? 0) + MINUTES_A_DAY) % MINUTES_A_DAY;
  return since > 0 && since < MINUTES_A_DAY / 2;
}

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
