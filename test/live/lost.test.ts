/** A record of a session that is lost while its agent runs: the agent is known again, as what it was, and a person is told once. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { exits, killHard, TestTown, until } from '../cli/town.ts';
import type { Session } from '../cli/views.ts';

const FAST = '[sessions]\nbackoff = "100ms"\nscan_every = "100ms"\n';
const agent = (restart: string): string =>
  `[[agents]]\nname = "c"\ncommand = ["sleep", "1000"]\nrestart = "${restart}"\n`;

class House extends TestTown {
  override configure(toml = ''): void {
    super.configure(`${FAST}${toml}`);
  }

  damage(...names: string[]): void {
    for (const name of names)
      writeFileSync(join(this.root, 'sessions', `${name}.json`), '{"schema":"session/1","spec":');
  }

  /** What a person is told of damaged records. */
  async told(): Promise<string[]> {
    const { alerts } = await this.status();
    return alerts.filter(({ text }) => text.startsWith('sessions/')).map(({ text }) => text);
  }
}

const isRunning = ({ state }: Session) => state === 'running';
const start = async (house: House, name: string, ...more: string[]): Promise<Session> => {
  exits(await house.run('session', 'start', name, ...more), 0, '');
  return (await house.view(name))!;
};

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
