/** A town that has its root but gives no answer: said with its pid and what to do, never plainly up or down (law 1). */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LiveTown, until } from '../crash/live.ts';

const LONG = { timeout: 240_000 };
interface Told {
  readonly running: boolean;
  readonly answers: boolean;
  readonly silent_why: string | null;
  readonly pid: number | null;
  readonly sessions: readonly { readonly name: string }[];
}

test('stopped: status shows what can be seen without it, with exit 4', LONG, async () => {
  await using town = new LiveTown();
  const { child } = await town.up();
  await town.agent('worker', ['sleep', '100000']);
  child.kill('SIGSTOP');
  const ran = await town.cli.run('status', '--json');
  expect([ran.code, ran.stderr]).toEqual([4, '']);
  const { data } = JSON.parse(ran.stdout) as { data: Told };
  expect(data).toMatchObject({ running: true, answers: false, pid: child.pid });
  expect(data.sessions.map(({ name }) => name)).toContain('worker');
  const why = `the town (pid ${String(child.pid)}) is stopped or waits for a disk; \`kill -CONT ${String(child.pid)}\``;
  expect(data.silent_why).toContain(why);
  const plain = await town.cli.run('status');
  expect([plain.code, plain.stdout.split('\n')[0]]).toEqual([4, expect.stringContaining(why)]);
  child.kill('SIGCONT');
  await until(async () => (await town.cli.data<Told>('status')).answers);
});

test('without socket and record: its lock names it, to status and to whoever starts another', LONG, async () => {
  await using town = new LiveTown();
  const { child } = await town.up();
  for (const name of ['town.sock', 'daemon.pid']) rmSync(join(town.root, 'daemon', name));
  const ran = await town.cli.run('status');
  expect([ran.code, ran.stdout]).toEqual([
    4,
    expect.stringContaining(`the town (pid ${String(child.pid)}) has the root but does not answer`),
  ]);
  const other = await town.start().ended;
  expect(other).toMatchObject({
    code: 5,
    stderr: expect.stringContaining(`A town (pid ${String(child.pid)}) runs on`) as string,
  });
  expect(other.stderr).toContain('town down');
});

test('a stopped guard is named by status and up, beside a town that runs', LONG, async () => {
  await using town = new LiveTown();
  try {
    const up = await town.cli.data<{ guard_pid: number }>('up', '--set', 'process.ready=60s');
    process.kill(up.guard_pid, 'SIGSTOP');
    const named = `the guard (pid ${String(up.guard_pid)}) is stopped or waits for a disk; \`kill -CONT ${String(up.guard_pid)}\``;
    // A busy machine may make the town silent for once.
    await until(async () => (await town.cli.run('status')).stdout.includes(named));
    expect(await town.cli.data('status')).toMatchObject({ guard_fault: expect.stringContaining(named) as string });
    const again = await town.cli.run('up', '--set', 'process.ready=60s');
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining(named)]);
    const down = await town.cli.run('down');
    expect(down).toMatchObject({ code: 0, stdout: expect.stringContaining('which was stopped or waited') as string });
  } finally {
    await town.cli.run('down');
  }
});
