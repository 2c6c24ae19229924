/** A regular expression that a person writes for names of sessions, tried with the names that take it longest. */
import { Script } from 'node:vm';

export const MAX_PATTERN = 200;
/** ms of CPU for all trials: a pattern without a flaw takes microseconds. */
const TRIAL_MS = 100;
const MICROSECONDS = 1_000;
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
const TRIAL = new Script('for (const one of names) pattern.test(one)');

export function fitsNames(source: string): boolean {
  if (source.length > MAX_PATTERN) return false;
  try {
    const pattern = new RegExp(source, 'u');
    const names = namesFor(source);
    const before = process.threadCpuUsage();
    while (!isTried(pattern, names)) {
      const { user, system } = process.threadCpuUsage(before);
      // A machine that stood still meanwhile makes no pattern slow.
      if (user + system >= TRIAL_MS * MICROSECONDS) return false;
    }
    return true;
  } catch {
    return false; // No expression at all.
  }
}

/** false = it was broken off. */
function isTried(pattern: RegExp, names: readonly string[]): boolean {
  try {
    TRIAL.runInNewContext({ pattern, names }, { timeout: TRIAL_MS });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  }
}
