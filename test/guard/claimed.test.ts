/** What counts as the same tmux socket, and what becomes of a lock that is taken away or cannot be had. */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exits, killHard, until } from '../cli/town.ts';
import { two, House, up } from './two-towns.ts';

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
