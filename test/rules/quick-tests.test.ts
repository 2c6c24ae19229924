/** `npm test` plays a live test of every guarantee that has one. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { liveFilesIn } from '../../scripts/quick-tests.ts';
import { isLive } from '../../vitest.config.ts';
import { ROOT } from './planted.ts';

const PAGE = readFileSync(join(ROOT, 'docs/guarantees.md'), 'utf8');

test('each guarantee with a live test has one among them, and each is there', () => {
  const files = liveFilesIn(PAGE);
  expect(files.filter((path) => !existsSync(join(ROOT, path)) || !isLive(path))).toEqual([]);
  const rows = PAGE.split('\n').filter((line) =>
    [...line.matchAll(/`(test\/[\w./-]+)`/g)].some(([, path = '']) => isLive(path)),
  );
  expect(rows.length).toBeGreaterThan(15);
  expect(rows.filter((row) => !files.some((path) => row.includes(path)))).toEqual([]);
});

test('of each row the first live file, once', () => {
  const row = (...paths: string[]): string => `| it holds | ${paths.map((path) => `\`${path}\``).join(', ')} |`;
  const page = [
    row('test/kernel/a.test.ts', 'test/live/b.test.ts', 'test/guard/c.test.ts'),
    row('test/live/b.test.ts'),
    row('test/sim/d.test.ts'),
  ];
  expect(liveFilesIn(page.join('\n'))).toEqual(['test/live/b.test.ts']);
});
