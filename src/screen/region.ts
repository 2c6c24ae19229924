/** Pieces of a screen that several readers share: the last rows with words, clocks. Pure. */
import { isBlank } from './text.ts';

export interface Row {
  readonly at: number;
  readonly text: string;
}

/** Rows that are not blank, last first. */
export const fromBottom = (rows: readonly string[]): Row[] =>
  rows
    .map((text, at) => ({ at, text }))
    .filter(({ text }) => !isBlank(text))
    .reverse();

const UNITS: Readonly<Record<string, number>> = { h: 3_600, m: 60, s: 1 };

/** `1m 42s` or `12s` anywhere in the text, in seconds; null = no such clock. */
export function secondsIn(text: string): number | null {
  const clock = /(?<![\w.])(?:\d+h ?)?(?:\d+m ?)?\d+s(?!\w)/.exec(text)?.[0];
  if (clock === undefined) return null;
  return [...clock.matchAll(/(?<!\d)(\d+)([hms])/g)].reduce(
    (sum, [, n, unit]) => sum + Number(n) * (UNITS[unit ?? ''] ?? 0),
    0,
  );
}
