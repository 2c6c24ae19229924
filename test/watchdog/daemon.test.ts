/** The daemon’s tick (C-1), the chain behind Boot (C-8), and the Deacon as an actor (C-3, C-4). */
import { describe, expect, test } from 'vitest';
import { STEPS } from '../../machines/watchdog/steps.ts';
import { POLICY, type Policy } from '../../machines/policy.ts';
import type { Order } from '../../machines/protocol.ts';
import { WALL } from '../world/drive.ts';
import { ChainTown, DEACON, GONE, HEARTBEAT, STALE, WELL } from './chain.ts';

const { watchdog } = POLICY;
const without = (more: Partial<Policy['watchdog']>): Policy => ({ ...POLICY, watchdog: { ...watchdog, ...more } });
/** Every step of one tick, by its order's id. */
const stepsOf = (orders: readonly Order[], tick: number): string[] =>
  orders.flatMap(({ id: { issuer, round, verb = '' } }) =>
    issuer === 'daemon' && round === tick && STEPS.some((step) => step === verb) ? [verb] : [],
  );

describe('the tick (C-1)', () => {
  // Rules: C-1.
  test('first at start, then every heartbeat, its steps in order', () => {
    const town = new ChainTown();
    town.run(3 * HEARTBEAT);
    for (const n of [1, 2, 3])
      expect(stepsOf(town.drive.orders, n)).toEqual(['boot', 'deacon', 'discovery', 'lifecycle']);
  });

  // Rules: C-1.
  test('witnesses and refineries keep their place', () => {
    expect(STEPS).toEqual(['boot', 'deacon', 'witnesses', 'refineries', 'discovery', 'lifecycle']);
  });

  // Rules: C-1.
  test.each(['announce', 'observeDeacon', 'discover', 'readDeaconMail'] as const)(
    'a step whose %s never answers or fails stops no other, and the next tick comes',
    (type) => {
      for (const outcome of [null, { type: 'ORDER_FAILED', why: 'broken' }] as const) {
        const town = new ChainTown();
        Object.assign(town.instead, { [type]: outcome });
        town.run(4 * HEARTBEAT);
        expect(stepsOf(town.drive.orders, 4)).toEqual(['boot', 'deacon', 'discovery', 'lifecycle']);
      }
    },
  );

  test('a step that fails three ticks in a row is told once, and its recovery too', () => {
    const town = new ChainTown();
    town.instead.discover = { type: 'ORDER_FAILED', why: 'broken' };
    town.run(5 * HEARTBEAT);
    expect(town.alerts).toEqual(['daemon-step/discovery']);
    delete town.instead.discover;
    town.run(HEARTBEAT);
    expect(town.drive.given('endAlert').map(({ episode }) => episode)).toContain('daemon-step/discovery');
  });
});

describe('the chain (C-8): each link alone brings the Deacon back', () => {
  const noBoot = { ...watchdog.boot, enabled: false };
  test.each([
    ['Boot, without the check and discovery', without({ deaconCheck: false, discovery: false }), 'absent', true],
    ['the daemon’s check, without Boot and discovery', without({ boot: noBoot, discovery: false }), 'absent', true],
    ['discovery, without Boot and without the check', without({ boot: noBoot, deaconCheck: false }), 'absent', true],
    ['none: all three are off', without({ boot: noBoot, deaconCheck: false, discovery: false }), 'absent', false],
  ] as const)('%s', (_, policy, found, isStarted) => {
    const town = new ChainTown(DEACON, policy);
    town.seen = GONE;
    town.found = found;
    town.run(500);
    expect(town.drive.given('startSession')).toHaveLength(isStarted ? 1 : 0);
  });

  // Rules: law 7, C-8.
  test('down for two ticks though everything was tried: a person is told, once, and of its return', () => {
    const town = new ChainTown();
    town.seen = GONE;
    town.found = 'absent';
    town.instead.startSession = { type: 'SESSION_NOT_STARTED', why: 'no such program', taken: false };
    town.run(4 * HEARTBEAT);
    expect(town.alerts.filter((episode) => episode.startsWith('deacon-down'))).toEqual(['deacon-down/hq-deacon']);
    town.found = 'alive';
    town.seen = WELL;
    town.run(HEARTBEAT);
    expect(town.drive.given('endAlert').map(({ episode }) => episode)).toContain('deacon-down/hq-deacon');
  });

  test('a life in tmux that no record tells of is found again under its own uuid, not started twice', () => {
    const town = new ChainTown();
    town.foundUuid = 'f0f0f0f0-1111-4222-8333-444455556666';
    town.run(500);
    expect(town.drive.given('startSession')).toMatchObject([{ uuid: town.foundUuid }]);
    town.run(3 * HEARTBEAT);
    expect(town.drive.given('startSession')).toHaveLength(1);
  });

  test('a foreign session under its name is left alone and told', () => {
    const town = new ChainTown(DEACON, without({ boot: noBoot, deaconCheck: false }));
    town.found = 'foreign';
    town.run(2 * HEARTBEAT);
    expect([town.drive.given('startSession'), town.alerts]).toEqual([[], ['deacon-down/hq-deacon']]);
  });

  test('very stale for so many ticks without Boot mending it: a person is told', () => {
    const town = new ChainTown(DEACON, without({ boot: noBoot }));
    town.seen = STALE;
    town.run((watchdog.silentTicks - 1) * HEARTBEAT - 1_000);
    expect(town.alerts).toEqual([]);
    town.run(2 * HEARTBEAT);
    expect(town.alerts).toEqual(['deacon-silent/hq-deacon']);
  });

  test.each([
    ['unknown', { ...GONE, alive: 'unknown' }],
    ['paused', { ...GONE, paused: true }],
  ] as const)('%s: nothing is started, no person is told', (_, seen) => {
    const town = new ChainTown();
    town.seen = seen;
    town.found = seen.paused ? 'absent' : 'unknown';
    town.run(5 * HEARTBEAT);
    expect([town.drive.given('startSession'), town.alerts]).toEqual([[], []]);
  });
});

