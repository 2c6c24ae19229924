/**
 * Checks the tables of RULES.md: every rule has a row with its sentence, so has every rule that the code cites, and every test
 * that a row names is there, by the test runner's own list. Exits 1 for a row that is missing, unknown, written twice or empty,
 * and for a test or story that is not there.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scrubbed } from './environment.ts';
import { PRODUCT } from './rooms.ts';

/** A test as the runner lists it: `describe > test`, parameters unfilled. */
export interface Listed {
  readonly name: string;
  /** Relative to the project. */
  readonly file: string;
}

const count = (prefix: string, most: number): string[] => Array.from({ length: most }, (_, i) => `${prefix}${i + 1}`);
/** Every rule that is built whole. Of the others those have a row that the code cites. */
export const ROWS: readonly string[] = [
  ...count('D-', 15),
  ...count('law ', 12),
  ...count('C-', 16),
  ...count('F-', 4),
  ...count('I-', 15),
];
/** The id of a rule, as comments cite it. */
const ID = /\b(?:[DCPWTMFVIR]-\d+|[Ll]aw \d+)\b/g;

export const idsIn = (text: string): string[] => (text.match(ID) ?? []).map((id) => id.replace('Law', 'law'));

/** A citation of a rule: its id, and the file in which it stands first. */
export interface Cited {
  readonly id: string;
  readonly path: string;
}

/** Every rule that a file of the product cites. */
export function citedIn(root: string): Cited[] {
  const first = new Map<string, string>();
  for (const room of PRODUCT)
    for (const entry of readdirSync(join(root, room), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      for (const id of idsIn(readFileSync(path, 'utf8')))
        if (!first.has(id)) first.set(id, path.slice(join(root, '/').length));
    }
  return [...first].map(([id, path]) => ({ id, path }));
}

/** A line of a table: the rule, its sentence and what shows it. A bar within a cell is written `\|`. */
export interface Row {
  readonly row: string;
  readonly rule: string;
  readonly tests: readonly string[];
}

/** The rows of all tables, in order. */
export function rowsOf(markdown: string): Row[] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\| (row|---) \|/.test(line))
    .map((line) => {
      const [row = '', rule = '', tests = ''] = line
        .split(/(?<!\\)\|/)
        .slice(1)
        .map((cell) => cell.trim().replaceAll('\\|', '|'));
      return { row, rule, tests: tests.split('<br>').map((test) => test.trim()) };
    });
}

/** Whether a reference, `file: name` or a story's path, is there. */
function isThere(test: string, listed: readonly Listed[], exists: (path: string) => boolean): boolean {
  if (test.endsWith('.txt')) return test.startsWith('test/stories/') && exists(test);
  const [, file, name] = /^(\S+): (.+)$/.exec(test) ?? [];
  return listed.some((t) => t.file === file && (t.name === name || t.name.endsWith(` > ${name ?? ''}`)));
}

/** What the tables are compared with. */
export interface Found {
  readonly listed: readonly Listed[];
  readonly exists: (path: string) => boolean;
  readonly cited: readonly Cited[];
}

/** What is wrong with the tables, one sentence each. */
export function check(markdown: string, { listed, exists, cited }: Found): readonly string[] {
  const table = rowsOf(markdown);
  const names = table.map(({ row }) => row);
  const others = cited.filter(({ id }) => !ROWS.includes(id));
  return [
    ...ROWS.filter((row) => !names.includes(row)).map((row) => `${row} has no row: add one with its tests`),
    ...others.filter(({ id }) => !names.includes(id)).map(({ id, path }) => `${path} cites ${id}, which has no row`),
    ...names
      .filter((row) => !ROWS.includes(row) && !others.some(({ id }) => id === row))
      .map((row) => `"${row}" is no rule that is built or cited`),
    ...names.filter((row, i) => names.indexOf(row) !== i).map((row) => `${row} has two rows`),
    ...table.filter(({ rule }) => rule === '').map(({ row }) => `${row} has no sentence`),
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
  const rules = readFileSync(join(root, 'RULES.md'), 'utf8');
  const exists = (path: string): boolean => existsSync(join(root, path));
  const wrong = check(rules, { listed: listTests(root), exists, cited: citedIn(root) });
  for (const sentence of wrong) process.stderr.write(`${sentence}\n`);
  if (wrong.length > 0) process.exitCode = 1;
  else process.stdout.write(`All ${rowsOf(rules).length} rules have tests.\n`);
}
