/** What a command says beside its answer, so that a person need not find it out: other sockets, what comes first, all logs at once. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { whenOver } from '../world/over.ts';
import { TestTown, until } from './town.ts';

test('watch names another tmux socket that has agents, and asks nothing of its server', async () => {
  const town = new TestTown();
  const other = join(town.home, 'other');
  const claude = join(town.home, 'claude');
  writeFileSync(claude, '#!/bin/bash\nwhile :; do read -r -t 1000 line; done\n', { mode: 0o755 });
  const tmux = (...words: string[]) =>
    spawnSync('tmux', ['-f', '/dev/null', '-S', other, ...words], { env: town.env(), encoding: 'utf8' }).stdout;
  whenOver(() => tmux('kill-server'));
  tmux('new-session', '-d', '-s', 'far', claude);
  tmux('new-session', '-d', '-s', 'plain', 'sleep', '100000');
  town.tmux('new-session', '-d', '-s', 'mine', 'sleep', '100000');
  const watched = async (): Promise<string> => (await town.run('watch', '--once')).stdout;
  await until(watched, (page) => page.includes(`On another tmux socket, ${other}: 1 agent.`));
  expect(tmux('list-clients')).toBe('');
});

test('a plain kill says that a hearing comes first', async () => {
  const town = new TestTown();
  town.session('builder');
  const plain = await town.run('session', 'kill', 'builder');
  expect(plain.stdout).toMatch(
    /^warrant w-\S+ against builder is filed: a hearing comes first, and an answer pardons it/,
  );
  const forced = await town.run('session', 'kill', 'builder', '--force');
  expect(forced.stdout).toContain('is filed: no hearing; its work is saved first');
});

test('logs without a name are those of each session, below its name', async () => {
  const town = await new TestTown().up();
  for (const name of ['one', 'two']) await town.agent(name, ['sh', '-c', `echo hello from ${name}; exec sleep 100000`]);
  const logs = async (): Promise<string> => (await town.run('session', 'logs', '-n', '1')).stdout;
  const page = await until(logs, (text) => text.includes('hello from one') && text.includes('hello from two'));
  expect(page).toBe('==> one\nhello from one\n\n==> two\nhello from two\n');
  expect(await town.run('session', 'logs', '-f')).toMatchObject({ code: 2 });
});
