import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProcesses } from '../../src/proc/processes.ts';
import { ControlTmux } from '../../src/tmux/client.ts';
import { faultOf } from '../../src/tmux/errors.ts';
import { untilOver } from '../world/over.ts';
import { until } from './yard.ts';
import { door, sessions, policy } from './door.ts';

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
