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

/** A sentence of a program takes no more rows of a narrow terminal. */
const MAX_WRAPS = 5;
const FRAME_LEFT = /^[\s│┃║]+/u;
const FRAME_RIGHT = /(?<![\s│┃║█])[\s│┃║█]+$/u;

/**
 * Rows from the bottom as they would begin in a wide terminal, each with those right below it: joined by a blank as a program
 * wraps its words, and without one as a terminal wraps letters.
 */
export const unwrap = (region: readonly Row[]): Row[] =>
  region.flatMap(({ at, text }, index) => {
    let [words, letters] = [text, text];
    return region
      .slice(Math.max(0, index - MAX_WRAPS), index)
      .reverse()
      .filter((next, below) => next.at === at + below + 1)
      .flatMap((next) => {
        const more = next.text.replace(FRAME_LEFT, '');
        words = `${words.replace(FRAME_RIGHT, '')} ${more}`;
        letters = `${letters.replace(FRAME_RIGHT, '')}${more}`;
        return [words, letters].map((joined) => ({ at, text: joined }));
      });
  });

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
