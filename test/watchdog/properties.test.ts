/** What the chain never does to a Deacon, however that behaves and changes. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bandOf, freshMemory, judge, whyUnjudged } from '../../machines/watchdog/matrix.ts';
import { POLICY } from '../../machines/policy.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import { PANE_MOODS, type DeaconSeen } from '../../machines/protocol/watchdog.ts';
import { SELDOM } from '../world/drive.ts';
import { ChainTown, DEACON, GONE, HEARTBEAT, LIFE } from './chain.ts';

const { watchdog } = POLICY;
const ms = fc.integer({ min: 0, max: 3_600_000 });
const seen: fc.Arbitrary<DeaconSeen> = fc.record({
  alive: fc.constantFrom('yes', 'yes', 'yes', 'no', 'unknown'),
  heartbeat: fc.option(fc.record({ ageMs: ms, mine: fc.boolean(), dueInMs: fc.option(ms) })),
  mail: fc.option(fc.nat({ max: 3 })),
  isHeard: fc.boolean(),
  pane: fc.constantFrom(...PANE_MOODS),
  what: fc.constant('words'),
  paused: fc.boolean(),
  retired: fc.constant(false),
  startedMsAgo: fc.option(ms),
  life: fc.constantFrom(LIFE, { ...LIFE, uuid: 'another' }),
});

// Rules: C-2.
test('who may not be judged, and who is fresh, is left alone; no Deacon is accused before two wake-ups (C-2, C-4, C-5)', () => {
  fc.assert(
    fc.property(seen, fc.nat({ max: 4 }), fc.boolean(), (one, wakes, spared) => {
      const before = { ...freshMemory(LIFE.uuid), wakes, spared };
      const { action } = judge(one, before, watchdog, 'hq-deacon');
      if (whyUnjudged(one, watchdog.boot) !== null) expect(action).toBe('NOTHING');
      else if (one.alive === 'no') expect(action).toBe('START');
      else if (bandOf(one, watchdog.boot) === 'fresh' || one.pane === 'blocked') expect(action).toBe('NOTHING');
      if (action !== 'WARRANT') return;
      expect([one.life?.uuid, bandOf(one, watchdog.boot)]).toEqual([LIFE.uuid, 'very_stale']);
      expect(wakes).toBeGreaterThanOrEqual(watchdog.deacon.wakes);
    }),
  );
});

// Rules: C-10.
test('a Deacon that asked for its end stays ended over any nights, restarts of the town among them (C-10)', () => {
  const night = fc.record({
    found: fc.constantFrom('absent', 'dead', 'foreign', 'unknown'),
    paused: fc.boolean(),
    isRestarted: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(night, { minLength: 1, maxLength: 8 }), fc.boolean(), (nights, isRecordSeen) => {
      const town = new ChainTown(DEACON, SELDOM, { agents: [DEACON] });
      const asked = { uuid: LIFE.uuid, then: 'end' } as const;
      const over = { state: 'ended', pending: null, incarnation: LIFE, startedAt: 1, configured: true, asked } as const;
      town.sessions.set(DEACON.name, { ...freshSession(DEACON, ''), ...over });
      for (const { found, paused, isRestarted } of nights) {
        // Whether the hands could read its record or not: its owner has it.
        town.seen = { ...GONE, retired: isRecordSeen, paused };
        town.found = found;
        if (isRestarted) town.drive.restart(1_000);
        town.run(HEARTBEAT);
      }
      expect([town.drive.given('startSession'), town.sessions.get(DEACON.name)?.state]).toEqual([[], 'ended']);
      if (isRecordSeen) expect(town.alerts).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

test('over any nights: one act a triage, Boot always ends, no start beside a life, and no kill outside the kennel', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ one: seen, answers: fc.boolean() }), { maxLength: 12 }), (nights) => {
      const town = new ChainTown(DEACON, SELDOM);
      town.run(1);
      for (const { one, answers } of nights) {
        town.seen = one;
        town.found = one.alive === 'yes' ? 'alive' : one.alive === 'no' ? 'absent' : 'unknown';
        town.instead.nudge = answers ? { type: 'NUDGED' } : { type: 'ORDER_FAILED', why: 'tmux is silent' };
        town.run(HEARTBEAT);
        expect(town.note('bootRunning')).toBeNull();
      }
      const ids = town.drive.orders.map(({ id }) => id);
      const acts = ids.filter(({ issuer, verb }) => issuer === 'boot' && verb === 'act').map(({ round }) => round);
      expect(new Set(acts).size).toBe(acts.length);
      expect(town.drive.given('signal', 'listTree', 'rescue')).toEqual([]);
      // A session that starts runs on here, so that it is never started again.
      expect(town.drive.given('startSession').length).toBeLessThanOrEqual(1);
      expect(town.drive.given('fileWarrant').every(({ warrant }) => !warrant.force)).toBe(true);
    }),
    { numRuns: 60 },
  );
});
