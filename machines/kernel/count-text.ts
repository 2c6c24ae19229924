/** Large numbers for a person. */

const KILO = 1_000;
const UNITS = ['', 'k', 'M', 'G'];

/** `950`, `12.3k`, `4.5M`. */
export function countText(count: number): string {
  let [value, at] = [count, 0];
  for (; value >= KILO && at < UNITS.length - 1; at += 1) value /= KILO;
  return at === 0 ? String(value) : `${value.toFixed(1)}${UNITS[at] ?? ''}`;
}
