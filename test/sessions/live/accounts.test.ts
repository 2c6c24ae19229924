/** Accounts on a real tmux (M-9): scripted agents with one login, read from the environment of their processes. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exits, killHard, prints, TestTown, until } from '../../cli/town.ts';

const CLAUDE = join(import.meta.dirname, '../../fixtures/agents/account/claude');

class Account {
  readonly #town: TestTown;
  readonly folder: string;

  constructor(town: TestTown, name: string, login: string) {
    this.#town = town;
    this.folder = join(town.home, name);
    mkdirSync(this.folder);
    this.logsIn(login);
  }

  get command(): readonly string[] {
    return ['env', `CLAUDE_CONFIG_DIR=${this.folder}`, CLAUDE];
  }

  /** Which sessions were started so far, each with the login that it found. */
  get starts(): readonly string[] {
    return readFileSync(join(this.folder, 'starts'), 'utf8').trim().split('\n');
  }

  /** In another terminal. */
  logsIn(login = 'another login'): void {
    writeFileSync(join(this.folder, '.credentials.json'), JSON.stringify({ claudeAiOauth: { accessToken: login } }));
  }

  types(session: string, text: string): void {
    const { paneId = '' } = this.#town.life(session) ?? {};
    for (const keys of [['-l', text], ['Enter']])
      spawnSync('tmux', ['-S', this.#town.socket, 'send-keys', '-t', paneId, ...keys]);
  }
}

const kinds = async (town: TestTown): Promise<string[]> =>
  (await town.episodes()).map((episode) => episode.split('/')[0] ?? '').sort();

// Rules: M-9.
test('one dead login is one alert, holds the starts of its account alone, and lets them go after a login', async () => {
  const town = await new TestTown('[sessions]\nbackoff = "300ms"\n').up();
  const own = new Account(town, 'own', 'a dead login');
  const other = new Account(town, 'other', 'a login');
  await town.agent('ada', own.command);
  await town.agent('bob', own.command);
  await town.agent('cay', other.command);
  await until(
    () => kinds(town),
    (all) => all.includes('account-logged-out'),
  );
  await until(() => town.record('bob')?.bar?.by === 'logged_out');
  prints(await town.run('status'), 0, /account \S+own: 2 of 2 sessions are logged out; its starts wait for the login/);
  const before = own.starts.length;
  const { agent } = town.life('bob') ?? {};
  killHard(agent?.pid);
  killHard(town.life('cay')?.agent.pid);
  await until(() => other.starts.length === 2);
  await until(() => /starts once its login is back/.test(town.record('bob')?.note ?? ''));
  exits(await town.run('session', 'start', 'bob'), 1, /is logged out\. Log in there: town session attach ada/);
  // A town that was killed knows it still.
  const { pid } = await town.status();
  killHard(pid);
  await town.status(({ pid: now, ready }) => ready && now !== pid);
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  expect(own.starts).toHaveLength(before);
  expect(await kinds(town)).toEqual(['account-logged-out']);
  expect(town.record('bob')).toMatchObject({ streak: 0, restartAgesMs: [], crashLoop: false });
  own.types('ada', '/login');
  await until(() => own.starts.length === before + 1);
  expect(own.starts.at(-1)).toBe('bob well');
  await until(
    () => kinds(town),
    (all) => all.length === 0,
  );
}, 180_000);

// Rules: M-9.
test('a limit is one alert and a line with the first end, over once the screen shows work; no reset time ends it', async () => {
  const town = await new TestTown().up();
  const own = new Account(town, 'own', 'a login');
  await town.agent('ada', own.command);
  await town.agent('bob', own.command);
  await until(() => own.starts.length === 2);
  own.types('ada', 'limit');
  own.types('bob', 'limit');
  await until(
    () => kinds(town),
    (all) => all.includes('account-limited'),
  );
  await until(() => town.record('bob')?.bar?.by === 'limited' && town.record('ada')?.bar?.by === 'limited');
  prints(await town.run('status'), 0, /account \S+own: 2 of 2 sessions are at the usage limit, the first back at \d/);
  expect(await kinds(town)).toEqual(['account-limited']);
  own.types('ada', 'work');
  await until(() => town.record('ada')?.bar === undefined);
  prints(await town.run('status'), 0, /account \S+own: 1 of 2 sessions is at the usage limit/);
}, 180_000);

// Rules: M-9.
test('a restart of the session that shows the dead login says that it waits, and comes once there is another login', async () => {
  const town = await new TestTown().up();
  const own = new Account(town, 'own', 'a dead login');
  await town.agent('ada', own.command);
  await until(() => town.record('ada')?.bar?.by === 'logged_out');
  exits(
    await town.run('session', 'restart', 'ada'),
    1,
    /is not back: waits with its start: account \S+own is logged out/,
  );
  expect(own.starts).toHaveLength(1);
  own.logsIn();
  await until(() => own.starts.length === 2);
  expect(own.starts.at(-1)).toBe('ada well');
}, 120_000);
