/** Where the socket of a tmux server is, and what environment tmux gets. */
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProcesses } from '../../src/proc/processes.ts';
import { ControlTmux } from '../../src/tmux/client.ts';
import { agentEnvironment, scrubbedEnvironment } from '../../src/proc/environment.ts';
import { socketPath } from '../../src/tmux/socket.ts';
import { door, policy } from './door.ts';

test('a socket name is resolved as tmux does it, once, to an absolute path', async () => {
  const { server } = await door();
  const real = join(server.dir, 'real');
  mkdirSync(real);
  symlinkSync(real, join(server.dir, 'link'));
  const env = { ...server.env, TMUX_TMPDIR: join(server.dir, 'link') };
  expect(socketPath('default', env, 7)).toBe(join(real, 'tmux-7', 'default'));
  expect(socketPath('x', { TMUX_TMPDIR: '/nonexistent' }, 7)).toBe('/tmp/tmux-7/x');
  expect(socketPath('/a/b', env)).toBe('/a/b');
  expect(() => socketPath('a/b', env)).toThrow(/"a\/b"/);
  expect(() => socketPath('', env)).toThrow(/neither a name nor an absolute path/);
});

test('a first start makes the folder of a named socket where tmux would have made it', async () => {
  const { server } = await door();
  const env = { ...server.env, TMUX_TMPDIR: server.dir };
  const { door: named } = await door({ socketPath: socketPath('mine', env), env });
  expect(await named.connect({ start: true })).toBe('up');
  expect(existsSync(socketPath('mine', env))).toBe(true);
  await named.call(['kill-server']);
});

test('the environment for tmux has nothing of npm, of tmux, of Node and of an agent', () => {
  const env = {
    HOME: '/h',
    npm_config_x: '1',
    INIT_CWD: '/',
    NODE: 'n',
    NODE_OPTIONS: '-r x',
    TMUX: 't',
    TMUX_PANE: '%1',
    TOWN_TOKEN: 's',
    TOWN_INCARNATION: 'u',
    TOWN_SESSION: 'a',
    TOWN_ROOT: '/r',
    PATH: '/p/node_modules/.bin:/node_modules/.bin:/n/lib/node-gyp-bin:/usr/bin:/bin',
  };
  expect(scrubbedEnvironment(env)).toEqual({ HOME: '/h', TOWN_ROOT: '/r', PATH: '/usr/bin:/bin' });
  expect(agentEnvironment(env)).toEqual({ HOME: '/h', PATH: '/usr/bin:/bin' });
  expect(scrubbedEnvironment({ PATH: '/mine/node_modules/.bin:/bin' })['PATH']).toBe('/mine/node_modules/.bin:/bin');
});

test('a socket file that was swept away is made again before anybody says that none runs', async () => {
  const { server, door: tmux } = await door();
  const pid = (await tmux.server())?.pid;
  rmSync(server.socketPath);
  expect((await tmux.server())?.pid).toBe(pid);
  rmSync(server.socketPath);
  const fresh = new ControlTmux({
    socketPath: server.socketPath,
    env: server.env,
    policy,
    processes: createProcesses(),
  });
  expect(await fresh.server()).toBeNull();
  const known = createProcesses().proc(pid ?? 0);
  if (known !== null) fresh.expect(known);
  expect((await fresh.server())?.pid).toBe(pid);
});
