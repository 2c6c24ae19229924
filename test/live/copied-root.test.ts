/** A folder of a town that was copied while the town runs: what is typed there reaches neither the first town nor its agents. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProcesses } from '../../src/proc/processes.ts';
import { TestTown, type Ran } from '../cli/town.ts';

const processes = createProcesses();

// Rules: C-12, law 11.
test('a copied root has no town: nothing there stops, ends or asks that of the first', async () => {
  const town = await new TestTown().up();
  await town.agent('builder', ['sleep', '1000']);
  const before = await town.status((now) => now.guard_pid !== null);
  const copy = join(town.home, 'copy');
  cpSync(town.root, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') });
  const there = (...words: string[]): Promise<Ran> => town.bare(['--root', copy, ...words]);
  expect((await there('status')).code).toBe(3);
  expect(JSON.parse((await there('daemon', 'status', '--json')).stdout)).toMatchObject({
    data: { running: false, pid: null, guard_pid: null },
  });
  expect((await there('session', 'stop', 'builder')).code).toBe(3);
  expect((await there('restart')).code).toBe(5);
  const up = await there('up');
  expect([up.code, up.stderr]).toEqual([5, expect.stringContaining(town.root)]);
  expect((await there('down')).code).toBe(0);
  expect(await town.status()).toMatchObject({ pid: before.pid, guard_pid: before.guard_pid });
  expect(processes.alive(town.life('builder')!.agent)).toBe(true);
});
