/** A regular expression that a person writes for names of sessions, tried with the names that take it longest. */
import { TimeLimit } from '../screen/time-limit.ts';

export const MAX_PATTERN = 200;
/** ms of CPU for all trials: a pattern without a flaw takes microseconds. */
const TRIAL_MS = 100;
/** Signs of the longest name. */
const LONGEST = 64;

/** Names on which patterns with nested repetitions go back and forth: of usual letters, and of those that stand in it. */
function namesFor(source: string): string[] {
  const own = source.match(/[A-Za-z0-9_-]/g) ?? [];
  const pairs = own.slice(1).map((letter, at) => `${own[at] ?? ''}${letter}`);
  const parts = new Set(['a', '1', 'ab', 'a-', 'a1_', '-', ...own, ...pairs]);
  const names = [...parts].map((part) => part.repeat(LONGEST).slice(0, LONGEST - 1));
  return [...names, ...names.map((name) => `${name}!`)];
}

export function fitsNames(source: string): boolean {
  if (source.length > MAX_PATTERN) return false;
  try {
    const pattern = new RegExp(source, 'u');
    const names = namesFor(source);
    new TimeLimit(() => undefined, TRIAL_MS).run(() => names.forEach((one) => pattern.test(one)));
    return true;
  } catch {
    return false; // No expression at all, or one that takes too long.
  }
}
