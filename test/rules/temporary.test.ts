/** Where a run of the tests keeps its temporary files. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../scripts/temporary.ts';

test('TMPDIR counts where it is set', () => {
  vi.stubEnv('TMPDIR', '/nonexistent');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(temporaryFolder()).toBe('/nonexistent');
});

test('without TMPDIR it is memory or the usual folder, and a folder can be made there', () => {
  vi.stubEnv('TMPDIR', undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(['/dev/shm', tmpdir()]).toContain(temporaryFolder());
  rmSync(mkdtempSync(join(temporaryFolder(), 'test-')), { recursive: true });
});
