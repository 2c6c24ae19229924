/** A record of a session that is lost while its agent runs: the agent is known again, as what it was, and a person is told once. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killHard, until } from '../cli/town.ts';
import { House, agent, start, isRunning } from './lost.ts';

// Rules: C-8.
test('what was started, configured or adopted keeps its life, its token and its restart policy, and each is told of once', async () => {
  const house = new House(agent('transient'));
  house.tmux('new-session', '-d', '-s', 'mine', 'sh', '-c', 'sleep 1000; read line');
  await house.up();
  const command = ['sh', '-c', 'echo "ä → ; #{pid}"; sleep 1000', ';'];
  await start(house, 'k', '--restart', 'permanent', '--tag', 'worker', '--dir', house.home, '--', ...command);
  expect((await house.run('session', 'adopt', 'mine', '--process', 'sleep')).code).toBe(0);
  await house.viewed('c', isRunning);
  const names = ['k', 'mine', 'c'];
  const before = names.map((name) => house.record(name)!);
  expect((await house.run('down')).code).toBe(0);
  house.damage(...names);
  house.configure(agent('permanent'));
  expect(await house.run('up')).toMatchObject({ code: 0, stderr: '' });

  const views = await Promise.all(names.map((name) => house.view(name)));
  expect(views).toMatchObject([
    {
      state: 'running',
      alive: true,
      restart: 'permanent',
      note: expect.stringContaining('its record was lost') as string,
    },
    { state: 'observed', alive: true, restart: 'temporary' },
    { state: 'running', alive: true, restart: 'permanent' },
  ]);
  for (const [at, { spec, incarnation, tokenHash }] of before.entries()) {
    const now = house.record(names[at]!)!;
    const restart = spec.name === 'c' ? 'permanent' : spec.restart;
    expect(now).toMatchObject({ spec: { ...spec, restart }, incarnation, tokenHash });
  }
  expect(house.names('quarantine').filter((name) => name.endsWith('.json'))).toHaveLength(3);
  const texts = (await house.told()).sort();
  expect(texts).toEqual([
    expect.stringMatching(
      /^sessions\/c\.json does not count: .*quarantine\/.*known again.*permanent, from town\.toml\.$/,
    ),
    expect.stringMatching(
      /^sessions\/k\.json .*known again by its marks in tmux; its restart policy is permanent, as it was/,
    ),
    expect.stringMatching(/^sessions\/mine\.json .*known again by its marks in tmux, and watched as before\.$/),
  ]);
  expect((await house.run('restart')).code).toBe(0);
  expect((await house.told()).sort()).toEqual(texts);

  // It is what it was: its death is seen, and it starts again.
  killHard(views[0]?.pid);
  await house.viewed('k', (view) => view.alive === true && view.pid !== views[0]?.pid);
  expect(house.record('k')?.spec.command).toEqual(command);
  // What was adopted is not: a person learns of its end.
  killHard(views[1]?.pid);
  const { mail } = await house.status((status) => status.mail.length > 0);
  expect(mail).toMatchObject([{ subject: 'ENDED: mine' }]);
  const shown = await house.run('mail', 'read', mail[0]!.id);
  expect(shown.stdout).toContain('mine: the adopted agent ended; its pane is left alone. See: town why mine');
});

// Rules: law 8.
test('an adoption whose record never came, since the town was killed, is whole, and no person is told', async () => {
  const house = new House();
  house.tmux('new-session', '-d', '-s', 'mine', 'sh', '-c', 'sleep 1000; read line');
  await house.up();
  expect((await house.run('session', 'adopt', 'mine', '--process', 'sleep')).code).toBe(0);
  const { spec, incarnation, tokenHash } = house.record('mine')!;
  expect((await house.run('down')).code).toBe(0);
  rmSync(join(house.root, 'sessions', 'mine.json'));
  await house.up();
  expect(await house.viewed('mine', (view) => view.alive === true)).toMatchObject({ state: 'observed' });
  expect(house.record('mine')).toMatchObject({ spec, incarnation, tokenHash });
  expect(await house.told()).toEqual([]);
});

test('a record that is damaged under a running town is written anew, and its agent never was anybody else’s', async () => {
  const house = await new House().up();
  const { uuid } = await start(house, 'k', '--', 'sleep', '1000');
  await until(() => house.record('k')?.state === 'running');
  const before = house.read('sessions/k.json');
  house.damage('k');
  expect((await house.run('nudge', 'k', 'hello')).stderr).not.toContain('no session');
  house.write('deacon/dogs/warrants/w.json', '{"target":"k","reason":"silent","requester":"me"}');
  await until(() => house.read('sessions/k.json') === before);
  expect(await house.view('k')).toMatchObject({ state: 'running', uuid });
  expect(await house.told()).toEqual([
    expect.stringMatching(/^sessions\/k\.json .*written anew from memory\. It is kept in /),
  ]);
});

test.each([
  ['is damaged', (house: House) => house.damage('k')],
  ['is taken away', (house: House) => rmSync(join(house.root, 'sessions', 'k.json'))],
])(
  'a record that %s under a running town: status knows the agent, the agent is known by its token',
  async (_, harm) => {
    const house = await new House().up();
    const { uuid, pid } = await start(house, 'k', '--', 'sleep', '1000');
    await until(() => house.record('k')?.state === 'running');
    const before = house.read('sessions/k.json');
    const [, token = ''] = /TOWN_TOKEN=([^\0]+)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8')) ?? [];
    harm(house);
    expect((await house.as(token, 'mail', 'check')).stderr).toBe('');
    harm(house);
    expect((await house.status()).sessions).toMatchObject([{ name: 'k', state: 'running', uuid }]);
    await until(() => house.read('sessions/k.json') === before);
  },
);
