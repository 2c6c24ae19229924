/** Sizes of memory as people write them: a number and a unit. Bytes inside. */

const UNITS: Readonly<Record<string, number>> = {
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

export const SIZE = /^(\d{1,9}(?:\.\d{1,3})?) ?([kMGT]B|[KMGT]iB)$/;

/** `"2 GB"`, `"512MB"`, `"1.5 GiB"`; null when it is not a size. Whole bytes, rounded. */
export function parseSize(text: string): number | null {
  const [, number, unit = ''] = SIZE.exec(text.trim()) ?? [];
  const bytes = UNITS[unit];
  return number === undefined || bytes === undefined ? null : Math.round(Number(number) * bytes);
}

/** The largest unit in which it is a whole number; what `parseSize` reads back. */
export function formatSize(bytes: number): string {
  const unit = ['TB', 'GB', 'MB', 'kB'].find((name) => bytes % (UNITS[name] ?? 1) === 0) ?? 'kB';
  return `${bytes === 0 ? 0 : bytes / (UNITS[unit] ?? 1)} ${bytes === 0 ? 'MB' : unit}`;
}
