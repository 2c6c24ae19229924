/** A main that does not pass the test of its merges: which red merges it excuses, and for how long that is believed. */
import { REFINERY } from './policy.ts';

export interface RedMain {
  readonly why: string;
  /** null = its test has no result, or it is not known what failed. */
  readonly fails: ReadonlySet<string> | null;
  /** When its test had run (ms of this process's clock). */
  readonly at: number;
  readonly tookMs: number;
}

export interface Asked {
  readonly words: readonly string[];
  /** What failed in the merge; null = it is not known. */
  readonly fails: ReadonlySet<string> | null;
  /** How old an answer may be; one of a test that takes long may be older. */
  readonly leastMs: number;
}

/**
 * Where all of main's failures are the merge's too, the merge says nothing of the work: main is broken, or what the test needs is away.
 * Where one is gone, the work changed what fails, and what is left is its own. What is not known is no fault of the work.
 */
export function excuses(main: Pick<RedMain, 'fails'>, merge: Pick<Asked, 'fails'>): boolean {
  const { fails } = merge;
  return main.fails === null || fails === null || [...main.fails].every((line) => fails.has(line));
}

export const isFresh = (
  { at, tookMs }: Pick<RedMain, 'at' | 'tookMs'>,
  { leastMs }: Pick<Asked, 'leastMs'>,
  now: number,
): boolean => now - at < Math.max(leastMs, tookMs * REFINERY.redMainTests);
