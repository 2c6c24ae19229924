/**
 * Plays the few test files that failed once more, alone on the machine: `node scripts/again.ts REPORT.json`. A test that
 * fails beside the others and passes alone is unsteady: it is named on stderr, to be mended, and no verdict about the
 * change. One that fails twice, a run that broke without a failed test, or more than MOST files are a verdict, and stand.
 * Brings the report of vitest up to date; exits 0 if nothing failed in the end.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';

/** More files than this do not fail by chance. */
const MOST = 4;

interface FileReport {
  /** Path of the test file. */
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
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

const failedIn = (report: Report): string[] =>
  report.testResults.flatMap((file) =>
    file.assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => `${file.name}: ${fullName}`),
  );

async function main(path: string): Promise<number> {
  const first = JSON.parse(readFileSync(path, 'utf8')) as Report;
  const files = worthAgain(first);
  // It was called because the run failed: by an error outside any test, if no test did.
  if (files.length === 0) return 1;
  process.stderr.write(`Once more, alone, to tell unsteady tests from broken ones:\n${failedIn(first).join('\n')}\n`);
  const words = ['--maxWorkers=1', '--reporter=default', '--reporter=json', `--outputFile.json=${path}.again`];
  const localDir = join(import.meta.dirname, '..');
  const { exitCode } = await execa('vitest', ['run', ...files, ...words], {
    cwd: localDir,
    preferLocal: true,
    localDir,
    stdio: ['ignore', 'inherit', 'inherit'],
    reject: false,
  });
  const report = merged(first, JSON.parse(readFileSync(`${path}.again`, 'utf8')) as Report);
  writeFileSync(path, JSON.stringify(report));
  const still = new Set(failedIn(report));
  const unsteady = failedIn(first).filter((name) => !still.has(name));
  process.stderr.write(`unsteady, passed alone: ${unsteady.length}\n${unsteady.map((name) => `  ${name}\n`).join('')}`);
  return report.success && exitCode === 0 ? 0 : 1; // an error outside any test stands in no report
}

if (import.meta.main) process.exitCode = await main(process.argv[2] ?? '');
