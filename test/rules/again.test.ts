import { describe, expect, it } from 'vitest';
import { judged, merged, unsteadyIn, worthAgain, type Report } from '../../scripts/again.ts';
import { closing, count } from '../../scripts/tally.ts';

/** A report as vitest writes it; each file is a list of what came of its tests. */
const report = (files: Record<string, string[]>, success = true): Report => {
  const all = Object.values(files).flat();
  const number = (wanted: string): number => all.filter((status) => status === wanted).length;
  return {
    success: success && number('failed') === 0,
    numTotalTests: all.length,
    numPassedTests: number('passed'),
    numFailedTests: number('failed'),
    numPendingTests: number('skipped'),
    numTodoTests: number('todo'),
    numFailedTestSuites: 0,
    testResults: Object.entries(files).map(([name, statuses]) => ({
      name,
      status: statuses.includes('failed') ? 'failed' : 'passed',
      assertionResults: statuses.map((status, at) => ({
        fullName: `${name} ${at}`,
        ancestorTitles: [name],
        title: String(at),
        status,
      })),
    })),
  };
};

describe('test files that failed are played once more, alone', () => {
  it('nothing, where everything passed', () => {
    expect(worthAgain(report({ a: ['passed'], b: ['passed'] }))).toEqual([]);
  });

  it('the files with failed tests, and no other', () => {
    expect(worthAgain(report({ a: ['passed'], b: ['passed', 'failed'] }))).toEqual(['b']);
  });

  it('a file that did not load counts as failed', () => {
    const { testResults, ...rest } = report({ a: [] }, false);
    expect(worthAgain({ ...rest, testResults: testResults.map((file) => ({ ...file, status: 'failed' })) })).toEqual([
      'a',
    ]);
  });

  it('not where so many failed that it is no chance, nor where the run broke without a failed test', () => {
    const many = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, ['failed']]));
    expect(worthAgain(report(many))).toEqual([]);
    expect(worthAgain(report({ a: ['passed'] }, false))).toEqual([]);
  });

  it('what passes alone takes the place of what failed, and every test is counted once', () => {
    const first = report({ a: ['passed', 'passed'], b: ['passed', 'failed', 'skipped'] });
    const whole = merged(first, report({ b: ['passed', 'passed', 'skipped'] }));
    expect(whole.success).toBe(true);
    expect(count(whole)).toMatchObject({ passed: 4, failed: 0, skipped: 1 });
  });

  it('what fails twice has failed', () => {
    const first = report({ a: ['passed'], b: ['failed'], c: ['failed'] });
    const whole = merged(first, report({ b: ['passed'], c: ['failed'] }));
    expect(whole.success).toBe(false);
    expect(count(whole)).toMatchObject({ passed: 2, failed: 1, skipped: 0 });
  });

  it('a second run that broke is no pass', () => {
    const first = report({ a: ['failed'] });
    expect(merged(first, report({ a: ['passed'] }, false)).success).toBe(false);
  });

  it('one that passes alone is unsteady, is counted in the closing line, and fails at three failures of ten', () => {
    const first = report({ a: ['passed'], b: ['failed', 'failed'], c: ['failed'] });
    const whole = merged(first, report({ b: ['passed', 'passed'], c: ['passed'] }));
    const unsteady = unsteadyIn(first, whole);
    expect(unsteady.map(({ test }) => test)).toEqual(['b 0', 'b 1', 'c 0']);
    expect(unsteady.map(({ path }) => path)).toEqual(['b > 0', 'b > 1', 'c > 0']);
    const lineAt = (...times: number[]) =>
      closing([
        count(
          judged(
            whole,
            unsteady.map((one, at) => ({ ...one, times: times[at] ?? 0 })),
          ),
        ),
      ]);
    expect(lineAt(1, 2, 1)).toEqual({ line: '4 passed, 0 failed, 3 unsteady', ok: true });
    expect(lineAt(1, 3, 1)).toEqual({ line: '3 passed, 1 failed, 2 unsteady', ok: false });
  });
});
