/** The ids of our rules are for readers of the code: nothing that a user reads has one. What literals hold, the linter sees. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PRODUCT } from '../../scripts/rooms.ts';
import { idsIn } from '../../scripts/rules.ts';
import { build, EXITS, SENTENCE } from '../../src/cli/program.ts';
import { manual } from '../../src/cli/shells/manual.ts';
import { placesOf } from '../../src/cli/shells/words.ts';
import { jsonSchema } from '../../src/config/schema.ts';
import { ROOT } from './planted.ts';

/** Pages for users, and all that is shipped as it is: packs, the programs of the demo, the entry. */
const shipped = PRODUCT.flatMap((room) =>
  readdirSync(join(ROOT, room), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(join(ROOT, '/').length)),
);

test.each(['README.md', 'CHANGELOG.md', 'package.json', ...shipped])('%s', (path) => {
  expect(idsIn(readFileSync(join(ROOT, path), 'utf8'))).toEqual([]);
});

test('packs and the demo’s programs are among them', () => {
  expect(shipped).toEqual(expect.arrayContaining(['src/screen/packs/claude.toml', 'src/demo/agents/deaf']));
});

test('the manual', () => {
  const text = manual(placesOf(build(() => Promise.resolve())), { version: '1', intro: SENTENCE, exits: EXITS });
  expect(text.length).toBeGreaterThan(5_000);
  // roff writes a hyphen as `\-`.
  expect(idsIn(text.replaceAll('\\-', '-'))).toEqual([]);
});

test('the reasons of the configuration', () => {
  expect(idsIn(JSON.stringify(jsonSchema()))).toEqual([]);
});
