/** Towns that ran before their guard: one that no guard started, and one whose guard is of an older version. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { guardOrders, launchGuard } from '../../src/guard/launch.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { who } from '../../state/process/pid-files.ts';
import { gone, newYard, WAIT } from './yard.ts';

// Rules: law 1, C-12.
test('a guard that adopts a town that no guard started hears it and leaves it alone', async () => {
  const yard = newYard({ startMs: 1_500 });
  const [program, ...words] = yard.command;
  spawn(program, words.slice(0, -1), { detached: true, stdio: 'ignore' }).unref();
  const { pid, epoch, guard_pid: none } = await yard.statusWhen((s) => s.ready);
  expect(none).toBe(null);
  launchGuard(guardOrders(yard.settings, yard.command, null));
  await vi.waitFor(() => expect(yard.guardLog()).toContain(`hears the town of pid ${String(pid)}`), WAIT);
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  expect(await yard.statusWhen(() => true)).toMatchObject({ pid, epoch });
  expect(yard.guardLog()).not.toContain('ALARM');
});

// Rules: law 1, C-12.
test('a town that a guard of an older version started asks that one to end and starts its own; the town stays', async () => {
  const yard = newYard();
  // The old guard as the town meets it: its parent, and a record of the old shape.
  const script = 'read go; setsid "$@" & exec sleep 600';
  const old = spawn('sh', ['-c', script, 'sh', ...yard.command], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  onTestFinished(() => void old.kill());
  const proc = createProcesses().proc(old.pid!)!;
  const record = { schema: 'guard/1', ...who(proc), root: yard.root, epoch: null, town: null, falls: 0 };
  mkdirSync(join(yard.root, 'daemon'));
  writeFileSync(join(yard.root, 'daemon', 'guard.json'), JSON.stringify(record));
  old.stdin.end('go\n');
  const { pid, epoch } = await yard.statusWhen((s) => s.ready);
  await gone(proc.pid);
  const now = await yard.statusWhen((s) => s.guard_pid !== null && s.guard_pid !== proc.pid);
  expect(now).toMatchObject({ pid, epoch });
  await vi.waitFor(() => expect(yard.guardLog()).toContain(`hears the town of pid ${String(pid)}`), WAIT);
});
