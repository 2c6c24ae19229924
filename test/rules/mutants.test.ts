/** Each planted fault has its place in the code as it is now: else it is never planted. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MUTANTS } from '../../scripts/mutant-list.ts';
import { ROOT } from './planted.ts';

test.each(MUTANTS)('$name: its text stands in $file, once', ({ file, from }) => {
  expect(readFileSync(join(ROOT, file), 'utf8').split(from).length - 1).toBe(1);
});
