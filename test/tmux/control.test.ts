/** The control-mode client: how it ends, what it leaves, and which lines are its own. */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { createProcesses } from '../../src/proc/processes.ts';
import { ControlTmux } from '../../src/tmux/client.ts';
import { HOSTILE_CONF } from './server.ts';
import { argvOf, until } from './yard.ts';
import { door, policy, processesOf, sessions } from './door.ts';

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
