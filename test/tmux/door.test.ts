import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { createProcesses } from '../../src/proc/processes.ts';
import { ControlTmux, type ControlTmuxOptions } from '../../src/tmux/client.ts';
import { agentEnvironment, scrubbedEnvironment } from '../../src/proc/environment.ts';
import { faultOf } from '../../src/tmux/errors.ts';
import { socketPath } from '../../src/tmux/socket.ts';
import { untilOver } from '../world/over.ts';
import { HOSTILE_CONF, withServer, type ServerOptions, type TestServer } from './server.ts';
import { argvOf, until } from './yard.ts';

const policy = { tmuxAnswerMs: 5_000, columns: 200, rows: 50 };

async function door(options: Partial<ControlTmuxOptions> = {}, serverOptions: ServerOptions = {}) {
  const server = untilOver(await withServer(serverOptions));
  const { socketPath, env } = server;
  const made = new ControlTmux({ socketPath, env, policy, processes: createProcesses(), ...options });
  untilOver({ [Symbol.asyncDispose]: () => made.close() });
  return { server, door: made };
}

const sessions = async (server: TestServer): Promise<string[]> =>
  (await server.tmux('list-sessions', '-F', '#{session_name}')).split('\n').filter((name) => name !== '');

/** Pids whose command line names the socket: the server, and its clients. */
function processesOf(path: string): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').includes(path);
    } catch {
      return false; // It ended meanwhile.
    }
  });
}

test.each([
  ['no server running on /tmp/x', 'none'],
  ['error connecting to /tmp/a b/x (No such file or directory)', 'none'],
  ['error connecting to /tmp/x (Permission denied)', 'unknown'],
  ['server exited unexpectedly', 'unknown'],
  ['lost server', 'unknown'],
  ['create session failed: fork failed: Resource temporarily unavailable', 'unknown'],
  ['', 'unknown'],
  ["can't find session: nope", 'refused'],
  ["can't find session: a\nno server running on /tmp/x", 'refused'],
] as const)('what tmux says: %j is %s', (said, fault) => {
  expect(faultOf(said)).toBe(fault);
});

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

test('a control-mode client answers, hides its session behind an own name and takes it along', async () => {
  const { server, door: tmux } = await door();
  expect(await tmux.connect()).toBe('up');
  expect(tmux.connected).toBe(true);
  expect(await sessions(server)).toEqual([expect.stringMatching(/^_townwatch-\d+-[0-9a-f]{8}$/), 'base']);
  expect(await tmux.query(['display-message', '-p', '-t', '=base:', '#{session_name}'])).toEqual(['base']);
  expect(await tmux.query(['display-message', '-p', '-t', '=missing:', '#{session_name}'])).toEqual(['']);
  await expect(tmux.query(['kill-pane', '-t', '%999'])).rejects.toMatchObject({ fault: 'refused' });
  await tmux.close();
  await until(async () => (await sessions(server)).join() === 'base');
});

test('one-shot and control mode give the same lines for the same query', async () => {
  const { door: tmux } = await door();
  const ask = (): Promise<string[][]> =>
    Promise.all([
      tmux.query(['list-panes', '-a', '-f', '#{==:#{session_name},base}', '-F', '#{pane_id} #{pane_dead}']),
      tmux.query(['display-message', '-p', '-t', '=missing:', '#{pane_id}']),
      tmux.query(['list-panes', '-a', '-f', '0']),
    ]);
  const once = await ask();
  await tmux.connect();
  expect(await ask()).toEqual(once);
  expect(once).toEqual([['%0 0'], [''], []]);
});

test('no server is started by itself, and none is a proved answer', async () => {
  const { door: tmux } = await door({}, { session: null });
  expect(await tmux.connect()).toBe('none');
  expect(await tmux.server()).toBeNull();
  await expect(tmux.call(['list-sessions'])).rejects.toMatchObject({ fault: 'none' });
  await expect(tmux.sequence([['new-session', '-d', 'sleep', '9']])).rejects.toMatchObject({ fault: 'none' });
  expect(await tmux.connect({ start: true })).toBe('up');
  expect((await tmux.server())?.pid).toBeGreaterThan(1);
});

test('connecting twice at once makes one client; a caller that may start a server gets one', async () => {
  const { server, door: tmux } = await door({}, { session: null });
  expect(await Promise.all([tmux.connect(), tmux.connect({ start: true }), tmux.connect({ start: true })])).toEqual([
    'none',
    'up',
    'up',
  ]);
  expect(await sessions(server)).toHaveLength(1);
});

// Rules: I-11.
test('no tmux program is absent, for calls and for the client', async () => {
  const { door: tmux } = await door({ binary: 'tmux-that-is-not-there' }, { session: null });
  await expect(tmux.call(['list-sessions'])).rejects.toMatchObject({ fault: 'absent' });
  await expect(tmux.connect()).rejects.toMatchObject({ fault: 'absent' });
});

