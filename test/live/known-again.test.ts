/** Agents whose records were lost are known again by tmux and their environment, in a moved root and behind a silent tmux. */
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { rootKey } from '../../src/tmux/panes.ts';
import { killHard, until } from '../cli/town.ts';
import { House, start, agent, isRunning } from './lost.ts';

test('an agent that ended while no town could know it is started again by the policy that it was started with', async () => {
  const house = await new House().up();
  const [keeps, ends] = [await start(house, 'keeps', '--restart', 'permanent', '--', 'sleep', '1000'), await start(house, 'ends', '--restart', 'temporary', '--', 'sleep', '1000')]; // prettier-ignore
  expect((await house.run('down')).code).toBe(0);
  for (const { pid } of [keeps, ends]) killHard(pid);
  house.damage('keeps', 'ends');
  await house.up();
  await house.viewed('keeps', (view) => view.alive === true && view.pid !== keeps.pid);
  expect(await house.view('ends')).toMatchObject({ state: 'ended', alive: false });
});

test('without its mark a life is known by its environment, and not started again by guess', async () => {
  const house = await new House().up();
  const { uuid, pid } = await start(house, 'k', '--restart', 'permanent', '--', 'sleep', '1000');
  const other = await start(house, 'other', '--restart', 'permanent', '--', 'sleep', '1000');
  expect((await house.run('down')).code).toBe(0);
  house.tmux('set-option', '-u', '-t', '=k:', '@town_life');
  // Foreign words in its place are no agent's command.
  const forged = house.tmux('show-options', '-v', '-t', '=other:', '@town_life').trim().replace('"sleep"', '"touch"');
  house.tmux('set-option', '-t', '=other:', '@town_life', forged);
  house.damage('k');
  rmSync(join(house.root, 'sessions', 'other.json'));
  await house.up();
  expect(await house.view('k')).toMatchObject({ state: 'running', alive: true, uuid, pid, restart: 'temporary' });
  expect(await house.view('other')).toMatchObject({ uuid: other.uuid, restart: 'temporary', pid: other.pid });
  expect(house.record('other')?.spec.command).toEqual([]);
  const told = await until(
    async () => (await house.told()).sort(),
    (all) => all.length >= 2,
  );
  expect(told).toEqual([
    expect.stringMatching(/^sessions\/k\.json .*quarantine\/.*how it was started is not, so it is not started again/),
    expect.stringMatching(
      /^sessions\/other\.json does not count: it was gone while its agent runs\. Its agent is known again/,
    ),
  ]);
  expect((await house.run('restart')).code).toBe(0);
  expect((await house.run('report')).stdout.match(/other\.json does not count/g)).not.toBeNull();
});

test('a root that is moved while its town is down takes its agents along, and leaves nothing of them behind', async () => {
  const house = await new House().up();
  const { pid } = await start(house, 'k', '--restart', 'permanent', '--', 'sleep', '1000');
  expect((await house.run('down')).code).toBe(0);
  const moved = join(house.home, 'elsewhere');
  renameSync(house.root, moved);
  const run = (...words: string[]) => house.bare(['--root', moved, ...words]);
  onTestFinished(async () => {
    await run('down');
  });
  expect((await run('up')).code).toBe(0);
  killHard(pid);
  const listed = await until(
    async () => (await run('session', 'list')).stdout,
    (text) => /^k +running /m.test(text) && !text.includes(` ${pid} `),
  );
  expect(listed).not.toContain('the name is taken');
  expect((await run('down', '--purge')).code).toBe(0);
  expect(house.tmux('show-options', '-t', '=k:')).not.toContain('@town_');
});

// Rules: C-12.
test('a root under a second path is the same town, and keeps what an older town marked with that path', async () => {
  const house = await new House().up();
  const { pid } = await start(house, 'k', '--restart', 'permanent', '--', 'sleep', '1000');
  const link = join(house.home, 'a link');
  symlinkSync(house.root, link);
  const run = (...words: string[]) => house.bare(['--root', link, ...words]);
  expect((await run('restart')).code).toBe(0);
  expect(await house.view('k')).toMatchObject({ state: 'running', alive: true, pid });
  expect((await house.run('down')).code).toBe(0);
  const marked = (): void => {
    house.tmux('set-option', '-t', '=k:', '@town_key', rootKey(link));
    house.tmux('set-option', '-t', '=k:', '@town_root', link);
    house.tmux('set-option', '-s', '@town_owner', `${rootKey(link)}-1 ${link}`);
  };
  marked();
  // Its record is gone too: the folder that its mark names proves whose it is.
  rmSync(join(house.root, 'sessions', 'k.json'));
  await house.up();
  expect(await house.view('k')).toMatchObject({ state: 'running', alive: true, pid });
  expect(house.tmux('show-options', '-v', '-t', '=k:', '@town_root').trim()).toBe(house.root);
  expect((await house.run('restart')).code).toBe(0);
  expect((await house.run('down')).code).toBe(0);
  marked();
  expect((await run('down', '--purge')).code).toBe(0);
  expect(house.tmux('show-options', '-t', '=k:') + house.tmux('show-options', '-s')).not.toContain('@town_');
  expect(house.tmux('show-hooks', '-p', '-t', '=k:')).not.toContain('pane-died');
});

test('a tmux that is silent when the town opens tells later, and no agent is started twice', async () => {
  const house = await new House(agent('permanent')).up();
  const { pid } = await house.viewed('c', isRunning);
  const server = Number(house.tmux('display-message', '-p', '-t', '=c:', '#{pid}'));
  expect((await house.run('down')).code).toBe(0);
  house.damage('c');
  process.kill(server, 'SIGSTOP');
  try {
    await house.up();
  } finally {
    process.kill(server, 'SIGCONT');
  }
  const view = await house.viewed('c', isRunning);
  expect(view).toMatchObject({ pid, alive: true });
  expect(house.tmux('list-panes', '-a', '-F', '#{session_name}').split('\n').filter((name) => name === 'c')).toHaveLength(1); // prettier-ignore
});
