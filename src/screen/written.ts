/**
 * What a program wrote, and whether something came since the look before (M-3). Its input, what it redraws in place and
 * decoration are none of it. Pure.
 */
import { cutAt } from '../terminal/columns.ts';
import { matches } from './matching.ts';
import type { Pack } from './pack.ts';
import { READING, WRITTEN } from './policy.ts';
import type { Picture, Screen } from './screen.ts';
import { normalise, plain } from './text.ts';
import { withinOr } from './time-limit.ts';

export interface Written {
  /** Rows with words from the top, without colour. */
  readonly lines: readonly string[];
  /** Rows that were ever written above the cursor, of a program that writes line by line; null = it draws, or this is not known. */
  readonly place: number | null;
}

/** Says something without its counters, clocks and spinners. */
const hasWords = (line: string): boolean => /[\p{L}\p{N}]/u.test(line);

/** `place`: by tmux, of the very moment; null = not known. */
export function writtenOn(pack: Pack, { rows, alternate }: Picture, screen: Screen, place: number | null): Written {
  const end = screen.composer?.from ?? rows.length;
  const lines = rows.slice(0, end).flatMap((row, at) => {
    // What a program draws beside its talk stays, while the talk scrolls.
    const line = cutAt(plain(row), screen.columns ?? Infinity)[0].trimEnd();
    return screen.animated.includes(at) || !hasWords(line) ? [] : [line];
  });
  const said = withinOr(pack, () => lines.filter((line) => !matches(pack.noise, line)), lines);
  return { lines: said.slice(-WRITTEN.rows), place: pack.complete || alternate === true ? null : place };
}

/** A new line, or other words in one: counters that only go on in their places are none. */
export function hasNews(before: Written, now: Written): boolean {
  if (before.place !== null && now.place !== null && now.place > before.place) return true;
  const [one, other] = [before.lines.map(normalise), now.lines.map(normalise)];
  if (one.length !== other.length || one.some((line, at) => line !== other[at])) return true;
  return isScrolled(before.lines, now.lines);
}

/** The same lines stand higher, though all look alike without their counters; what a program pins at the top stays. */
function isScrolled(before: readonly string[], now: readonly string[]): boolean {
  const pinned = now.findIndex((line, at) => line !== before[at]);
  if (pinned < 0) return false;
  const [was, is] = [before.slice(pinned), now.slice(pinned)];
  const shifts = Array.from({ length: Math.max(0, is.length - WRITTEN.alike) }, (_, at) => at + 1);
  return shifts.some((by) => was.slice(by).every((line, at) => line === is[at]));
}

/** The last of these lines that the pack knows as an error; null = none. */
export function errorIn(pack: Pack, lines: readonly string[]): string | null {
  const { match, not } = pack.errors;
  if (match.length === 0) return null;
  const last = lines.slice(-WRITTEN.errorRows).map((line) => line.trim().slice(0, READING.maxRowChars));
  return withinOr(pack, () => last.findLast((line) => matches(match, line) && !matches(not, line)) ?? null, null);
}
