/** A recorded tmux socket and its server: given by a flag, gone, linked or silent. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exits, until } from '../cli/town.ts';
import { isAlive } from './yard.ts';
import { House, mine, RECORD } from './sockets.ts';

// Rules: F-2.
test('a socket given by --set is found again by what comes without it; agents that are left there keep the town there', async () => {
  const town = new House();
  town.configure('', town.other);
  town.tmux(...mine);
  const before = town.marks();
  expect((await town.run('up', '--set', `tmux.socket=${town.socket}`)).code).toBe(0);
  const agent = await town.begin('k');
  expect(await town.run('down', '--purge')).toMatchObject({ code: 0, stderr: '' });
  expect(town.marks().replace(/^k .*\n/m, '')).toBe(before);
  exits(await town.run('up'), 5, /agents of this town \(k\) still run on/);
  expect(isAlive(agent)).toBe(true);
  process.kill(agent, 'SIGTERM');
  await until(() => !isAlive(agent));

  // It ended between two looks, as it could have on the first server: it runs again where the town is now.
  await town.up();
  await until(async () =>
    (await town.sessions()).some(({ name, alive, in_tmux }) => name === 'k' && alive === true && in_tmux),
  );
  expect(town.pidOf('k')).toBe(0);
});

test('a server that is gone holds no town, and a record that is none is put away', async () => {
  const town = new House();
  town.tmux(...mine);
  await town.up();
  expect((await town.run('down')).code).toBe(0);
  const server = Number(town.tmux('display-message', '-p', '-t', '=mine:', '#{pid}'));
  spawnSync('tmux', ['-S', town.socket, 'kill-server'], { env: town.env() });
  await until(() => !isAlive(server));
  town.configure('', town.other);
  expect(await town.run('up')).toMatchObject({ code: 0, stderr: '' });
  expect(town.recorded()).toBe(town.other);
  expect((await town.run('down')).code).toBe(0);
  town.write(RECORD, 'somewhere');
  await town.up();
  expect(town.recorded()).toBe(town.other);
  expect(town.names('quarantine').filter((name) => name.endsWith('tmux-socket'))).toHaveLength(1);
});

test('a link to the folder of the socket is no other socket, and a silent server holds the town', async () => {
  const town = new House();
  town.tmux(...mine);
  await town.up();
  spawnSync('ln', ['-s', town.home, join(town.home, 'link')]);
  town.configure('', join(town.home, 'link', 'tmux'));
  expect((await town.run('restart')).code).toBe(0);
  expect(town.recorded()).toBe(town.socket);
  expect((await town.run('down')).code).toBe(0);
  town.configure('', town.other);
  const server = Number(town.tmux('display-message', '-p', '-t', '=mine:', '#{pid}'));
  process.kill(server, 'SIGSTOP');
  try {
    exits(await town.run('up'), 5, /it is unknown \(.*did not answer/);
  } finally {
    process.kill(server, 'SIGCONT');
  }
  expect(readFileSync(join(town.root, RECORD), 'utf8')).toContain(town.socket);
});
