/** Writes the manual from the same tree of commands that runs: `node scripts/man.ts [file]`, dist/man/town.1 by default. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, EXITS, SENTENCE } from '../src/cli/program.ts';
import { manual } from '../src/cli/shells/manual.ts';
import { placesOf } from '../src/cli/shells/words.ts';
import { version } from '../src/package.ts';

const file = process.argv[2] ?? join(import.meta.dirname, '../dist/man/town.1');
const program = build(() => Promise.resolve());
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, manual(placesOf(program), { version: version(), intro: SENTENCE, exits: EXITS }));
