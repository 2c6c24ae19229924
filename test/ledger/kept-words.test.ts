/**
 * What the code reads of a bead's metadata and labels is what the town keeps for itself (law 11): a word that decides something, and that
 * any agent may write, is no order. The sources are read as syntax trees; a constant is followed by its name.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { isKeptKey, isKeptLabel } from '../../src/ledger/kept-words.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Words that say something of a bead which is its owner's to say. */
const OWNERS: ReadonlyMap<string, string> = new Map([
  ['label staged', 'an agent that may change a bead may hold it back'],
  ['key count', 'it is read of escalations alone, which are the town’s whole'],
]);

interface Read {
  readonly what: 'key' | 'label';
  readonly word: string;
  readonly at: string;
}
type Constants = ReadonlyMap<string, readonly string[]>;

function walk(node: ts.Node, visit: (one: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

const parse = (path: string, text: string): ts.SourceFile =>
  ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);

/** `const NAME = 'word'`, of all files: two of a name count both. */
function constantsIn(files: readonly ts.SourceFile[]): Constants {
  const found = new Map<string, string[]>();
  for (const file of files)
    walk(file, (node) => {
      if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name) || node.initializer === undefined) return;
      const value = ts.isAsExpression(node.initializer) ? node.initializer.expression : node.initializer;
      if (!ts.isStringLiteralLike(value)) return;
      found.set(node.name.text, [...(found.get(node.name.text) ?? []), value.text]);
    });
  return found;
}

/** The words that an expression may be; empty = they come from elsewhere. */
function wordsOf(node: ts.Node | undefined, constants: Constants): readonly string[] {
  if (node === undefined) return [];
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node) && node.head.text !== '') return [node.head.text];
  return ts.isIdentifier(node) ? (constants.get(node.text) ?? []) : [];
}

/** `metadata[…]`, `bead.metadata[…]`, `word('…')` of a function that reads it so. */
function keysAt(node: ts.Node, readers: ReadonlySet<string>, constants: Constants): readonly string[] {
  if (ts.isElementAccessExpression(node) && isCalled(node.expression, 'metadata'))
    return wordsOf(node.argumentExpression, constants);
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && readers.has(node.expression.text))
    return wordsOf(node.arguments[0], constants);
  return ts.isBinaryExpression(node) &&
    node.operatorToken.kind === ts.SyntaxKind.InKeyword &&
    isCalled(node.right, 'metadata')
    ? wordsOf(node.left, constants)
    : [];
}

const isCalled = (node: ts.Node, name: string): boolean =>
  (ts.isIdentifier(node) && node.text === name) || (ts.isPropertyAccessExpression(node) && node.name.text === name);

/** `labels.includes('x')`, `label.startsWith('x:')`, `valueOf(labels, 'x')`. */
function labelsAt(node: ts.Node, constants: Constants): readonly string[] {
  if (!ts.isCallExpression(node)) return [];
  const { expression: callee, arguments: given } = node;
  if (ts.isIdentifier(callee) && given[0] !== undefined && isCalled(given[0], 'labels'))
    return wordsOf(given[1], constants).map((word) => `${word}:x`);
  if (!ts.isPropertyAccessExpression(callee)) return [];
  if (callee.name.text === 'includes' && isCalled(callee.expression, 'labels')) return wordsOf(given[0], constants);
  if (callee.name.text === 'startsWith' && isCalled(callee.expression, 'label'))
    return wordsOf(given[0], constants).map((word) => `${word}x`);
  return [];
}

/** Functions whose one parameter is the key: `const word = (key) => metadata[key]`. */
function readersIn(file: ts.SourceFile): ReadonlySet<string> {
  const found = new Set<string>();
  walk(file, (node) => {
    if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name)) return;
    const { initializer } = node;
    if (initializer === undefined || !ts.isArrowFunction(initializer)) return;
    const [key] = initializer.parameters;
    if (key === undefined || !ts.isIdentifier(key.name)) return;
    const name = key.name.text;
    walk(initializer.body, (one) => {
      if (!ts.isElementAccessExpression(one) || !isCalled(one.expression, 'metadata')) return;
      if (ts.isIdentifier(one.argumentExpression) && one.argumentExpression.text === name)
        found.add((node.name as ts.Identifier).text);
    });
  });
  return found;
}

function readsIn(file: ts.SourceFile, constants: Constants): Read[] {
  const readers = readersIn(file);
  const found: Read[] = [];
  walk(file, (node) => {
    const at = `${file.fileName}:${String(file.getLineAndCharacterOfPosition(node.getStart()).line + 1)}`;
    for (const word of keysAt(node, readers, constants)) found.push({ what: 'key', word, at });
    for (const word of labelsAt(node, constants)) found.push({ what: 'label', word, at });
  });
  return found;
}

const isKept = ({ what, word }: Read): boolean => (what === 'key' ? isKeptKey(word) : isKeptLabel(word));
const unkept = (reads: readonly Read[]): string[] =>
  reads.flatMap((one) =>
    isKept(one) || OWNERS.has(`${one.what} ${one.word}`) ? [] : [`${one.at} reads the ${one.what} ${one.word}`],
  );

const files = globSync('{src,machines,state}/**/*.ts', { cwd: ROOT }).map((path) =>
  parse(path, readFileSync(join(ROOT, path), 'utf8')),
);
const constants = constantsIn(files);
const reads = files.flatMap((file) => readsIn(file, constants));

describe('words of beads that decide', () => {
  test('are found where they are read', () => {
    expect(reads.length).toBeGreaterThan(25);
    const words = new Set(reads.map(({ what, word }) => `${what} ${word}`));
    for (const one of ['key triage_type', 'key agent_bead_id', 'key rest_until', 'label failed', 'label polecat:x'])
      expect(words).toContain(one);
  });

  // Rules: law 11.
  test('are the town’s own', () => {
    expect(unkept(reads)).toEqual([]);
  });

  test.each([
    ["const x = bead.metadata['owner_says'];", 'key owner_says'],
    ["const SAYS = 'owner_says'; const x = ({ metadata }) => metadata[SAYS];", 'key owner_says'],
    ["const word = (key) => metadata[key] ?? ''; const x = word('owner_says');", 'key owner_says'],
    ["const x = 'owner_says' in bead.metadata;", 'key owner_says'],
    ["const x = labels.includes('obey');", 'label obey'],
    ["const x = bead.labels.includes('wish:end');", 'label wish:end'],
    ["const x = labels.some((label) => label.startsWith('obey:'));", 'label obey:x'],
    ["const x = valueOf(labels, 'obey');", 'label obey:x'],
  ])('a planted one is seen: %s', (text, word) => {
    const file = parse('planted.ts', text);
    expect(unkept(readsIn(file, constantsIn([file])))).toEqual([`planted.ts:1 reads the ${word}`]);
  });
});
