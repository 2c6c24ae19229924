/** The shipped command with the real engine on a real tmux server of our own. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { isAlive, WAIT } from './yard.ts';
import { townWith, everything } from './on-server.ts';

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
  for (const name of ['daemon.pid', 'guard.json', 'town.sock', 'guard.sock'])
    expect(existsSync(join(town.root, 'daemon', name))).toBe(false);
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
