/** Accounts on a real tmux (M-9): scripted agents with one login, read from the environment of their processes. */
import { expect, test } from 'vitest';
import { exits, killHard, prints, TestTown, until } from '../../cli/town.ts';
import { Account, kinds } from './logins.ts';

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
  // This town starts what dies: the other one has to wait twice as long for it.
  killHard(town.life('cay')?.agent.pid);
  await until(() => other.starts.length === 3);
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
