/** What a screen says does not depend on how many patterns the process has compiled. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const PROGRAM = join(import.meta.dirname, '../programs/judge.ts');
const judgements = (...words: readonly string[]): string[] =>
  JSON.parse(execFileSync(process.execPath, [...words], { encoding: 'utf8' })) as string[];

// Rules: D-6, M-2.
test('a process that has compiled many patterns judges every screen as a young one does', () => {
  const young = judgements(PROGRAM);
  expect(young.length).toBeGreaterThan(100);
  expect(judgements(PROGRAM, '--full')).toEqual(young);
  expect(judgements('--no-regexp-optimization', PROGRAM)).toEqual(young);
});
