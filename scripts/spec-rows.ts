/**
 * Checks the table of test/spec-rows.md: every rule has a row, and every test that a row names is there, by the test
 * runner's own list. Exits 1 for a row that is missing, unknown, written twice or empty, and for a test or story that is not
 * there.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scrubbed } from './environment.ts';

/** A test as the runner lists it: `describe > test`, parameters unfilled. */
export interface Listed {
  readonly name: string;
  /** Relative to the project. */
  readonly file: string;
}

const count = (prefix: string, most: number): string[] => Array.from({ length: most }, (_, i) => `${prefix}${i + 1}`);
/** Every rule that the table must name. */
export const ROWS: readonly string[] = [
  ...count('D-', 15),
  ...count('law ', 12),
  ...count('C-', 16),
  ...count('F-', 4),
  ...count('I-', 15),
];
/** The rows of the table: what each names, in order. A bar within a name is written `\|`. */
export function rowsOf(markdown: string): { readonly row: string; readonly tests: readonly string[] }[] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => {
      const [row = '', tests = ''] = line
        .split(/(?<!\\)\|/)
        .slice(1)
        .map((cell) => cell.trim().replaceAll('\\|', '|'));
      return { row, tests: tests.split('<br>').map((test) => test.trim()) };
    });
}

/** Whether a reference, `file: name` or a story's path, is there. */
function isThere(test: string, listed: readonly Listed[], exists: (path: string) => boolean): boolean {
  if (test.endsWith('.txt')) return test.startsWith('test/stories/') && exists(test);
  const [, file, name] = /^(\S+): (.+)$/.exec(test) ?? [];
  return listed.some((t) => t.file === file && (t.name === name || t.name.endsWith(` > ${name ?? ''}`)));
}

/** What is wrong with the table, one sentence each. */
export function check(
  markdown: string,
  listed: readonly Listed[],
  exists: (path: string) => boolean,
): readonly string[] {
  const table = rowsOf(markdown);
  const names = table.map(({ row }) => row);
  return [
    ...ROWS.filter((row) => !names.includes(row)).map((row) => `${row} has no row: add one with its tests`),
    ...names.filter((row) => !ROWS.includes(row)).map((row) => `"${row}" is no rule that this table is about`),
    ...names.filter((row, i) => names.indexOf(row) !== i).map((row) => `${row} has two rows`),
    ...table.flatMap(({ row, tests }) =>
      tests
        .filter((test) => !isThere(test, listed, exists))
        .map((test) => `${row} names a test that is not there: ${test === '' ? '(nothing)' : test}`),
    ),
  ];
}

/** Every test of the project, without running one. */
function listTests(root: string): Listed[] {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, 'list', '--json'], {
    cwd: root,
    encoding: 'utf8',
    env: scrubbed(process.env),
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`vitest could not list the tests: ${stderr}`);
  const listed = JSON.parse(stdout.slice(stdout.indexOf('['))) as Listed[];
  return listed.map(({ name, file }) => ({ name, file: file.slice(join(root, '/').length) }));
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  const wrong = check(readFileSync(join(root, 'test/spec-rows.md'), 'utf8'), listTests(root), (path) =>
    existsSync(join(root, path)),
  );
  for (const sentence of wrong) process.stderr.write(`${sentence}\n`);
  if (wrong.length > 0) process.exitCode = 1;
  else process.stdout.write(`All ${ROWS.length} rules have tests.\n`);
}
