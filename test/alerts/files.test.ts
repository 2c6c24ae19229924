/** Episodes on the disk, as the command line reads them and takes note of them beside a running town (law 8). */
import { expect, test } from 'vitest';
import { Alerts } from '../../state/alerts/episodes.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { episode, putAlerts } from '../state/make.ts';
import { SimDisk } from '../world/disk.ts';

async function alertsOn(...on: Parameters<typeof episode>[]): Promise<{ alerts: Alerts; sim: SimDisk }> {
  const sim = new SimDisk();
  const disk = sim.mount();
  await putAlerts(disk, ...on.map((one) => episode(...one)));
  const quarantine = new Quarantine({ disk, wall: () => 0, onRefused: () => undefined });
  return { sim, alerts: new Alerts({ disk, quarantine }) };
}

test('open ones are listed, the longest first; one that ended is kept until its end was told', async () => {
  const { alerts } = await alertsOn(
    ['crash-loop/b', { since: 2 }],
    ['crash-loop/a', { since: 2 }],
    ['disk', { since: 1 }],
    ['heard-often/c', { since: 1, ended_at: 3, recovery: 'over' }],
  );
  expect((await alerts.list()).map((one) => one.episode)).toEqual(['disk', 'crash-loop/a', 'crash-loop/b']);
  expect(await alerts.all()).toHaveLength(4);
});

test('a note is the open episode’s own: none is taken of what is unknown or over, and an earlier one’s counts no more', async () => {
  const { alerts, sim } = await alertsOn(['disk', { since: 1 }], ['heard-often/c', { ended_at: 3 }]);
  expect(await alerts.ack('unknown', 'operator', 4)).toBe(false);
  expect(await alerts.ack('heard-often/c', 'operator', 4)).toBe(false);
  expect(await alerts.ack('disk', 'operator', 5)).toBe(true);
  expect(await alerts.list()).toMatchObject([{ acked: { by: 'operator', at: 5 } }]);
  await putAlerts(sim.mount(), episode('disk', { since: 6 }));
  expect(await alerts.list()).toMatchObject([{ since: 6, acked: null }]);
});