describe('the Deacon as an actor', () => {
  const beats = (town: ChainTown): number => town.note('heartbeat')?.at ?? 0;

  // Rules: C-4, P-1.
  test('beats at least every 60 s at every pace of its patrol, and announces the next', () => {
    const town = new ChainTown(null);
    let last = beats(town);
    for (let s = 0; s < 3_600; s += 10) {
      town.run(10_000);
      expect(WALL + town.drive.now - beats(town)).toBeLessThanOrEqual(watchdog.deacon.beatMs + 10);
      expect(beats(town)).toBeGreaterThanOrEqual(last);
      last = beats(town);
    }
    const beat = town.note('heartbeat');
    expect(beat).toMatchObject({ healthy: 1, unhealthy: 0, lastAction: 'health-scan', nextDueAt: last + 60_000 });
  });

  // Rules: C-4, P-1.
  test.each([
    ['never comes', null],
    ['fails', { type: 'ORDER_FAILED', why: 'broken' } as const],
  ])('a patrol whose outcome %s delays no beat', (_, outcome) => {
    const town = new ChainTown(null);
    town.instead.readDeaconMail = outcome;
    town.run(600_000);
    expect(WALL + town.drive.now - beats(town)).toBeLessThanOrEqual(watchdog.deacon.beatMs + 10);
  });

  test('paused it beats on and patrols not', () => {
    const town = new ChainTown(null);
    town.seen = { ...WELL, paused: true };
    town.letter({ subject: 'HANDOFF: x' });
    town.run(600_000);
    expect(town.note('heartbeat')).toMatchObject({ cycle: 0, lastAction: 'paused' });
    expect(WALL + town.drive.now - beats(town)).toBeLessThanOrEqual(watchdog.deacon.beatMs + 10);
    expect(town.letters).toHaveLength(1);
  });

  test('absorbs handoffs and the pings of witnesses; what it has no rule for stays and is told once', () => {
    const town = new ChainTown(null);
    town.letter({ subject: 'HANDOFF: routine cycle' });
    town.letter({ subject: 'what about lunch?' });
    town.letter({ subject: 'WITNESS_PING shop' });
    town.run(3_600_000);
    expect(town.letters.map(({ subject }) => subject)).toEqual(['what about lunch?']);
    expect(town.alerts).toEqual(['deacon-mail']);
  });

  // Rules: W-1.
  test('ten thousand letters without a rule are one alert, and lie apart', () => {
    const town = new ChainTown(null);
    for (let nth = 0; nth < 10_000; nth += 1) town.letter({ subject: `lunch ${nth}?` });
    town.letter({ subject: 'HANDOFF: routine cycle' });
    town.run(3_600_000);
    expect([town.letters, town.aside]).toEqual([[], 10_000]);
    expect(town.alerts).toEqual(['deacon-mail']);
  });

  test('absorbs the verdicts on warrants of its own; words like them from others are told', () => {
    const town = new ChainTown(null);
    town.letter({ from: 'town', subject: 'VERDICT: gt-rig-1 executed' });
    town.letter({ from: 'mayor', subject: 'VERDICT: gt-rig-1 executed' });
    town.run(3_600_000);
    expect(town.letters.map(({ from }) => from)).toEqual(['mayor']);
    expect(town.alerts).toEqual(['deacon-mail']);
  });

  test('woken it beats at once; stuck it crashes and its supervisor starts it again (C-5)', () => {
    const town = new ChainTown(null);
    town.run(30_000);
    const before = beats(town);
    town.drive.tell({ type: 'DEACON_WOKEN', why: 'test' });
    town.run(10);
    expect(beats(town)).toBeGreaterThan(before);
    town.drive.tell({ type: 'DEACON_STUCK', why: 'test' });
    town.run(5_000);
    const actor = town.drive.tree.actors.find(({ id }) => id === 'town/watch/deacon');
    expect(actor?.restarts).toBe(1);
  });

  // Rules: C-3.
  test('Boot wakes a silent one twice, then lets it crash', () => {
    const town = new ChainTown(null);
    town.seen = { ...STALE, life: null, pane: 'none' };
    town.run(2 * HEARTBEAT + 5_000);
    expect([town.announced('DEACON_WOKEN').length, town.announced('DEACON_STUCK').length]).toEqual([2, 1]);
    expect(town.drive.tree.actors.find(({ id }) => id === 'town/watch/deacon')?.restarts).toBe(1);
    expect([town.drive.given('nudge'), town.drive.given('fileWarrant')]).toEqual([[], []]);
  });
});
