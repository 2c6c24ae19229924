/** Sizes of files for a person. */

const UNIT = 1_000;

/** `10_000_000` is `10.0 MB`. */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  let [value, at] = [bytes, 0];
  for (; value >= UNIT && at < units.length - 1; at += 1) value /= UNIT;
  if (bytes === 1) return '1 byte';
  return `${at === 0 ? String(value) : value.toFixed(1)} ${units[at] ?? ''}`;
}
