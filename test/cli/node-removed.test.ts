/** The Node of a town is removed while it runs, as a version manager does it: its questions, its guard, `status`, `health` and `up`. */
import { chmodSync, copyFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killHard, TestTown, until } from './town.ts';

/** Runs the command of a question once a file is there; prints nothing by itself before. */
const OBEYS = `while IFS= read -r line; do
  command=\${line#*To answer, run: }; [ "$command" = "$line" ] && continue
  until [ -e "$0" ]; do sleep 0.1; done
  eval "\${command%% – or*}"
done`;
const PROGRAMS = ['env', 'tmux', 'git', 'bash', 'sh', 'sleep', 'readlink', 'cat', 'ps'];

interface Health {
  readonly well: boolean;
  readonly changes: readonly string[];
}

// Rules: C-12, D-2, D-10.
test.each(['another one is in PATH'])('%s', async (kind) => {
  const isThere = kind === 'another one is in PATH';
  const town = new TestTown('[dance]\nwindows = ["1h", "1h", "1h"]\n[hands]\ncpu_above = 100000\n');
  const copy = join(town.home, 'node');
  copyFileSync(process.execPath, copy);
  chmodSync(copy, 0o755);
  const env = isThere ? {} : { PATH: town.programs(...PROGRAMS) };
  expect(await town.bare(['--root', town.root, 'up'], { node: copy, env })).toMatchObject({ code: 0 });
  const go = join(town.home, 'go');
  await town.agent('builder', ['bash', '-c', OBEYS, go]);
  const first = await town.status(({ guard_pid: guard }) => guard !== null);
  expect(readlinkSync(`/proc/${first.pid}/exe`)).toBe(copy);
  const warrant = await town.accuse('builder');
  await until(() => town.tmux('capture-pane', '-p', '-t', '=builder:').includes('HEALTH CHECK'));

  rmSync(copy);
  writeFileSync(go, '');
  expect(await town.closed(warrant)).toMatchObject({ verdict: 'pardoned' });
  expect((await town.data<{ reason: string }[]>('dog', 'dances', '--all'))[0]?.reason).toContain('town alive');

  const next = await town.status((now) => now.epoch > first.epoch && now.ready && now.guard_pid !== null);
  const told = isThere ? { well: true, changes: [] } : { changes: [expect.stringContaining(`Node ${copy}`)] };
  await until(
    () => town.data<Health>('health'),
    ({ changes }) => changes.length === (isThere ? 0 : 1),
  ).then((health) => expect(health).toMatchObject(told));
  if (isThere) expect(readlinkSync(`/proc/${next.pid}/exe`)).toBe(process.execPath);

  killHard(next.pid);
  const again = await town.status((now) => now.epoch > next.epoch && now.ready && now.guard_pid !== null);
  expect(again.running).toBe(true);
  expect((await town.run('status')).stdout).toMatch(isThere ? /^up / : /^degraded /);
  // The question of a town that was started anew is answered by its command too.
  expect(await town.closed(await town.accuse('builder'))).toMatchObject({ verdict: 'pardoned' });

  expect(await town.run('up')).toMatchObject({ code: 0 });
  expect(await town.run('down')).toMatchObject({ code: 0 });
  expect(await town.run('up')).toMatchObject({ code: 0 });
  expect((await town.run('status')).stdout).toMatch(/^up /);
  expect(readlinkSync(`/proc/${(await town.status()).pid}/exe`)).toBe(process.execPath);
  expect(await town.data<Health>('health')).toMatchObject({ well: true, changes: [] });
});
