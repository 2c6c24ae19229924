/** Hearings, restarts and clean ends on real tmux, as a caller of the command line sees them. */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../cli/town.ts';
import type { Session, Warrant } from '../cli/views.ts';
import { liveTown, start, type Hearing, journal } from './hearing.ts';

test('the end of a window, polled: the same from its first moment to its last, and true', async () => {
  const town = await liveTown(['9s', '9s', '9s'], ['save_every = "3s"', 'max_per_look = "1m"']);
  await start(town, 'deaf', 'deaf');
  const warrant = await town.accuse('deaf');
  const told: number[] = [];
  await until(
    async () => (await town.data<readonly Hearing[]>('dog', 'dances'))[0],
    (now) => {
      if (now?.attempt === 1 && now.window_ends_at !== null) told.push(Date.parse(now.window_ends_at));
      return now?.attempt === 2;
    },
  );
  expect((await town.run('session', 'kill', 'deaf', '--force')).code).toBe(0);
  await town.closed(warrant);
  const over = (await journal(town)).find((line) => line.kind === 'dance.evaluating' && line['attempt'] === 1);
  const end = Date.parse(over?.at ?? '');
  // A loaded machine answers seldom; two answers can differ.
  expect(told.length).toBeGreaterThan(1);
  for (const at of told) {
    expect(Math.abs(at - (told[0] ?? NaN))).toBeLessThan(1_000);
    expect(Math.abs(at - end)).toBeLessThan(1_000);
  }
});

test('a warrant filed while the town is down is heard at its start; a file that any program drops counts too', async () => {
  const town = await liveTown(['2s', '2s', '2s']);
  await start(town, 'listener', 'listener');
  expect((await town.run('down')).code).toBe(0);
  const filed = await town.accuse('listener');
  expect(await town.data<Warrant>('warrant', 'show', filed.id)).toMatchObject({ state: 'queued' });
  await town.up();
  expect(await town.closed(filed)).toMatchObject({ verdict: 'pardoned', reason: 'answered: code' });

  const folder = join(town.root, 'deacon/dogs/warrants');
  town.write(
    'dropped.tmp',
    JSON.stringify({ id: 'dropped-1', target: 'listener', reason: 'by hand', requester: 'cron' }),
  );
  renameSync(join(town.root, 'dropped.tmp'), join(folder, 'dropped-1.json'));
  const heard = await until(
    async () => (await town.data<readonly Warrant[]>('warrant', 'list', '--all')).find(({ id }) => id === 'dropped-1'),
    (now) => now?.state === 'closed',
  );
  expect(heard).toMatchObject({ verdict: 'pardoned', reason: 'answered: code' });
});

test('an agent that dies is started again, one that ends cleanly is not; town why tells both', async () => {
  const town = await liveTown(['1s', '1s', '1s']);
  const first = await start(town, 'phoenix', 'phoenix');
  expect((await town.run('session', 'start', 'done', '--dir', town.home, '--', 'true')).code).toBe(0);
  const again = await until(
    () => town.data<Session>('session', 'status', 'phoenix'),
    ({ state, uuid }) => state === 'running' && uuid !== first.uuid,
  );
  expect([again.alive, again.pid === first.pid]).toEqual([true, false]);
  await until(async () => (await town.data<Session>('session', 'status', 'done')).state === 'ended');
  expect((await town.run('why', 'phoenix', '--all')).stdout).toContain('ended with exit code 3; starts again');
  expect((await town.run('why', 'done', '--all')).stdout).toContain('it ended with exit code 0');
});
