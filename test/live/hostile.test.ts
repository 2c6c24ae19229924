/** The whole of a town's life under a tmux.conf that is against it: hooks, odd numbers, a shell that fails, nothing kept. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProcesses } from '../../src/proc/processes.ts';
import { exits, killHard, TestTown, until } from '../cli/town.ts';
import type { Session } from '../cli/views.ts';
import { HOSTILE_CONF, withServer } from '../tmux/server.ts';

const AGENTS = join(import.meta.dirname, '../../src/demo/agents');
const processes = createProcesses();

// Rules: C-12, F-2.
test('up, start, death and restart, hearings, kill -9 of guard and town, down --purge', async () => {
  await using server = await withServer({ conf: HOSTILE_CONF });
  const town = new TestTown();
  const config = [
    '[dance]\nwindows = ["3s", "3s", "3s"]\nlook_every = "100ms"\nsave_every = "100ms"\nterm_grace = "300ms"',
    '[hands]\nevidence_after = "300ms"\ncpu_above = 100000\n[sessions]\nbackoff = "300ms"\n',
  ];
  town.configure(config.join('\n'), server.socketPath);
  const options = async (): Promise<string[]> => [
    await server.tmux('show-options', '-g'),
    await server.tmux('show-options', '-s'),
    await server.tmux('show-options', '-g', '-w'),
    await server.tmux('show-hooks', '-g'),
  ];
  const names = async (): Promise<string[]> => (await server.tmux('ls', '-F', '#{session_name}')).split('\n');
  const before = await options();
  exits(await town.run('up'), 0, '');

  const start = async (name: string): Promise<Session> => {
    mkdirSync(join(town.home, name));
    const words = ['session', 'start', name, '--dir', join(town.home, name), '--', 'bash', join(AGENTS, name)];
    exits(await town.run(...words), 0, '');
    return town.data<Session>('session', 'status', name);
  };
  const builder = await start('builder');
  const deaf = await start('deaf');
  await start('listener');
  const base = await server.tmux('list-panes', '-t', '=base:', '-F', '#{pane_id} #{pane_pid}');

  process.kill(builder.pid, 'SIGKILL');
  const again = await until(
    () => town.data<Session>('session', 'status', 'builder'),
    ({ state, restarts }) => state === 'running' && restarts === 1,
  );
  expect([again.alive, again.pid === builder.pid]).toEqual([true, false]);

  const filed = [await town.accuse('deaf'), await town.accuse('listener'), await town.accuse('builder')];
  const closed = await Promise.all(filed.map((warrant) => town.closed(warrant)));
  expect(closed.map((warrant) => [warrant.verdict, warrant.reason])).toEqual([
    ['executed', 'silent through 3 questions'],
    ['pardoned', 'answered: code'],
    ['pardoned', expect.stringMatching(/^signs of life: a new line: compiled module/) as string],
  ]);
  expect(processes.proc(deaf.pid)).toBeNull();

  // The guard, then the town: agents know nothing of either.
  const first = await town.status((now) => now.guard_pid !== null);
  killHard(first.guard_pid);
  const guarded = await town.status((now) => now.guard_pid !== null && now.guard_pid !== first.guard_pid);
  expect(guarded.pid).toBe(first.pid);
  process.kill(first.pid, 'SIGKILL');
  const back = await town.status((now) => now.pid !== first.pid && now.ready && now.guard_pid !== null);
  expect(back.guard_pid).toBe(guarded.guard_pid);
  expect(await town.data<Session>('session', 'status', 'builder')).toMatchObject({ alive: true, pid: again.pid });

  exits(await town.run('down', '--purge'), 0, '');
  expect(await options()).toEqual(before);
  expect(await server.tmux('list-panes', '-t', '=base:', '-F', '#{pane_id} #{pane_pid}')).toBe(base);
  // What the hooks of that tmux.conf made of our starts is theirs; of ours only the living agents are left.
  const left = (await names()).filter((name) => !['base', 'intruder', 'renamed'].includes(name)).sort();
  expect(left).toEqual(['builder', 'listener']);
  for (const name of left) {
    expect(await server.tmux('show-options', '-t', `=${name}:`)).not.toContain('@town');
    expect(await server.tmux('show-hooks', '-t', `=${name}:`)).toBe('');
    expect(await server.tmux('show-hooks', '-p', '-t', `=${name}:`)).toBe('');
  }
  expect(processes.proc(again.pid)).not.toBeNull();
});
