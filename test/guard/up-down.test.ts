/** The shipped command goes up and down on a real tmux server: its agents stay the same. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { exits, MAIN, TestTown } from '../cli/town.ts';
import { WAIT } from './yard.ts';
import { townWith, everything } from './on-server.ts';

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
