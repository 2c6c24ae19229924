/**
 * A town.toml that is broken while a town runs: its patrols go by what they read before, and a person is alerted until it is mended. And
 * a machine that cannot start what it names: work waits.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Status } from '../../cli/views.ts';
import { until } from '../../cli/town.ts';
import { BY_HAND, Shop } from '../shop.ts';

const PACE = '[patrol]\nactive = "300ms"\nidle = "500ms"\n';
const AGENT = 'agent = ["sleep", "100000"]\n';

// Rules: law 8.
test('the last good one stays in force, one alert names file and line, and is over once the file is mended', async () => {
  const town = new Shop(`${PACE}[rig.shop]\nmax_polecats = 2\n`);
  await town.open();
  const alerts = async (): Promise<Status['alerts']> =>
    (await town.data<Status['alerts']>('alerts', 'list')).filter(({ episode }) => episode === 'config-broken');
  const isGivenOut = (id: string) => until(async () => (await town.shown(id)).status === 'hooked');
  // Not what the town came up with: it reads this while it runs.
  town.set('rig.shop', AGENT);
  const good = town.read('town.toml');
  await isGivenOut(await town.bead('mend the parser'));
  town.write('town.toml', `${good}[dance\n`);
  const [alert] = await until(alerts, (all) => all.length > 0);
  const line = good.split('\n').length;
  expect(alert?.text).toMatch(
    new RegExp(`town\\.toml line ${line}, .*; until then the town goes by what it read before`),
  );
  await isGivenOut(await town.bead('paint the shop'));
  expect(await alerts()).toMatchObject([{ episode: 'config-broken', count: 1 }]);
  town.write('town.toml', good);
  await until(async () => (await alerts()).length === 0);
});

// Rules: P-8.
test('an agent’s program that is away is no attempt and makes no worktree; its work begins once it is back', async () => {
  const town = new Shop(`${BY_HAND}[rig.shop]\nmax_polecats = 2\n`);
  const agent = join(town.home, 'agent');
  town.set('rig.shop', `agent = [${JSON.stringify(agent)}, "100000"]`);
  await town.open();
  const id = await town.bead('mend the parser');
  const spawns = async () =>
    (await town.cycle()).steps.flatMap(({ acts }) => acts.filter(({ act }) => act === 'spawn'));
  for (let cycle = 0; cycle < 2; cycle += 1)
    expect(await spawns()).toMatchObject([
      { done: false, text: expect.stringMatching(/^there is no program .*agent"/) as string },
    ]);
  expect(await town.data('polecat', 'list', 'shop')).toEqual([]);
  writeFileSync(agent, '#!/bin/sh\nexec sleep "$1"\n', { mode: 0o755 });
  expect(await spawns()).toMatchObject([{ done: true }]);
  expect(await town.shown(id)).toMatchObject({ status: 'hooked' });
});