// Rules: law 1.
test('a server that is stopped is unknown, for calls, for queries and for a new client; then it answers again', async () => {
  const { server, door: tmux } = await door({ policy: { ...policy, tmuxAnswerMs: 300 } });
  const lost: string[] = [];
  const client = new ControlTmux({
    socketPath: server.socketPath,
    env: server.env,
    processes: createProcesses(),
    lost: (why) => lost.push(why),
    policy: { ...policy, tmuxAnswerMs: 300 },
  });
  untilOver({ [Symbol.asyncDispose]: () => client.close() });
  await client.connect();
  const pid = Number(await server.tmux('display-message', '-p', '#{pid}'));
  process.kill(pid, 'SIGSTOP');
  try {
    await expect(tmux.call(['list-sessions'])).rejects.toMatchObject({ fault: 'unknown' });
    await expect(tmux.connect()).rejects.toMatchObject({ fault: 'unknown' });
    await expect(tmux.server()).rejects.toMatchObject({ fault: 'unknown' });
    await expect(client.query(['list-panes', '-a'])).rejects.toMatchObject({ fault: 'unknown' });
    await expect(client.query(['list-panes', '-a'])).rejects.toMatchObject({ fault: 'unknown' });
    await until(() => lost.length > 0);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  expect(client.connected).toBe(false);
  await until(() =>
    client.query(['display-message', '-p', 'ok']).then(
      ([line]) => line === 'ok',
      () => false,
    ),
  );
  await until(() => client.connect().then((state) => state === 'up'));
  expect(lost).toHaveLength(1);
});

test('a late reply is never taken for the next query’s', async () => {
  const { server, door: tmux } = await door({ policy: { ...policy, tmuxAnswerMs: 1_000 } });
  await tmux.connect();
  const pid = Number(await server.tmux('display-message', '-p', '#{pid}'));
  process.kill(pid, 'SIGSTOP');
  await expect(tmux.query(['display-message', '-p', 'late'])).rejects.toMatchObject({ fault: 'unknown' });
  process.kill(pid, 'SIGCONT');
  await until(async () => {
    const lines = await tmux.query(['display-message', '-p', 'next']).catch(() => null);
    if (lines !== null) expect(lines).toEqual(['next']);
    return lines !== null;
  });
  expect(tmux.connected).toBe(true);
});

test('a killed server ends the client: told once, queries go one-shot and prove that none runs', async () => {
  const lost: string[] = [];
  const { server, door: tmux } = await door({ lost: (why) => lost.push(why) });
  await tmux.connect();
  await server.tmux('kill-server');
  await until(() => lost.length > 0);
  expect(tmux.connected).toBe(false);
  // While it ends, a server answers nothing: unknown, until its end is proved.
  await until(() =>
    tmux.server().then(
      (found) => found === null,
      () => false,
    ),
  );
  expect(lost).toHaveLength(1);
});

test('what tmux tells unasked is passed on', async () => {
  const heard: string[] = [];
  const { server, door: tmux } = await door({ notice: (name) => heard.push(name) });
  await tmux.connect();
  await server.tmux('new-session', '-d', '-s', 'short', 'sleep', '1000');
  await until(() => heard.includes('sessions-changed'));
  await server.tmux('kill-session', '-t', '=short');
  await until(() => heard.includes('unlinked-window-close'));
});

test('clients that end together, on a server that was silent, neither crash it nor leave a session behind', async () => {
  const { server } = await door();
  const pid = Number(await server.tmux('display-message', '-p', '#{pid}'));
  const options = { socketPath: server.socketPath, env: server.env, processes: createProcesses() };
  for (let round = 0; round < 8; round += 1) {
    const tmux = new ControlTmux({ ...options, policy: { ...policy, tmuxAnswerMs: 500 } });
    await until(() => tmux.connect().then((state) => state === 'up'));
    process.kill(pid, 'SIGSTOP');
    const calls = [1, 2, 3].map(() => tmux.call(['list-sessions']).catch(() => ''));
    await Promise.all([tmux.close(), ...calls]);
    process.kill(pid, 'SIGCONT');
    await until(() => processesOf(server.socketPath).length === 1);
    await until(async () => (await sessions(server)).join() === 'base');
  }
  expect(await server.tmux('display-message', '-p', '#{pid}')).toBe(String(pid));
});

test('no control-mode client is started towards a silent server: one that vanishes there makes tmux crash', async () => {
  const { server, door: tmux } = await door({ policy: { ...policy, tmuxAnswerMs: 500 } });
  const pid = Number(await server.tmux('display-message', '-p', '#{pid}'));
  process.kill(pid, 'SIGSTOP');
  try {
    await expect(tmux.connect({ start: true })).rejects.toMatchObject({ fault: 'unknown' });
    await until(() => processesOf(server.socketPath).length === 1);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await until(async () => (await sessions(server)).join() === 'base');
});

test('a client that was killed leaves no hidden session; what a killed town left is swept by the next one', async () => {
  const { server, door: tmux } = await door();
  await tmux.connect();
  const client = processesOf(server.socketPath).find((pid) => argvOf(Number(pid)).includes('-C'));
  process.kill(Number(client), 'SIGKILL');
  await until(async () => (await sessions(server)).join() === 'base');
  for (const name of ['_townwatch-999999999-abc', `_townwatch-${process.pid}-abc`, '_townwatch-999999998-abc'])
    await server.tmux('new-session', '-d', '-s', name, 'sleep', '1000');
  for (const name of ['_townwatch-999999999-abc', `_townwatch-${process.pid}-abc`])
    await server.tmux('set-option', '-t', `=${name}:`, '@town_hidden', '1');
  await until(() => tmux.connect().then((state) => state === 'up'));
  const left = (await sessions(server)).filter((name) => name.endsWith('-abc'));
  expect(left.sort()).toEqual([`_townwatch-${process.pid}-abc`, '_townwatch-999999998-abc'].sort());
});

test('a town that was killed leaves neither its client nor its session', async () => {
  const { server } = await door();
  const program = `
    import { ControlTmux } from '${resolve('src/tmux/client.ts')}';
    import { createProcesses } from '${resolve('src/proc/processes.ts')}';
    const policy = { tmuxAnswerMs: 5000, columns: 200, rows: 50 };
    const tmux = new ControlTmux({ socketPath: process.argv[1], policy, processes: createProcesses() });
    await tmux.connect();
    process.kill(process.pid, 'SIGKILL');`;
  const town = await execa(process.execPath, ['--input-type=module', '-e', program, server.socketPath], {
    reject: false,
    env: server.env,
  });
  expect(town.signal).toBe('SIGKILL');
  await until(() => processesOf(server.socketPath).length === 1);
  expect(await sessions(server)).toEqual(['base']);
});

// Rules: law 11.
test('replies can be forged by an agent: lines of its folder and of argv[0] end no block and reach no one', async () => {
  const { server, door: tmux } = await door();
  const folder = join(server.dir, 'a\n%exit\n%end 1 2 1\n%error 1 2 1\n%begin 1 2 1');
  mkdirSync(folder);
  const shout = `exec -a "$(printf 'x\\n%%exit\\n%%end 1 2 1\\n%%sessions-changed')" sleep 1000`;
  await server.tmux('new-session', '-d', '-s', 'hostile', '-c', folder, 'bash', '-c', shout);
  await tmux.connect();
  const lost: string[] = [];
  await until(async () => {
    const lines = await tmux.query(['list-panes', '-a', '-F', '#{pane_current_path}']);
    return lines.includes('%exit');
  });
  const lines = await tmux.query(['list-panes', '-a', '-F', '#{pane_id} #{pane_current_command} #{pane_current_path}']);
  expect(lines.filter((line) => line === '%exit').length).toBeGreaterThan(0);
  expect(await tmux.query(['display-message', '-p', 'still in step'])).toEqual(['still in step']);
  expect(tmux.connected).toBe(true);
  expect(lost).toEqual([]);
});

test('an argument that ends in a semicolon stays an argument', async () => {
  const { server, door: tmux } = await door();
  await server.tmux('new-session', '-d', '-s', 'victim', 'sleep', '1000');
  const typed = join(server.dir, 'typed');
  await server.tmux('new-session', '-d', '-s', 'typed', 'tee', typed);
  for (const text of ['x;', ';', 'y\\;', 'z\\\\;']) {
    await tmux.call(['send-keys', '-t', '=typed:', '-l', '--', text]);
    await tmux.call(['send-keys', '-t', '=typed:', 'Enter']);
  }
  const read = (): string => (existsSync(typed) ? readFileSync(typed, 'utf8') : '');
  await until(() => read().split('\n').length === 5);
  expect(read()).toBe('x;\n;\ny\\;\nz\\\\;\n');
  expect(await sessions(server)).toContain('victim');
});

test('text goes in by stdin', async () => {
  const { server, door: tmux } = await door();
  await tmux.call(['load-buffer', '-b', 'b', '-'], 'a\n;#{pid} \u00e9');
  expect(await server.tmux('show-buffer', '-b', 'b')).toBe('a\n;#{pid} \u00e9');
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

test('under a hostile tmux.conf the client is up, its replies are its own, and its session ends with it', async () => {
  const { server, door: tmux } = await door({}, { conf: HOSTILE_CONF });
  expect(await tmux.connect()).toBe('up');
  for (const word of ['one', 'two', 'three']) {
    expect(await tmux.query(['list-panes', '-a', '-f', '0'])).toEqual([]);
    expect(await tmux.query(['display-message', '-p', word])).toEqual([word]);
  }
  const hidden = async (): Promise<string> => server.tmux('list-sessions', '-F', 'h#{@town_hidden}');
  expect(await hidden()).toMatch(/^h1$/m);
  await tmux.close();
  await until(async () => !/^h1$/m.test(await hidden()));
});
