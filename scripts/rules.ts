/**
 * Prints the map from rules to tests, and checks it. A test cites its rules in a comment line directly above it,
 * `// Rules: D-3, law 11.`; a story in its second line, `# Rules: D-3.`. RULES.md has each rule once, in plain sentences.
 * Exits 1 for a rule without a test, for an id that the code or a test cites and RULES.md does not have, and for a citation
 * that stands above no test.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { PRODUCT, sourcesOf } from './rooms.ts';

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
const ID = /\b(?:[DCPWTMFVIRAN]-\d+|[Ll]aw \d+)\b/g;

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

/** A line of a table of RULES.md. A bar within a cell is written `\|`. */
export interface Row {
  readonly row: string;
  readonly rule: string;
}

/** The rows of all tables, in order. */
export function rowsOf(markdown: string): Row[] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\| (row|---) \|/.test(line))
    .map((line) => {
      const [row = '', rule = ''] = line
        .split(/(?<!\\)\|/)
        .slice(1)
        .map((cell) => cell.trim().replaceAll('\\|', '|'));
      return { row, rule };
    });
}

/** A test or a story that shows rules. `name` is null for a citation that stands above no test. */
export interface Shown {
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  readonly name: string | null;
  readonly ids: readonly string[];
}

const CITATION = /^\s*\/\/ Rules: (.+)\.$/;
const STORY_CITATION = /^# Rules: (.+)\.$/;

/** The name of a test or of a group of tests, as its call gives it; null for any other statement. */
function nameOf(node: ts.Node, file: ts.SourceFile): string | null {
  if (!ts.isExpressionStatement(node) || !ts.isCallExpression(node.expression)) return null;
  const callee = node.expression.expression.getText(file);
  if (!/^(test|it|describe|suite)\b/.test(callee)) return null;
  const [name] = node.expression.arguments;
  if (name === undefined) return null;
  return ts.isStringLiteralLike(name) ? name.text : name.getText(file);
}

/** The citations of a test file, each with the statement that begins on the next line. */
export function shownIn(path: string, text: string): Shown[] {
  const cited = text.split('\n').flatMap((line, index) => {
    const [, ids] = CITATION.exec(line) ?? [];
    return ids === undefined ? [] : [{ line: index + 1, ids: idsIn(ids) }];
  });
  if (cited.length === 0) return [];
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const names = new Map<number, string>();
  const visit = (node: ts.Node): void => {
    const name = nameOf(node, file);
    if (name !== null) names.set(file.getLineAndCharacterOfPosition(node.getStart(file)).line, name);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return cited.map(({ line, ids }) => ({ path, line: line + 1, name: names.get(line) ?? null, ids }));
}

/** The citations of a story: its title is its name. */
export function storyShown(path: string, text: string): Shown[] {
  const [title = '', second = ''] = text.split('\n');
  const [, ids] = STORY_CITATION.exec(second) ?? [];
  return ids === undefined ? [] : [{ path, line: 2, name: title.replace(/^# /, ''), ids: idsIn(ids) }];
}

/** Every citation of the tests and stories below `test/`. */
export function allShown(root: string): Shown[] {
  const stories = readdirSync(join(root, 'test/stories'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.txt'))
    .map((name) => join('test/stories', name))
    .sort();
  return [
    ...sourcesOf(root, 'test').flatMap((path) => shownIn(path, readFileSync(join(root, path), 'utf8'))),
    ...stories.flatMap((path) => storyShown(path, readFileSync(join(root, path), 'utf8'))),
  ];
}

/** What the rules are compared with. */
export interface Found {
  readonly shown: readonly Shown[];
  readonly cited: readonly Cited[];
}

/** What is wrong with the rules and their tests, one sentence each. */
export function check(markdown: string, { shown, cited }: Found): readonly string[] {
  const table = rowsOf(markdown);
  const names = table.map(({ row }) => row);
  const others = cited.filter(({ id }) => !ROWS.includes(id));
  const hasTest = new Set(shown.flatMap(({ ids, name }) => (name === null ? [] : ids)));
  return [
    ...ROWS.filter((row) => !names.includes(row)).map((row) => `${row} has no row: add one to RULES.md`),
    ...others.filter(({ id }) => !names.includes(id)).map(({ id, path }) => `${path} cites ${id}, which has no row`),
    ...names
      .filter((row) => !ROWS.includes(row) && !others.some(({ id }) => id === row))
      .map((row) => `"${row}" is no rule that is built or cited`),
    ...names.filter((row, i) => names.indexOf(row) !== i).map((row) => `${row} has two rows`),
    ...table.filter(({ rule }) => rule === '').map(({ row }) => `${row} has no sentence`),
    ...names.filter((row) => !hasTest.has(row)).map((row) => `${row} has no test: cite it above one`),
    ...shown.flatMap(({ path, line, name, ids }) => [
      ...(name === null ? [`${path}:${line} is no test, but the line above it cites ${ids.join(', ')}`] : []),
      ...(ids.length === 0 ? [`${path}:${line} cites no rule`] : []),
      ...ids.filter((id) => !names.includes(id)).map((id) => `${path}:${line} cites ${id}, which has no row`),
    ]),
  ];
}

/** The map as text: each rule with the tests that cite it. */
export function mapOf(rows: readonly Row[], shown: readonly Shown[]): string {
  return rows
    .map(({ row }) => {
      const tests = shown.filter(({ ids }) => ids.includes(row));
      return [row, ...tests.map(({ path, line, name }) => `  ${path}:${line}  ${name ?? ''}`)].join('\n');
    })
    .join('\n');
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  const rules = readFileSync(join(root, 'RULES.md'), 'utf8');
  const shown = allShown(root);
  process.stdout.write(`${mapOf(rowsOf(rules), shown)}\n`);
  const wrong = check(rules, { shown, cited: citedIn(root) });
  for (const sentence of wrong) process.stderr.write(`${sentence}\n`);
  if (wrong.length > 0) process.exitCode = 1;
}
