/**
 * Plays the few test files that failed once more, alone on the machine: `node scripts/again.ts REPORT.json`. A test that
 * fails beside the others and passes alone is unsteady: it is named on stderr and counted in the report, to be mended. It is
 * played RUNS times in all; one that fails MAX_FAILURES of them has failed, and so has what fails twice, a run that broke
 * without a failed test, and more than MOST files. Brings the report of vitest up to date; exits 0 if nothing failed in the end.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { inTestRun, type TestRun } from './test-run.ts';

/** More files than this do not fail by chance. */
const MOST = 4;
/** So often an unsteady test is played in all … */
const RUNS = 10;
/** … and so many failures of these are a failure. */
const MAX_FAILURES = 3;

interface FileReport {
  /** Path of the test file. */
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly {
    readonly fullName: string;
    /** Of the groups that it is in, the outermost first. */
    readonly ancestorTitles: readonly string[];
    readonly title: string;
    readonly status: string;
  }[];
}

/** The part of vitest's JSON report that is read or written here. */
export interface Report {
  readonly success: boolean;
  readonly numTotalTests: number;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numFailedTestSuites: number;
  /** Tests that failed beside others and passed alone; vitest knows none. */
  readonly unsteady?: number;
  readonly testResults: readonly FileReport[];
}

const broke = (file: FileReport): boolean =>
  file.status === 'failed' || file.assertionResults.some(({ status }) => status === 'failed');

/** The files to play once more; none where the first run is a verdict already, good or bad. */
export function worthAgain(report: Report): string[] {
  const files = report.testResults.filter(broke).map(({ name }) => name);
  return report.success || files.length > MOST ? [] : files;
}

/** The first report with the files of the second in their place. */
export function merged(first: Report, second: Report): Report {
  const later = new Map(second.testResults.map((file) => [file.name, file]));
  const files = first.testResults.map((file) => later.get(file.name) ?? file);
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const count = (...wanted: string[]): number => tests.filter(({ status }) => wanted.includes(status)).length;
  return {
    ...first,
    success: second.success && !files.some(broke),
    numTotalTests: tests.length,
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    numPendingTests: count('pending', 'skipped'),
    numTodoTests: count('todo'),
    numFailedTestSuites: files.filter(broke).length,
    testResults: files,
  };
}

interface Failed {
  readonly file: string;
  readonly test: string;
  /** As vitest's `-t` compares it. */
  readonly path: string;
}

const failedIn = ({ testResults }: Report): Failed[] =>
  testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, ancestorTitles, title }) => ({
        file: name,
        test: fullName,
        path: [...ancestorTitles, title].join(' > '),
      })),
  );

const told = (some: readonly Failed[]): string => some.map(({ file, test }) => `  ${file}: ${test}\n`).join('');

/** The tests of `first` that did not fail in `later`. */
export const unsteadyIn = (first: Report, later: Report): Failed[] => {
  const still = new Set(failedIn(later).map(({ file, test }) => `${file} ${test}`));
  return failedIn(first).filter(({ file, test }) => !still.has(`${file} ${test}`));
};

/** `first` with what its unsteady tests came to: how often each failed in RUNS. */
export function judged(first: Report, failures: readonly (Failed & { readonly times: number })[]): Report {
  const isBad = ({ times }: { readonly times: number }): boolean => times >= MAX_FAILURES;
  const bad = new Set(failures.filter(isBad).map(({ file, test }) => `${file} ${test}`));
  const testResults = first.testResults.map((file) => ({
    ...file,
    assertionResults: file.assertionResults.map((one) =>
      bad.has(`${file.name} ${one.fullName}`) ? { ...one, status: 'failed' } : one,
    ),
  }));
  const { numPassedTests, numFailedTests } = first;
  return {
    ...first,
    testResults,
    success: first.success && bad.size === 0,
    unsteady: failures.length - bad.size,
    numPassedTests: numPassedTests - bad.size,
    numFailedTests: numFailedTests + bad.size,
  };
}

/** Plays these, alone on the machine; resolves with what came of it and whether the run broke outside any test. */
async function play(
  run: TestRun,
  words: readonly string[],
  path: string,
): Promise<{ report: Report; isWhole: boolean }> {
  const options = ['--maxWorkers=1', '--reporter=default', '--reporter=json', `--outputFile.json=${path}`];
  const isGood = await run.passes(...words, ...options);
  const report = JSON.parse(readFileSync(path, 'utf8')) as Report;
  return { report, isWhole: isGood || failedIn(report).length > 0 };
}

/** How often a test failed, of RUNS. It failed once and passed once already. */
async function timesOf(testRun: TestRun, { file, path: name }: Failed, path: string): Promise<number> {
  let failed = 1;
  for (let run = 2; run < RUNS && failed < MAX_FAILURES; run += 1) {
    const only = `^${name.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')}$`;
    const { report, isWhole } = await play(testRun, [file, '-t', only], path);
    // One that was not played did not pass.
    if (!isWhole || report.numPassedTests === 0) failed += 1;
  }
  return failed;
}

/** Whether nothing failed in the end. */
async function main(run: TestRun, path: string): Promise<boolean> {
  const first = JSON.parse(readFileSync(path, 'utf8')) as Report;
  const files = worthAgain(first);
  // It was called because the run failed: by an error outside any test, if no test did.
  if (files.length === 0) return false;
  process.stderr.write(`Once more, alone, to tell unsteady tests from broken ones:\n${told(failedIn(first))}`);
  const { report: second, isWhole } = await play(run, files, `${path}.again`);
  const whole = merged(first, second);
  const unsteady = unsteadyIn(first, whole);
  const failures: (Failed & { times: number })[] = [];
  // Nothing to learn from them where the run is red anyway.
  if (whole.success && isWhole)
    for (const one of unsteady) failures.push({ ...one, times: await timesOf(run, one, `${path}.again`) });
  const report = judged(whole, failures);
  writeFileSync(path, JSON.stringify(report));
  process.stderr.write(`unsteady, passed alone: ${unsteady.length}\n${told(unsteady)}`);
  for (const { test, times } of failures) process.stderr.write(`  failed ${times} times in ${RUNS}: ${test}\n`);
  return report.success && isWhole;
}

if (import.meta.main) process.exitCode = await inTestRun((run) => main(run, process.argv[2] ?? ''));
