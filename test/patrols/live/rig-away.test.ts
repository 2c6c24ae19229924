/** The repository of a rig is away for a while, as a disk that is not mounted: all that waited for it goes on with its return. */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../cli/town.ts';
import { Shop } from '../shop.ts';

const IDLE = ['sleep', '100000'];
/** A failed attempt rests for an hour here, and closes the rig for an hour: only what is seen may end a wait. */
const PACE =
  '[patrol]\nactive = "1s"\nidle = "1s"\nredispatch_cooldown = "1h"\nbreaker_attempts = 1\nbreaker_within = "1h"\n';

// Rules: C-6, P-8.
test('work of a rig whose folder was away is given out with its return, and its agents there start again', async () => {
  const town = new Shop(`${PACE}[rig.shop]\nmax_polecats = 2\nagent = ${JSON.stringify(IDLE)}\n`);
  await town.open();
  await town.data('session', 'start', 'builder', '--dir', town.repo, '--restart', 'permanent', '--', ...IDLE);
  const away = join(town.home, 'away');
  renameSync(town.repo, away);
  const id = await town.bead('sweep');
  town.tmux('kill-session', '-t', '=builder');
  const waits = await town.viewed('builder', ({ note }) => note.includes(`"${town.repo}" does not exist`));
  expect(waits).toMatchObject({ state: 'backing_off' });
  // Neither an attempt nor a failure.
  const isTold = async () => (await town.episodes()).includes('remote-changed/shop');
  await until(isTold);
  expect(await town.stands()).toEqual([
    expect.stringContaining(`the folder ${town.repo} of the rig shop does not exist`),
  ]);
  for (let cycles = 0; cycles < 3; cycles += 1) expect(await town.acts()).toEqual([]);
  expect(await town.shown(id)).toMatchObject({ status: 'open' });

  renameSync(away, town.repo);
  await until(
    () => town.shown(id),
    ({ status }) => status === 'hooked',
  );
  expect((await town.shown(id)).attempts ?? 0).toBe(0);
  await until(async () => !(await isTold()));
  await town.viewed('builder', ({ state, alive }) => state === 'running' && alive === true);
});
