/** A town that has its root but gives no answer: said with its pid and what to do, never plainly up or down (law 1). */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LiveTown, until } from '../crash/live.ts';
import { exits, killHard, prints, TestTown } from './town.ts';
import type { Status } from './views.ts';

test('stopped: status shows what can be seen without it, with exit 4', async () => {
  await using town = new LiveTown();
  const { child } = await town.up();
  await town.agent('worker', ['sleep', '100000']);
  child.kill('SIGSTOP');
  const ran = await town.cli.run('status', '--json');
  expect([ran.code, ran.stderr]).toEqual([4, '']);
  const { data } = JSON.parse(ran.stdout) as { data: Status };
  expect(data).toMatchObject({ running: true, answers: false, pid: child.pid });
  expect(data.sessions.map(({ name }) => name)).toContain('worker');
  const why = `the town (pid ${String(child.pid)}) is stopped or waits for a disk; \`kill -CONT ${String(child.pid)}\``;
  expect(data.silent_why).toContain(why);
  const plain = await town.cli.run('status');
  expect([plain.code, plain.stdout.split('\n')[0]]).toEqual([4, expect.stringContaining(why)]);
  // What would wait a minute for an answer, too.
  exits(await town.cli.run('session', 'start', 'other', '--', 'sleep', '100000'), 1, why);
  child.kill('SIGCONT');
  await until(async () => (await town.cli.status()).answers);
});

test('fallen, its guard about to start it again: said so with the time, never as down', async () => {
  const cli = new TestTown('[process]\nrestart = "10m"\nmax_restart = "10m"\n');
  const { pid, guard_pid: guard } = await cli.data<{ pid: number; guard_pid: number }>('up');
  killHard(pid);
  const back = `the town fell (it was ended by SIGKILL) and is back in `;
  await until(async () => (await cli.run('status')).stdout.includes(back));
  const { code, stdout } = await cli.run('status');
  expect([code, stdout]).toEqual([3, expect.stringMatching(/^back soon .* is back in [56]\d\d s: its guard/)]);
  expect(stdout).not.toContain('town up');
  const told = JSON.parse((await cli.run('status', '--json')).stdout) as { data: Record<string, unknown> };
  expect(told.data).toMatchObject({ running: false, guard_pid: guard });
  expect(told.data['back_why']).toContain(back);
  expect(Date.parse(String(told.data['back_at']))).toBeGreaterThan(Date.now());
  for (const words of [['session', 'start', 'a', '--', 'sleep', '1'], ['session', 'list'], ['health']]) {
    const ran = await cli.run(...words);
    expect([words, ran.code, ran.stdout + ran.stderr]).toEqual([words, 3, expect.stringContaining(back)]);
  }
  await cli.run('down');
  expect((await cli.run('status')).stdout).toMatch(/^down .*`town up`/);
});

test('moved while it runs: named as moved at both places, and restarted where it is now', async () => {
  const cli = new TestTown();
  const there = join(cli.home, 'there');
  const at = (...words: string[]) => cli.bare(['--root', there, ...words]);
  const { pid, guard_pid: guard } = await cli.data<{ pid: number; guard_pid: number }>('up');
  renameSync(cli.root, there);
  const moved = `the folder of the town (pid ${pid}) was moved from ${cli.root} to ${there} while it ran`;
  const said = `${moved}; \`town --root ${there} restart\` starts it here`;
  expect(await at('status')).toMatchObject({ code: 4, stdout: expect.stringContaining(said) as string });
  const start = await at('session', 'start', 'a', '--', 'sleep', '1');
  expect([start.code, start.stderr]).toEqual([1, `town: ${said}\n`]);
  const up = await at('up');
  expect([up.code, up.stderr]).toEqual([5, `town: ${said}\n`]);
  // Its guard puts its own record back where the folder was.
  await until(() => existsSync(join(cli.root, 'daemon/guard.json')));
  const gone = `the folder of the town that guard ${guard} keeps was moved or removed from ${cli.root} while it ran`;
  expect(await cli.run('status')).toMatchObject({ code: 4, stdout: expect.stringContaining(gone) as string });
  expect(await at('restart')).toMatchObject({ code: 0, stderr: '' });
  expect(await at('status')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^up /) as string });
});

test('without socket and record: its lock names it, to status and to the start of another', async () => {
  await using town = new LiveTown();
  const { child } = await town.up();
  for (const name of ['town.sock', 'daemon.pid']) rmSync(join(town.root, 'daemon', name));
  prints(await town.cli.run('status'), 4, `the town (pid ${String(child.pid)}) has the root but does not answer`);
  const other = await town.start().ended;
  expect(other).toMatchObject({
    code: 5,
    stderr: expect.stringContaining(`A town (pid ${String(child.pid)}) runs on`) as string,
  });
  expect(other.stderr).toContain('town down');
});

test('a stopped guard is named by status and up, beside a town that runs', async () => {
  await using town = new LiveTown();
  try {
    const up = await town.cli.data<{ guard_pid: number }>('up');
    process.kill(up.guard_pid, 'SIGSTOP');
    const named = `the guard (pid ${String(up.guard_pid)}) is stopped or waits for a disk; \`kill -CONT ${String(up.guard_pid)}\``;
    // A busy machine may make the town silent for once.
    await until(async () => (await town.cli.run('status')).stdout.includes(named));
    expect(await town.cli.data('status')).toMatchObject({ guard_fault: expect.stringContaining(named) as string });
    exits(await town.cli.run('up'), 0, named);
    const down = await town.cli.run('down');
    expect(down).toMatchObject({ code: 0, stdout: expect.stringContaining('which was stopped or waited') as string });
  } finally {
    await town.cli.run('down');
  }
});
