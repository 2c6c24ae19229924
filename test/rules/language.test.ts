/** Plain English in product code, help and pages: sentences with a named subject, names that say what a thing is. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { participlesIn, perThousand, pronounsIn, proseOf } from '../../scripts/language.ts';
import { PRODUCT, sourcesOf } from '../../scripts/rooms.ts';
import { plant, ROOT } from './planted.ts';

/** Lines with a pronoun, of a thousand. Quoted Gas Town words and a field of `town watch` need a few. */
const MAX_PER_THOUSAND = 1;

test('sources and pages name their subjects', () => {
  const count = pronounsIn(ROOT, proseOf(ROOT));
  expect(count.lines).toBeGreaterThan(10_000);
  expect(perThousand(count), count.hits.join('\n')).toBeLessThanOrEqual(MAX_PER_THOUSAND);
});

test.each(['// Whoever asks waits.', "const text = 'nobody listens';", '/** NOBODY looks, whatever it costs. */'])(
  'a planted pronoun is found: %s',
  (line) => {
    const count = pronounsIn(plant({ 'src/a.ts': `const a = 1;\n${line}\n` }), ['src/a.ts']);
    expect(count).toEqual({ lines: 2, hits: [`src/a.ts:2: ${line}`] });
    expect(perThousand(count)).toBe(500);
  },
);

test('no exported name is a bare participle', () => {
  const names = PRODUCT.flatMap((room) => sourcesOf(ROOT, room)).flatMap((path) =>
    participlesIn(ts.createSourceFile(path, readFileSync(join(ROOT, path), 'utf8'), ts.ScriptTarget.Latest)).map(
      (name) => `${path}: ${name}`,
    ),
  );
  expect(names).toEqual([]);
});

test('a planted participle is found, a verb, a noun and a private name are not', () => {
  const text = 'export const told = 1;\nexport function tell() {}\nexport const seed = 2;\nconst found = 3;\n';
  expect(participlesIn(ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest))).toEqual(['told']);
});
