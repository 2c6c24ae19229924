/**
 * `npm run measure`: how large the house is and how it hangs together. Lines and files of each room, its median and longest
 * file, functions longer than fifty lines, keys of town.toml, folders that need each other, exported names that are bare
 * participles, commands and options, and lines whose pronoun hides their subject.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import ts from 'typescript';
import { build } from '../src/cli/program.ts';
import { constants } from '../src/config/constants.ts';
import { KEYS } from '../src/config/keys.ts';
import { circlesIn } from './folders.ts';
import { participlesIn, perThousand, pronounsIn, proseOf } from './language.ts';
import { PRODUCT, ROOMS, sourcesOf } from './rooms.ts';
import { wordsGiven } from './usage.ts';

const LONG_FUNCTION = 50;
const ROOT = join(import.meta.dirname, '..');
interface Sizes {
  readonly room: string;
  readonly lines: readonly (readonly [path: string, lines: number])[];
  readonly functions: readonly (readonly [name: string, lines: number])[];
  readonly participles: readonly string[];
}

const linesOf = (text: string): number => text.trimEnd().split('\n').length;

function functionsIn(source: ts.SourceFile, path: string): [string, number][] {
  const found: [string, number][] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
      const last = source.getLineAndCharacterOfPosition(node.end).line;
      found.push([`${path}:${first + 1}`, last - first + 1]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];

function sizesOf(room: (typeof ROOMS)[number]): Sizes {
  const files = sourcesOf(ROOT, room).map((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    return { path, text, source: ts.createSourceFile(path, text, ts.ScriptTarget.Latest) };
  });
  return {
    room,
    lines: files.map(({ path, text }) => [path, linesOf(text)]),
    functions: files.flatMap(({ path, source }) => functionsIn(source, path)),
    participles: files.flatMap(({ path, source }) => participlesIn(source).map((name) => `${path}: ${name}`)),
  };
}

wordsGiven(
  `npm run measure

Prints how large the house is and how it hangs together: lines and files of each room, long functions, keys of town.toml,
folders that need each other, names that are bare participles, commands and their options,
and lines with nobody, somebody, whoever, whatever or whom.`,
  {},
);

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const row = (...cells: readonly (string | number)[]): void => say(`| ${cells.join(' | ')} |`);

const sizes = ROOMS.map(sizesOf);
row('room', 'files', 'lines', 'median file', 'longest file', `functions > ${LONG_FUNCTION} lines`);
row('---', '---', '---', '---', '---', '---');
for (const { room, lines, functions } of sizes) {
  const sorted = lines.map(([, count]) => count).sort((a, b) => a - b);
  const total = sorted.reduce((sum, count) => sum + count, 0);
  const [longest] = [...lines].sort(([, a], [, b]) => b - a);
  const long = functions.filter(([, count]) => count > LONG_FUNCTION);
  row(room, lines.length, total, sorted[sorted.length >> 1] ?? 0, longest?.join(': ') ?? '', long.length);
}
const product = sizes.filter(({ room }) => PRODUCT.some((one) => one === room));
const total = product.flatMap(({ lines }) => lines).reduce((sum, [, count]) => sum + count, 0);
const circles = circlesIn(ROOT);
const participles = product.flatMap((one) => one.participles);
say(`\nproduct: ${total} lines, ${product.flatMap(({ lines }) => lines).length} files`);
say(`keys of town.toml: ${KEYS.length}, constants that tests replace: ${constants().size}`);
say(`imports by which folders need each other: ${circles.length}`);
for (const circle of circles) say(`  ${circle}`);
say(`exported names that are bare participles: ${participles.length}`);
for (const name of participles) say(`  ${name}`);
const commands = all(build(() => Promise.resolve()));
const leaves = commands.filter((one) => one.commands.length === 0);
say(`commands: ${leaves.length}, options: ${commands.reduce((sum, one) => sum + one.options.length, 0)}`);
const pronouns = pronounsIn(ROOT, proseOf(ROOT));
say(`lines of sources and pages with nobody, somebody, whoever, whatever or whom: ${pronouns.hits.length}`);
say(`  of a thousand lines: ${perThousand(pronouns).toFixed(2)}`);
