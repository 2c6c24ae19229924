/** The shipped command with the real engine on a real tmux server of our own. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { exits, MAIN, TestTown } from '../cli/town.ts';
import { isAlive, WAIT } from './yard.ts';

function townWith(config = ''): TestTown {
  const town = new TestTown();
  town.write('tmux.conf', config);
  town.conf = join(town.root, 'tmux.conf');
  return town;
}

const everything = (town: TestTown): string[] =>
  ['show-options -g', 'show-options -s', 'show-options -g -w', 'show-hooks -g'].map((words) =>
    town.tmux(...words.split(' ')),
  );

test('down --purge takes back what an earlier start of the same root left on the server', async () => {
  const town = townWith();
  town.tmux('new-session', '-d', '-s', 'mine', 'sleep', '1000');
  const before = everything(town);
  await town.up();
  const owner = town.tmux('show-options', '-sv', '@town_owner').trimEnd();
  const [mark = ''] = owner.split(' ');
  expect(mark).toMatch(/^[0-9a-f]{16}-\d+$/);
  expect(await town.run('down')).toMatchObject({ code: 0 });
  town.tmux('set-option', '-s', '@town_owner', owner.replace(mark, mark.replace(/\d+$/, '0')));
  expect(await town.run('down', '--purge')).toMatchObject({ code: 0 });
  expect(everything(town)).toEqual(before);
});

// Rules: F-2.
test.each([
  ['a plain tmux', ''],
  ['a hostile tmux.conf', 'set -g destroy-unattached on\nset -g remain-on-exit on\nset -g base-index 1\n'],
])('down --purge on %s leaves nothing behind but the running agents', async (_what, config) => {
  const town = townWith(config);
  town.tmux(...'new-session -d -s mine sleep 1000 ; set-option -t mine destroy-unattached off'.split(' '));
  const before = everything(town);
  await town.up();
  expect(await town.run('session', 'start', 'agent', '--dir', '/', '--', 'sleep', '1000')).toMatchObject({ code: 0 });
  await vi.waitFor(() => expect(town.tmux('ls', '-F', '#{session_name}').split('\n')).toContain('agent'), WAIT);
  await vi.waitFor(() => expect(town.tmux('ls', '-F', '#{session_name}')).toContain('_townwatch'), WAIT);
  const pane = town.tmux('list-panes', '-t', '=agent', '-F', '#{pane_pid} #{pane_id}').trim().split(' ');
  expect(await town.run('down', '--purge')).toMatchObject({ code: 0, stderr: '' });
  expect(everything(town)).toEqual(before);
  expect(town.tmux('ls', '-F', '#{session_name}').trim().split('\n').sort()).toEqual(['agent', 'mine']);
  expect(isAlive(Number(pane[0]))).toBe(true);
  expect(town.tmux('show-options', '-t', 'agent')).not.toContain('@town');
  expect(town.tmux('show-hooks', '-p', '-t', pane[1]!)).toBe('');
  expect(town.tmux('show-options', '-p', '-t', pane[1]!)).toBe('');
  for (const name of ['daemon.pid', 'guard.json', 'town.sock'])
    expect(existsSync(join(town.root, 'daemon', name))).toBe(false);
});

// Rules: C-13.
test('down leaves agents running, and they are the same after the next up; kill -9 of the town changes nothing', async () => {
  const town = await townWith().up();
  expect(await town.run('session', 'start', 'agent', '--dir', '/', '--', 'sleep', '1000')).toMatchObject({ code: 0 });
  const agent = (): string => town.tmux('list-panes', '-t', '=agent', '-F', '#{session_id} #{pane_pid}');
  await vi.waitFor(() => expect(agent()).toContain('$'), WAIT);
  const first = agent();
  expect(await town.run('down')).toMatchObject({ code: 0 });
  expect(agent()).toBe(first);
  await town.up();
  const { epoch, pid } = await town.status();
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(async () => expect(await town.status()).toMatchObject({ running: true, epoch: epoch + 1 }), WAIT);
  expect(agent()).toBe(first);
});

// Rules: F-4.
test('`town up | cat` returns', async () => {
  const town = townWith();
  const words = ['-c', '"$0" "$@" 2>&1 | cat', process.execPath, MAIN, '--root', town.root, 'up'];
  const up = spawn('sh', words, { stdio: ['ignore', 'pipe', 'inherit'], env: town.env() });
  expect(await text(up.stdout)).toContain('is up');
});

// Rules: C-12.
test('a second root on the same tmux server is refused, by the name of the first, and nothing of it stays', async () => {
  const [one, two] = [new TestTown(), new TestTown()];
  two.configure('', one.socket);
  one.tmux('new-session', '-d', '-s', 'mine', 'sleep', '1000');
  await one.up();
  exits(await two.run('up'), 5, one.root);
  for (const name of ['daemon.pid', 'guard.json']) expect(existsSync(join(two.root, 'daemon', name))).toBe(false);
});

// Rules: law 4.
test('a purge saves what a dead pane shows before it clears it', async () => {
  const town = townWith();
  town.tmux('new-session', '-d', '-s', 'mine', 'sleep', '1000');
  await town.up();
  const last = ['sh', '-c', 'echo last words; sleep 0.5; exit 3']; // tmux 3.3a may lose what it prints as it ends
  await town.run('session', 'start', 'agent', '--dir', '/', '--restart', 'temporary', '--', ...last);
  await vi.waitFor(() => expect(town.tmux('list-panes', '-a', '-F', '#{pane_dead}')).toContain('1'), WAIT);
  expect(await town.run('down', '--purge')).toMatchObject({ code: 0, stderr: '' });
  expect(town.tmux('ls', '-F', '#{session_name}').trim()).toBe('mine');
  expect(town.read('output/agent.log')).toContain('last words');
});
