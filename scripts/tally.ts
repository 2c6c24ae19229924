/**
 * Prints the last line of a test run, `N passed, N failed` (and how many passed only alone), from the JSON report of the test runner:
 * `node scripts/tally.ts REPORT.json…` adds several up. Exits 1 when anything failed, when a report is missing, or when
 * nothing ran: no news is not good news.
 */
import { readFileSync } from 'node:fs';
import type { Report } from './again.ts';

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Failed beside others, passed alone. */
  readonly unsteady: number;
}

/** Counts one report. A run that failed without a failed test (a file that did not load) counts as one failure at least. */
export function count(report: Omit<Report, 'testResults' | 'numTotalTests'>): Tally {
  const broken = report.success ? 0 : Math.max(1, report.numFailedTestSuites);
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests > 0 ? report.numFailedTests : broken,
    skipped: report.numPendingTests + report.numTodoTests,
    unsteady: report.unsteady ?? 0,
  };
}

function read(path: string): Tally {
  try {
    return count(JSON.parse(readFileSync(path, 'utf8')) as Report);
  } catch (error) {
    process.stderr.write(`No report of the tests at ${path}: ${String(error)}\n`);
    return { passed: 0, failed: 1, skipped: 0, unsteady: 0 };
  }
}

/** The closing line; `ok` is false when something failed or nothing passed. */
export function closing(tallies: readonly Tally[]): { line: string; ok: boolean } {
  const sum = (part: keyof Tally): number => tallies.reduce((total, tally) => total + tally[part], 0);
  const more = (['skipped', 'unsteady'] as const).filter((part) => sum(part) > 0);
  return {
    line: [`${sum('passed')} passed`, `${sum('failed')} failed`, ...more.map((part) => `${sum(part)} ${part}`)].join(
      ', ',
    ),
    ok: sum('failed') === 0 && sum('passed') > 0,
  };
}

if (import.meta.main) {
  const { line, ok } = closing(process.argv.slice(2).map(read));
  process.stdout.write(`${line}\n`);
  if (!ok) process.exitCode = 1;
}
