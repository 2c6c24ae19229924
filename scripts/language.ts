/**
 * Two measures of plain English: lines with a pronoun in the place of a named subject, and exported names that are bare
 * participles. `npm run measure` prints both; `test/rules/language.test.ts` holds the bars.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { PRODUCT, sourcesOf } from './rooms.ts';

/** A reader cannot look these up in the code: a sentence with one does not name its subject. */
const PRONOUN = /\b(?:nobody|somebody|whoever|whatever|whom)\b/i;
/** One word that says what was done to a thing, and not what the thing is. */
const PARTICIPLE =
  /^(?:[a-z]{2,}ed|told|heard|beaten|mine|shown|seen|held|sent|kept|made|lost|found|spoken|written|known|grown|meant|won|put)$/;
/** Words that look like one and are none. */
const NOUNS = new Set(['seed', 'feed', 'need', 'bed', 'id']);

interface PronounCount {
  readonly lines: number;
  /** `path:line: text` of each line with a pronoun. */
  readonly hits: readonly string[];
}

/** The pages at the top and below docs/, relative to `root`. */
function pagesOf(root: string): string[] {
  const top = readdirSync(root).filter((name) => name.endsWith('.md'));
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
  return [...top, ...docs].sort();
}

/** Lines with a pronoun in these files. Help and error texts are part of the sources. */
export function pronounsIn(root: string, paths: readonly string[]): PronounCount {
  const texts = paths.map((path) => ({ path, rows: readFileSync(join(root, path), 'utf8').trimEnd().split('\n') }));
  return {
    lines: texts.reduce((sum, { rows }) => sum + rows.length, 0),
    hits: texts.flatMap(({ path, rows }) =>
      rows.flatMap((row, at) => (PRONOUN.test(row) ? [`${path}:${at + 1}: ${row.trim()}`] : [])),
    ),
  };
}

/** The product's sources and the pages, as the bar counts them. */
export const proseOf = (root: string): string[] => [
  ...PRODUCT.flatMap((room) => sourcesOf(root, room)),
  ...pagesOf(root),
];

export const perThousand = ({ lines, hits }: PronounCount): number => (lines === 0 ? 0 : (1_000 * hits.length) / lines);

const exportsOf = (source: ts.SourceFile): string[] =>
  source.statements.flatMap((node) => {
    const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
    if (modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) !== true) return [];
    if (ts.isVariableStatement(node)) return node.declarationList.declarations.map(({ name }) => name.getText(source));
    return 'name' in node && node.name !== undefined ? [(node.name as ts.Identifier).getText(source)] : [];
  });

/** Exported names of a source that are bare participles. */
export const participlesIn = (source: ts.SourceFile): string[] =>
  exportsOf(source).filter((name) => PARTICIPLE.test(name) && !NOUNS.has(name));
