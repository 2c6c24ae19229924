/** Law 8: edges, durable, one recovery, told again only when nobody took note. */
import { expect, test } from 'vitest';
import { STATE } from '../../state/files/policy.ts';
import { Alerts } from '../../state/alerts/episodes.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { SimDisk } from '../world/disk.ts';

const alert = {
  episode: 'dance-escalated/gt-nux',
  severity: 'high',
  session: 'gt-nux',
  text: 'cannot type',
} as const;

function alertsOn(sim: SimDisk): Alerts {
  const disk = sim.mount();
  return new Alerts({
    disk,
    quarantine: new Quarantine({ disk, wall: () => 0, onRefused: () => undefined }),
    policy: STATE,
  });
}

test('an episode is told once, counts, survives a crash and ends with one recovery', async () => {
  const sim = new SimDisk();
  const first = alertsOn(sim);
  expect(await first.raise(alert, 1_000)).toMatchObject({ ...alert, since: 1_000, count: 1 });
  await first.told(alert.episode, 1_500);
  expect(await first.raise(alert, 2_000)).toBeNull();
  sim.crash(() => true);
  const next = alertsOn(sim);
  expect(await next.raise(alert, 3_000)).toBeNull();
  expect(await next.list()).toMatchObject([{ since: 1_000, count: 3, told_at: 1_500 }]);
  expect(await next.end(alert.episode, 'typed at last', 4_000)).toMatchObject({
    recovery: 'typed at last',
    ended_at: 4_000,
  });
  expect(await next.end(alert.episode, 'again', 5_000)).toBeNull();
  expect(await next.list()).toEqual([]);
  expect(await next.due(5_000)).toMatchObject([{ ended_at: 4_000 }]);
  await next.forget(alert.episode);
  expect(await next.due(5_000)).toEqual([]);
  expect(sim.files().size).toBe(0);
  expect(await next.raise(alert, 6_000)).toMatchObject({ since: 6_000, count: 1 });
});

test('what stands as before counts no more, is told if nobody was told yet, and has the newest words', async () => {
  const sim = new SimDisk();
  await alertsOn(sim).raise(alert, 1_000, true);
  const next = alertsOn(sim);
  expect(await next.raise(alert, 2_000, true)).toMatchObject({ since: 1_000, count: 1 });
  await next.told(alert.episode, 2_000);
  expect(await next.raise(alert, 3_000, true)).toBeNull();
  await next.raise({ ...alert, text: 'cannot type either' }, 4_000, true);
  expect(await next.list()).toMatchObject([{ count: 2, told_at: 2_000, text: 'cannot type either' }]);
});

test('who crashed before the telling tells again', async () => {
  const sim = new SimDisk();
  await alertsOn(sim).raise(alert, 1_000);
  sim.crash(() => true);
  expect(await alertsOn(sim).due(1_001)).toHaveLength(1);
  expect(await alertsOn(sim).raise(alert, 1_002)).toMatchObject({ count: 2 });
});

test('nobody took note: told again after the period; somebody did: not', async () => {
  const sim = new SimDisk();
  const alerts = alertsOn(sim);
  await alerts.raise(alert, 0);
  await alerts.told(alert.episode, 0);
  expect(await alerts.due(STATE.realertMs - 1)).toEqual([]);
  expect(await alerts.due(STATE.realertMs)).toHaveLength(1);
  // The command line takes note beside the running town.
  expect(await alertsOn(sim).ack(alert.episode, 'operator', 5)).toBe(true);
  expect(await alerts.due(STATE.realertMs)).toEqual([]);
  expect(await alerts.raise(alert, STATE.realertMs)).toBeNull();
  expect(await alerts.list()).toMatchObject([{ acked: { by: 'operator', at: 5 } }]);
});

test('a note of an earlier episode does not silence the next one', async () => {
  const alerts = alertsOn(new SimDisk());
  await alerts.raise(alert, 0);
  await alerts.ack(alert.episode, 'operator', 1);
  await alerts.end(alert.episode, 'over', 2);
  expect(await alerts.raise(alert, 3)).toMatchObject({ since: 3, acked: null });
  expect(await alerts.ack('unknown', 'operator', 4)).toBe(false);
});

test('an end that nobody opened, and a forgetting of what is open, do nothing', async () => {
  const alerts = alertsOn(new SimDisk());
  expect(await alerts.end('unknown', 'x', 1)).toBeNull();
  await alerts.raise(alert, 1);
  await alerts.forget(alert.episode);
  expect(await alerts.list()).toHaveLength(1);
});
