/** Durations, counts and sizes as a person reads them. */
const SECOND_MS = 1_000;
const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;

/** `464 ms`, `2.3 s`, `3 min 20 s`, `5 h 10 min`, `2 d 3 h`: two units at most, never a bare 0 for a wait that was one. */
export function span(ms: number): string {
  if (!Number.isFinite(ms)) return 'unknown time';
  if (Math.abs(ms) < SECOND_MS) return `${Math.round(ms)} ms`;
  if (Math.abs(ms) < MINUTE_S * SECOND_MS) return `${Math.round(ms / 100) / 10} s`;
  const all = Math.round(ms / SECOND_MS);
  const [size, unit, part, smaller]: [number, string, number, string] =
    all < HOUR_S ? [MINUTE_S, 'min', 1, 's'] : all < DAY_S ? [HOUR_S, 'h', MINUTE_S, 'min'] : [DAY_S, 'd', HOUR_S, 'h'];
  const rest = Math.floor((all % size) / part);
  return `${Math.floor(all / size)} ${unit}${rest === 0 ? '' : ` ${rest} ${smaller}`}`;
}

/** `1 process`, `2 processes`. */
export function times(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `ab, cd and 3 more`: of many names the first ones. */
export const firstNames = (names: readonly string[], most: number): string =>
  `${names.slice(0, most).join(', ')}${names.length > most ? ` and ${names.length - most} more` : ''}`;

/** The same as lines of their own. */
export const firstLines = (lines: readonly string[], most: number): string[] =>
  lines.length > most ? [...lines.slice(0, most), `… and ${lines.length - most} more`] : [...lines];

const KILO = 1_000;
const UNITS = ['', 'k', 'M', 'G'];

/** `950`, `12.3k`, `4.5M`. */
export function countText(count: number): string {
  let [value, at] = [count, 0];
  for (; value >= KILO && at < UNITS.length - 1; at += 1) value /= KILO;
  return at === 0 ? String(value) : `${value.toFixed(1)}${UNITS[at] ?? ''}`;
}

const SIZES = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** Bytes in decimal units: `10_000_000` is `10 MB`, `1_400_000` is `1.4 MB`. */
export function sizeText(bytes: number): string {
  if (bytes === 1) return '1 byte';
  let [value, at] = [bytes, 0];
  for (; Math.round(value) >= KILO && at < SIZES.length - 1; at += 1) value /= KILO;
  const shown = value.toFixed(1);
  return `${at === 0 || Number(shown) >= 10 ? Math.round(value) : shown} ${SIZES[at] ?? ''}`;
}
