/** A file or folder that a comment or a page of the project names is there: after a move no reader is sent to where it was. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { PRODUCT, ROOMS, sourcesOf } from '../../scripts/rooms.ts';
import { ROOT } from './planted.ts';

const PAGES = [
  'DESIGN.md',
  'README.md',
  'RULES.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const files = [
  ...PAGES,
  'eslint.config.js',
  ...[...PRODUCT, 'scripts' as const].flatMap((room) => sourcesOf(ROOT, room)),
];
const names = new Set(ROOMS.flatMap((room) => sourcesOf(ROOT, room)).map((path) => basename(path)));

/** From the top of the project: `src/tmux`, `test/stories/dialog.txt`. */
const PATH = /(?<![\w/.~$@-])(?:machines|state|src|test|scripts)\/(?:[\w-][\w.-]*\/)*[\w-]+(?:\.[\w-]+)*/g;
/** By its name alone: `tree.ts`. What an import names is the compiler's to find. */
const NAME = /(?<![\w/.-])[\w-]+(?:\.test)?\.ts\b/g;

/** What a text names and the project does not have. */
const lost = (text: string): string[] => [
  ...(text.match(PATH) ?? []).filter((path) => !existsSync(join(ROOT, path))),
  ...(text.match(NAME) ?? []).filter((name) => !names.has(name)),
];

test('what the product, its scripts and its pages name is there', () => {
  const found = files.flatMap((path) => lost(readFileSync(join(ROOT, path), 'utf8')).map((name) => `${path}: ${name}`));
  expect(found).toEqual([]);
});

test('names that lead nowhere are found, others pass', () => {
  expect(lost('see old.ts, and `src/nowhere` or test/gone/a.test.ts')).toEqual([
    'src/nowhere',
    'test/gone/a.test.ts',
    'old.ts',
  ]);
  expect(lost("see tree.ts and src/tmux; `~/src/app`; import '../gone.ts'")).toEqual([]);
});
