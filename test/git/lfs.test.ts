/** Whether git-lfs is there is asked at each call of git: where it was last is remembered, but never that it is there. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { hasLfs } from '../../src/git/lfs.ts';

const PATH = process.env['PATH'];
const home = mkdtempSync(join(tmpdir(), 'town-lfs-'));
afterEach(() => {
  process.env['PATH'] = PATH;
  rmSync(home, { recursive: true });
});

test('a git-lfs that comes, moves and goes while the process runs is seen each time', () => {
  const folders = ['first', 'second'].map((name) => join(home, name));
  for (const folder of folders) mkdirSync(folder);
  const programs = folders.map((folder) => join(folder, 'git-lfs'));
  const [first = '', second = ''] = programs;
  process.env['PATH'] = [join(home, 'absent'), ...folders].join(delimiter);
  expect(hasLfs()).toBe(false);
  writeFileSync(second, '', { mode: 0o755 });
  expect([hasLfs(), hasLfs()]).toEqual([true, true]);
  rmSync(second);
  expect(hasLfs()).toBe(false);
  writeFileSync(first, '', { mode: 0o755 });
  expect([hasLfs(), hasLfs()]).toEqual([true, true]);
  // Root may run no file without the bit either.
  chmodSync(first, 0o644);
  expect(hasLfs()).toBe(false);
  chmodSync(first, 0o755);
  expect(hasLfs()).toBe(true);
  process.env['PATH'] = join(home, 'absent');
  expect(hasLfs()).toBe(false);
});
