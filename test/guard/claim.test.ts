/** One tmux socket, one town, also while no tmux server runs: the second to come is refused, by the name of the first. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exits, killHard, prints, until } from '../cli/town.ts';
import { two, up } from './two-towns.ts';

// Rules: C-12.
test.each(['first', 'second'])(
  'without a server the %s of two towns keeps the socket; its end, or its kill -9 with its guard, frees it',
  async (which) => {
    const houses = two();
    const [holder, late] = which === 'first' ? houses : [houses[1], houses[0]];
    const { pid, guard_pid: guard } = await up(holder);
    exits(
      await late.run('up'),
      5,
      new RegExp(`^town: the town of ${holder.root} \\(pid ${pid}\\) holds the tmux socket [^\\n]*\\n$`),
    );
    expect(existsSync(join(late.root, 'daemon', 'daemon.pid'))).toBe(false);
    const by = { root: holder.root, pid, guard_pid: guard };
    expect([await holder.status(), await late.status()]).toMatchObject([
      { tmux_holder: by },
      { running: false, tmux_holder: by },
    ]);
    expect((await holder.run('status')).stdout).toContain(': this town holds it\n');
    expect((await late.run('status')).stdout).toContain(`: the town of ${holder.root} holds it (town ${pid})\n`);
    prints(await late.run('doctor'), 1, `tmux socket: the town of ${holder.root} (pid ${pid}) holds`);
    expect((await holder.run('doctor')).stdout).toContain('which this town holds');
    expect((await holder.run('session', 'start', 'builder', '--', 'sleep', '1000')).code).toBe(0);
    expect(await late.run('up')).toMatchObject({ code: 5 });

    killHard(guard);
    killHard(pid);
    const next = await up(late);
    exits(await holder.run('up'), 5, `${late.root} (pid ${next.pid})`);
    expect((await late.run('down')).code).toBe(0);
    await up(holder);
    expect(await holder.data('session', 'list')).toMatchObject([{ name: 'builder', alive: true }]);
    for (const { pid: one, guard_pid: two } of [await holder.status()]) [two, one].forEach(killHard);
    expect((await holder.run('down', '--purge')).code).toBe(0);
    expect(houses[0].beside().filter((name) => name.includes('.town'))).toEqual([]);
  },
);

// Rules: C-12.
test('between two lives of a town its guard keeps the socket, and a town without its guard keeps it too', async () => {
  const [one, other] = two();
  const { pid, guard_pid: guard } = await up(one);
  if (guard === null) throw new Error('no guard runs');
  process.kill(guard, 'SIGSTOP');
  killHard(pid);
  exits(
    await other.run('up'),
    5,
    `the town of ${one.root} (its guard, pid ${guard}, starts it again) holds the tmux socket`,
  );
  process.kill(guard, 'SIGCONT');
  const again = await until(
    () => one.status(),
    (now) => now.running && now.ready && now.pid !== pid,
  );
  expect(await other.run('up')).toMatchObject({ code: 5 });
  killHard(again.guard_pid);
  expect(await other.run('up')).toMatchObject({ code: 5 });
  await until(
    () => one.status(),
    (now) => now.guard_pid !== null && now.guard_pid !== again.guard_pid,
  );
});
