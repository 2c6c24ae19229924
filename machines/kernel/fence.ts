/**
 * A fence around foreign text in what a model reads (law 11): the town's own words stand outside, all others inside. Its mark is drawn by
 * chance for each text, so that nothing inside can end it.
 */
import { showInvisible } from './visible-text.ts';

/** Signs of a mark: more than anybody guesses. */
export const FENCE_SIGNS = 16;

export interface Fence {
  readonly begin: string;
  readonly end: string;
  /** The text between the two lines, without the mark and with invisible characters named. */
  readonly around: (text: string) => string;
}

/** `mark`: letters and digits by chance, new for each text. Pure. */
export function fenceOf(mark: string): Fence {
  const [begin, end] = [`<<<DATA ${mark}`, `DATA ${mark}>>>`];
  return { begin, end, around: (text) => `${begin}\n${showInvisible(text).replaceAll(mark, '')}\n${end}` };
}
