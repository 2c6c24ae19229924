/** A usage limit, and a session that is restarted while its account is logged out, on a real tmux (M-9). */
import { expect, test } from 'vitest';
import { exits, prints, TestTown, until } from '../../cli/town.ts';
import { Account, kinds } from './logins.ts';

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
