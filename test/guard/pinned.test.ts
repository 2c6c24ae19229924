/** One root, one tmux server: what stands on the recorded socket is neither left behind nor looked for elsewhere. */
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exits, killHard, prints, until } from '../cli/town.ts';
import { House, mine, RECORD, names } from './sockets.ts';

// Rules: C-12.
test('another socket is refused by up, restart and daemon run while the town stands on the first, and nothing is touched', async () => {
  const town = new House();
  town.tmux(...mine);
  const before = town.marks();
  await town.up();
  expect(town.recorded()).toBe(town.socket);
  expect(statSync(join(town.root, RECORD)).mode & 0o777).toBe(0o600);
  const agent = await town.begin('k');
  const { pid, epoch } = await town.status();

  town.configure('', town.other);
  for (const words of [['restart'], ['up']]) {
    const refused = await town.run(...words);
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringMatching(names(town))]);
    expect(refused.stderr).toContain(`set it back to ${JSON.stringify(town.socket)}, or type \`town down --purge\``);
  }
  expect(await town.status()).toMatchObject({ pid, epoch, sessions: [{ name: 'k', alive: true }, {}] });
  prints(await town.run('doctor'), 1, /bad .*tmux socket: .* now, but /);

  expect((await town.run('down')).code).toBe(0);
  const unlatched = join(town.root, 'daemon/stopped');
  expect(existsSync(unlatched)).toBe(true);
  spawnSync('rm', [unlatched]);
  exits(await town.run('daemon', 'run'), 5, names(town));
  expect(existsSync(town.other)).toBe(false);

  // Who looks goes by the record too.
  expect(await town.sessions()).toMatchObject([{ name: 'k', alive: true, in_tmux: true }, { name: 'mine' }]);
  expect((await town.run('watch', '--all')).stdout).toMatch(/^mine /m);
  expect(await town.run('nudge', 'mine', 'hello')).toMatchObject({ code: 5 });

  expect(await town.run('down', '--purge')).toMatchObject({ code: 0, stderr: '' });
  spawnSync('kill', [String(agent)]);
  await until(town.marks.bind(town), (now) => now === before);
  await town.up();
  expect(town.recorded()).toBe(town.other);
  expect((await town.run('doctor')).stdout).toContain(`tmux socket: ${town.other}`);
});

// Rules: C-12.
test('a town that falls after its socket was edited comes back where it was, and a person is told', async () => {
  const town = await new House().up();
  const agent = await town.begin('k');
  const { pid } = await town.status();
  town.configure('', town.other);
  killHard(pid);
  const status = await until(
    () => town.status().catch(() => null), // it hung up in the middle of an answer
    (now) => now !== null && now.running && now.ready && now.pid !== pid,
  );
  expect(status).toMatchObject({ sessions: [{ name: 'k', alive: true, in_tmux: true }] });
  await until(async () => (await town.episodes()).includes('socket-moved'));
  const { alerts } = await town.status();
  expect(alerts.find(({ episode }) => episode === 'socket-moved')?.text).toMatch(
    new RegExp(`${town.other} now, but .*${town.socket}.*goes on where it is`),
  );
  expect(town.pidOf('k')).toBe(agent);
  town.configure();
  expect((await town.run('restart')).code).toBe(0);
  await until(async () => !(await town.episodes()).includes('socket-moved'));
});
