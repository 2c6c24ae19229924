/** The closing line of a test run must never say more than the report does. */
import { describe, expect, it } from 'vitest';
import { closing, count } from '../../scripts/tally.ts';

const report = {
  success: true,
  numPassedTests: 7,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numFailedTestSuites: 0,
};

describe('the closing line', () => {
  it.each([
    ['all passed', report, '7 passed, 0 failed', true],
    [
      'one failed',
      { ...report, success: false, numFailedTests: 1, numFailedTestSuites: 1 },
      '7 passed, 1 failed',
      false,
    ],
    ['a file did not load', { ...report, success: false, numFailedTestSuites: 2 }, '7 passed, 2 failed', false],
    ['an error outside any test', { ...report, success: false }, '7 passed, 1 failed', false],
    ['some skipped', { ...report, numPendingTests: 2, numTodoTests: 1 }, '7 passed, 0 failed, 3 skipped', true],
    ['nothing ran', { ...report, numPassedTests: 0 }, '0 passed, 0 failed', false],
  ])('%s', (_what, one, line, ok) => {
    expect(closing([count(one)])).toEqual({ line, ok });
  });

  it('adds reports up', () => {
    expect(closing([count(report), count(report)]).line).toBe('14 passed, 0 failed');
  });
});
