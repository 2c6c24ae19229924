/** A town whose programs were replaced begins anew at once, and then its guard; a guard whose Node is gone starts it with another. */
import { chmodSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { startTown } from '../../src/guard/start.ts';
import { tempFolder } from '../world/over.ts';
import { isAlive, newYard, WAIT } from './yard.ts';

// Rules: C-12.
test.each(['its child', 'an adopted one'])(
  'the town (%s of its guard) begins anew, its guard too; no fall',
  async (kind) => {
    const yard = newYard();
    const first = await yard.up();
    let guardPid = first.guardPid;
    if (kind !== 'its child') {
      process.kill(guardPid!, 'SIGKILL');
      guardPid = (await yard.statusWhen((s) => s.guard_pid !== null && s.guard_pid !== first.guardPid)).guard_pid;
    }
    writeFileSync(join(yard.root, 'renew'), '');
    const now = await yard.statusWhen((s) => s.epoch === first.epoch + 1 && s.guard_pid !== null);
    expect(now.pid).not.toBe(first.pid);
    await yard.statusWhen((s) => s.guard_pid !== null && s.guard_pid !== guardPid);
    expect(isAlive(guardPid!)).toBe(false);
    expect(yard.guardLog()).not.toContain('the town fell');
    // Who takes their place looks after the town as before.
    const { pid, guard_pid: guard } = (await yard.status())!;
    process.kill(pid, 'SIGKILL');
    expect(await yard.statusWhen((s) => s.epoch === first.epoch + 2 && s.guard_pid !== null)).toMatchObject({
      guard_pid: guard,
    });
  },
);

// Rules: C-12.
test('the Node of a town is removed: its guard starts it with one that is there', async () => {
  const yard = newYard();
  const copy = join(tempFolder('node'), 'node');
  copyFileSync(process.execPath, copy);
  chmodSync(copy, 0o755);
  const [, ...words] = yard.command;
  const first = await startTown(yard.settings, { command: [copy, ...words] });
  rmSync(copy);
  process.kill(first.pid, 'SIGKILL');
  const now = await yard.statusWhen((s) => s.epoch === first.epoch + 1 && s.guard_pid !== null);
  expect(now.guard_pid).toBe(first.guardPid);
});

test('`up` takes the place of a guard that waits for its next try', async () => {
  const yard = newYard({ restartMs: 3_600_000, maxRestartMs: 3_600_000 });
  const first = await yard.up();
  process.kill(first.pid, 'SIGKILL');
  await vi.waitFor(() => expect(yard.guardLog()).toContain('next try in 1 h'), WAIT);
  const now = await yard.up();
  expect(now).toMatchObject({ epoch: first.epoch + 1, alreadyRunning: false });
  expect(now.guardPid).not.toBe(first.guardPid);
  expect(isAlive(first.guardPid!)).toBe(false);
});
