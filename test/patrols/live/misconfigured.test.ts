/** A town.toml that is broken while a town runs: its patrols go by what they read before, and a person is alerted until it is mended. */
import { expect, test } from 'vitest';
import type { Status } from '../../cli/views.ts';
import { until } from '../../cli/town.ts';
import { Shop } from '../shop.ts';

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
