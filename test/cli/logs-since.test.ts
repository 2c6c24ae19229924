/** `town session logs --since`: without what panes showed that were cleared before. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { outputPath } from '../../state/sessions/output.ts';
import { TestTown } from './town.ts';

test('what was cleared before is left out, what was cleared since is shown whole', async () => {
  const town = new TestTown();
  const file = join(town.root, outputPath('builder'));
  mkdirSync(dirname(file), { recursive: true });
  const saved = (agoMs: number, row: string): string =>
    `--- ${new Date(Date.now() - agoMs).toISOString()} builder, pane %1, before it was cleared\n${row}\n`;
  writeFileSync(file, saved(10 * 3_600_000, 'of long ago') + saved(60_000, 'of just now'));
  const all = await town.run('session', 'logs', 'builder');
  expect(all.stdout).toMatch(/of long ago\n[^]*of just now/);
  const late = await town.run('session', 'logs', 'builder', '--since', '1h');
  expect([late.code, late.stderr]).toEqual([0, '']);
  expect(late.stdout).toMatch(/^--- \S+Z builder, pane %1, before it was cleared\nof just now\n$/);
  expect((await town.run('session', 'logs', 'builder', '--since', 'soon')).code).toBe(2);
});
