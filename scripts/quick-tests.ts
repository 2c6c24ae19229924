/**
 * `npm test`: the pure tests, and of each guarantee in docs/guarantees.md the first live test file that shows it. What is given
 * besides goes to the test runner. Exits 1 if a test fails.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { isLive } from '../vitest.config.ts';

const ROOT = join(import.meta.dirname, '..');

/** Of each row the first live file; a row without one is shown by pure tests. */
export function liveFilesIn(page: string): readonly string[] {
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && line.includes('`test/'));
  const first = rows.flatMap(
    (row) => [...row.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => path).find(isLive) ?? [],
  );
  return [...new Set(first)];
}

/** True when all of these passed. */
async function passes(...words: readonly string[]): Promise<boolean> {
  const run = await execa('vitest', ['run', ...words, ...process.argv.slice(2)], {
    cwd: ROOT,
    preferLocal: true,
    localDir: ROOT,
    stdio: 'inherit',
    reject: false,
  });
  return run.exitCode === 0;
}

if (import.meta.main) {
  const files = liveFilesIn(readFileSync(join(ROOT, 'docs/guarantees.md'), 'utf8'));
  const isPure = await passes('--project', 'pure');
  const isLiveToo = await passes('--project', 'live', ...files);
  process.exitCode = isPure && isLiveToo ? 0 : 1;
}
