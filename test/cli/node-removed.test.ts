/** The Node of a town is removed while it runs, as a version manager does it: its questions, its guard, `status`, `health` and `up`. */
import { chmodSync, copyFileSync, existsSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killHard, TestTown, until } from './town.ts';
import type { Status } from './views.ts';

/** Runs the command of a question once a file is there; prints nothing by itself before. */
const OBEYS = `while IFS= read -r line; do
  command=\${line#*To answer, run: }; [ "$command" = "$line" ] && continue
  until [ -e "$0" ]; do sleep 0.1; done
  eval "\${command%% – or*}"
done`;
const PROGRAMS = ['env', 'stty', 'tmux', 'git', 'bash', 'sh', 'sleep', 'readlink', 'cat', 'ps'];

// Rules: C-12, D-2, D-10.
test.each(['another one is in PATH', 'none but that of the package is there'])('%s', async (kind) => {
  const town = new TestTown('[dance]\nwindows = ["1h", "1h", "1h"]\n[hands]\ncpu_above = 100000\n');
  const copy = join(town.home, 'node');
  copyFileSync(process.execPath, copy);
  chmodSync(copy, 0o755);
  const env = kind.startsWith('another') ? {} : { PATH: town.programs(...PROGRAMS) };
  expect(await town.bare(['--root', town.root, 'up'], { node: copy, env })).toMatchObject({ code: 0 });
  const go = join(town.home, 'go');
  await town.agent('builder', ['bash', '-c', OBEYS, go]);
  const first = await town.status(({ guard_pid: guard }) => guard !== null);
  expect(programOf(first)).toBe(copy);
  const warrant = await town.accuse('builder');
  await until(() => town.tmux('capture-pane', '-p', '-t', '=builder:').includes('HEALTH CHECK'));

  // The agent answers after that, by the command of its question.
  rmSync(copy);
  writeFileSync(go, '');
  expect(await town.closed(warrant)).toMatchObject({ verdict: 'pardoned' });
  expect((await town.data<{ reason: string }[]>('dog', 'dances', '--all'))[0]?.reason).toContain('town alive');

  // The town begins anew with a Node that is there.
  const next = await town.status((now) => now.epoch > first.epoch && now.ready && now.guard_pid !== null);
  expect(existsSync(programOf(next))).toBe(true);
  expect(await town.data('health')).toMatchObject({ well: true, changes: [] });

  // It is killed, and its guard gets it up again.
  killHard(next.pid);
  await town.status((now) => now.epoch > next.epoch && now.ready && now.guard_pid !== null);
  expect((await town.run('status')).stdout).toMatch(/^up /);
  expect(await town.closed(await town.accuse('builder'))).toMatchObject({ verdict: 'pardoned' });

  for (const words of ['up', 'down', 'up']) expect(await town.run(words)).toMatchObject({ code: 0 });
  expect((await town.run('status')).stdout).toMatch(/^up /);
  expect(programOf(await town.status())).toBe(process.execPath);
});

/** The file that a town runs from. */
const programOf = ({ pid }: Pick<Status, 'pid'>): string => readlinkSync(`/proc/${pid}/exe`);
