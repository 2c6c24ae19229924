/** One tmux socket, one town, also while no tmux server runs: the second to come is refused, by the name of the first. */
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exits, killHard, prints, TestTown, until } from '../cli/town.ts';
import type { Status } from '../cli/views.ts';

class House extends TestTown {
  /** What stands beside the socket. */
  beside(): string[] {
    return readdirSync(this.home).filter((name) => name.startsWith('tmux'));
  }
}

/** Two towns that are configured to one socket, which no server listens on. */
function two(): [House, House] {
  const [one, other] = [new House(), new House()];
  other.configure('', one.socket);
  return [one, other];
}

const up = async (house: House): Promise<Status> => {
  expect(await house.run('up')).toMatchObject({ code: 0, stderr: '' });
  return house.status();
};

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

test('both at once: one comes up, the other is told of it', async () => {
  const [one, other] = two();
  const ran = await Promise.all([one.run('up'), other.run('up')]);
  expect(ran.map(({ code }) => code).sort()).toEqual([0, 5]);
  const [winner, loser] = ran[0].code === 0 ? [one, ran[1]] : [other, ran[0]];
  expect(loser.stderr).toContain(winner.root);
});

test('two names of one socket are one', async () => {
  const one = new House();
  const uid = String(process.getuid?.());
  const folder = join(one.home, `tmux-${uid}`);
  mkdirSync(folder, { mode: 0o700 });
  symlinkSync(one.home, join(one.home, 'link'));
  one.configure('', join(folder, 'default'));
  await up(one);
  symlinkSync(join(folder, 'default'), join(one.home, 'alias'));
  for (const [socket, env] of [
    [join(one.home, 'link', `tmux-${uid}`, 'default'), {}],
    [join(folder, '..', `tmux-${uid}`, 'default'), {}],
    [join(one.home, 'alias'), {}],
    ['default', { TMUX_TMPDIR: one.home }],
    ['default', { TMUX_TMPDIR: join(one.home, 'link') }],
  ] as const) {
    const other = new House();
    other.configure('', socket);
    const refused = await other.bare(['--root', other.root, 'up'], { env });
    expect([socket, refused.code, refused.stderr]).toEqual([socket, 5, expect.stringContaining(one.root)]);
  }
});

test('a lock that was swept away is taken anew, and a restart to a socket that another town has ends no agent', async () => {
  const [one, other] = [new House(), new House()];
  const { pid } = await up(one);
  await up(other);
  one.configure('', other.socket);
  exits(await one.run('restart'), 5, other.root);
  expect(await one.status()).toMatchObject({ running: true, pid });
  one.configure();
  for (const name of one.beside()) rmSync(join(one.home, name));
  expect((await one.run('session', 'start', 'k', '--', 'sleep', '1000')).code).toBe(0);
  expect(one.beside()).toEqual(expect.arrayContaining(['tmux.town', 'tmux.town-lock']));
  expect((await other.run('down')).code).toBe(0);
  other.configure('', one.socket);
  expect(await other.run('up')).toMatchObject({ code: 5 });
});

test('a socket that cannot be locked is refused with one sentence, and a town that runs there goes on', async () => {
  const one = new House();
  for (const [socket, why] of [
    ['/proc/town', /nothing can be locked in \/proc \(/],
    [join(one.home, 'missing', 'tmux'), /there is no folder [^ ]*missing/],
  ] as const) {
    one.configure('', socket);
    const { code, stderr } = await one.run('up');
    expect([socket, code, stderr]).toEqual([socket, 2, expect.stringMatching(why)]);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  }
  one.configure();
  const { pid } = await up(one);
  expect((await one.run('session', 'start', 'k', '--', 'sleep', '1000')).code).toBe(0);
  rmSync(join(one.home, 'tmux.town-lock'));
  mkdirSync(join(one.home, 'tmux.town-lock'));
  killHard(pid);
  const now = await until(
    () => one.status(),
    (found) => found.running && found.ready && found.pid !== pid,
  );
  expect(now.degraded_why).toContain('tmux.town-lock is not a regular file');
  expect(await one.data('session', 'list')).toMatchObject([{ name: 'k', alive: true }]);
  expect((await one.run('session', 'start', 'other', '--', 'sleep', '1000')).stderr).toContain('not a regular file');
  rmSync(join(one.home, 'tmux.town-lock'), { recursive: true });
  expect((await one.run('session', 'start', 'other', '--', 'sleep', '1000')).code).toBe(0);
  expect((await one.status()).degraded_why).toBe(null);
});
