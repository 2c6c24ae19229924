/**
 * `npm test`: the pure tests, and of each guarantee in docs/guarantees.md the first live test file that shows it. What is given
 * besides goes to the test runner. Exits 1 if a test fails.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLive } from '../vitest.config.ts';
import { inTestRun } from './test-run.ts';

const ROOT = join(import.meta.dirname, '..');
/** Live files at once. These few wait for their towns more than they compute, as those of `npm run test:all` do not. */
const AT_ONCE = 5;
/** Pure files at once, beside them. They only compute, so that more would wait for two cores. */
const PURE_AT_ONCE = 2;

/** Of each row the first live file; a row without one is shown by pure tests. */
export function liveFilesIn(page: string): readonly string[] {
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && line.includes('`test/'));
  const first = rows.flatMap(
    (row) => [...row.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => path).find(isLive) ?? [],
  );
  return [...new Set(first)];
}

if (import.meta.main) {
  const files = liveFilesIn(readFileSync(join(ROOT, 'docs/guarantees.md'), 'utf8'));
  const more = process.argv.slice(2);
  process.exitCode = await inTestRun(async (run) => {
    const pure = run.passesBehind('--project', 'pure', `--maxWorkers=${PURE_AT_ONCE}`, ...more);
    const isLiveGood = await run.passes('--project', 'live', `--maxWorkers=${AT_ONCE}`, ...files, ...more);
    return (await pure) && isLiveGood;
  });
}
