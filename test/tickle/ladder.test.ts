/** The ladder in virtual time: what each outcome leads to, what is on record of it, and what a person is told. */
import { askedBy } from '../../machines/alert-kinds.ts';
import { describe, expect, test } from 'vitest';
import type { NudgeObstacle } from '../../machines/protocol.ts';
import { TICKLE } from '../../machines/tickle/policy.ts';
import { incarnation } from '../world/drive.ts';
import { BELL, MINUTE, SECOND, silent, TickleTown } from './town.ts';

// Rules: T-1, T-2, T-3.
test('silence is paged in the pane, an answer ends it, and no person hears of it', () => {
  const town = silent();
  expect(town.pages).toEqual([]);
  town.run(2 * MINUTE);
  expect(town.pages).toMatchObject([{ agent: 'builder', by: 'pane' }]);
  expect(town.noted('page')).toMatchObject([
    { tags: ['tickle', 'page'], agent: 'builder', paged: true, method: 'pane' },
  ]);
  town.sign('builder');
  town.run(4 * MINUTE);
  expect(town.alerts).toEqual([]);
  expect(town.noted('escalation')).toEqual([]);
  expect(town.noted('par')).toMatchObject([{ what: 'ended', agent: 'builder', woken_by: 'pane', sign: 'note' }]);
});

// Rules: T-2, T-3, T-4.
test('unanswered it climbs to a person after the time to answer, once; a new sign ends the alert', () => {
  const town = silent(BELL);
  town.run(2 * MINUTE);
  expect(town.pages.map(({ by }) => by)).toEqual(['bell']);
  town.run(2 * MINUTE);
  expect(town.pages.map(({ by }) => by)).toEqual(['bell', 'pane']);
  expect(town.alerts).toEqual([]);
  town.run(2 * MINUTE);
  expect(town.alerts).toEqual(['silent-agent/builder']);
  const tried = [
    { method: 'bell', paged: true },
    { method: 'pane', paged: true },
  ];
  expect(town.noted('escalation')).toMatchObject([{ agent: 'builder', reason: 'unanswered', tried }]);
  expect(town.noted('availability')).toMatchObject([{ agent: 'builder', available: true }]);
  town.run(60 * MINUTE);
  expect(town.pages).toHaveLength(2);
  expect(town.noted('escalation')).toHaveLength(1);
  town.sign('builder');
  town.run(MINUTE);
  expect(town.alerts).toEqual([]);
  expect(town.noted('par')).toMatchObject([
    { what: 'escalated', tried },
    { what: 'ended', woken_by: null, person_alerted: true },
  ]);
});

// Rules: T-4, law 3.
test.each<[string, (town: TickleTown) => void]>([
  ['restarted', (town) => void town.agent('builder', 0, { life: incarnation('builder-2', { session: 'builder' }) })],
  ['gone', (town) => void town.agents.delete('builder')],
  ['gone', (town) => void town.agent('builder', null, { life: null, spared: 'its session is ended' })],
  ['stopped', (town) => void town.ask('stop')],
])('a stall that ends without a sign leaves a record of how long it lasted: %s', (what, ends) => {
  const town = silent();
  town.run(10 * MINUTE);
  expect(town.alerts).toEqual(['silent-agent/builder']);
  ends(town);
  town.run(3 * MINUTE);
  expect(town.alerts).toEqual([]);
  const tried = [{ method: 'pane', paged: true }];
  const [escalated, ended, ...more] = town.noted('par');
  expect(escalated).toMatchObject({ what: 'escalated' });
  expect(ended).toMatchObject({ agent: 'builder', what, person_alerted: true, tried });
  expect(Number(ended?.['silent_s'])).toBeGreaterThan(14 * 60);
  expect(more).toEqual([]);
});

// Rules: T-2, T-3.
test('what is not delivered climbs at once', () => {
  const town = silent(BELL);
  town.bell = 'no bell there';
  town.obstacles.set('builder', { kind: 'busy', what: 'a draft' });
  town.run(2 * MINUTE);
  expect(town.alerts).toEqual(['silent-agent/builder']);
  const tried = [
    { method: 'bell', paged: false, error: 'no bell there' },
    { method: 'pane', paged: false, error: 'a draft' },
  ];
  expect(town.noted('escalation')).toMatchObject([{ reason: 'page-failed', tried }]);
  expect(town.noted('availability')).toMatchObject([{ available: false, error: 'no bell there' }]);
});

// Rules: T-2, T-4.
test.each([
  ['reached it', { type: 'NUDGED' }, 'pane'],
  ['did not', { type: 'NOT_NUDGED', obstacle: { kind: 'busy', what: 'a draft' } }, 'itself'],
] as const)('a sign that comes while its try is out ends the page once the try %s', (_, outcome, by) => {
  const town = silent();
  town.instead.nudge = () => null;
  town.run(2 * MINUTE);
  town.sign('builder');
  town.run(MINUTE);
  expect(town.noted('par')).toEqual([]);
  town.drive.outcome({ issuer: 'tickle', verb: 'nudge', name: 'builder', turn: 1 }, outcome);
  town.run(SECOND);
  expect(town.noted('par')).toMatchObject([{ what: 'ended', agent: 'builder', woken_by: by }]);
  town.run(4 * MINUTE);
  expect(town.alerts).toEqual([]);
  expect(town.noted('escalation')).toEqual([]);
});

// Rules: T-2.
test('an agent without a pane is told to a person', () => {
  const town = new TickleTown();
  town.agent('remote', null, { life: null });
  town.run(6 * MINUTE);
  expect(town.alerts).toEqual(['silent-agent/remote']);
  expect(town.noted('escalation')).toMatchObject([{ tried: [{ method: 'pane', error: 'it has no pane' }] }]);
  const evidence = 'town evidence list --author remote';
  expect(askedBy('silent-agent/remote', null)).toEqual([evidence]);
  expect(askedBy('silent-agent/remote', 'remote')).toEqual(['town session attach remote', evidence]);
});

// Rules: T-1, T-2, law 6.
describe('no page goes', () => {
  test.each([
    { kind: 'dialog', what: 'Proceed?' },
    { kind: 'person', what: 'a person' },
    { kind: 'limited', what: 'resets at 3' },
    { kind: 'gone', paneStays: true },
    { kind: 'replaced' },
  ] as const satisfies readonly NudgeObstacle[])(
    'to an agent that the hand finds so: %j, and no person is told',
    (obstacle) => {
      const town = silent();
      town.obstacles.set('builder', obstacle);
      town.run(30 * MINUTE);
      expect([town.pages, town.alerts, town.noted('escalation')]).toEqual([[], [], []]);
      town.obstacles.clear();
      town.run(2 * MINUTE);
      expect(town.pages).toHaveLength(1);
    },
  );

  test.each([{ spared: 'it asks a person' }, { owner: 'Boot' }, { hook: 'empty' as const }])('where %j', (more) => {
    const town = new TickleTown(BELL);
    town.agent('builder', 60 * MINUTE, more);
    town.run(60 * MINUTE);
    expect([town.pages, town.alerts]).toEqual([[], []]);
    expect(town.noted('scan').length).toBeGreaterThan(50);
  });

  test('and none climbs, once the agent asks a person after the page', () => {
    const town = silent();
    town.run(2 * MINUTE);
    const agent = town.agents.get('builder');
    if (agent) agent.spared = 'it asks a person';
    town.run(30 * MINUTE);
    expect([town.pages.length, town.alerts]).toEqual([1, []]);
    if (agent) agent.spared = null;
    town.run(2 * MINUTE);
    expect(town.alerts).toEqual(['silent-agent/builder']);
  });
});

// Rules: T-2.
test('an agent that answers and falls silent again is paged once in fifteen minutes', () => {
  const town = silent();
  for (let minute = 0; minute < 120; minute += 1) {
    town.run(MINUTE);
    if (town.pages.at(-1)?.at !== undefined && town.drive.now - (town.pages.at(-1)?.at ?? 0) < MINUTE)
      town.sign('builder');
  }
  const gaps = town.pages.slice(1).map(({ at }, n) => at - (town.pages[n]?.at ?? 0));
  expect(gaps.length).toBeGreaterThan(4);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(15 * MINUTE);
  expect(town.alerts).toEqual([]);
});

// Rules: T-2.
test('a page whose bell was rung, and whose words a dialog kept away, is none again for fifteen minutes', () => {
  const town = silent(BELL);
  town.obstacles.set('builder', { kind: 'dialog', what: 'Proceed?' });
  town.run(15 * MINUTE);
  expect(town.pages.map(({ by }) => by)).toEqual(['bell']);
  town.run(5 * MINUTE);
  expect(town.pages.map(({ by }) => by)).toEqual(['bell', 'bell']);
  expect(town.alerts).toEqual([]);
});

// Rules: T-2, T-3, law 5.
test('a nudge by another asker a moment ago counts as the page', () => {
  const town = silent();
  town.obstacles.set('builder', { kind: 'recent', what: 'overseer nudged it', waitMs: MINUTE, from: 'overseer' });
  town.run(2 * MINUTE);
  expect([town.pages, town.alerts]).toEqual([[], []]);
  // The record claims no words of Tickle's own (T-3).
  expect([...town.ledger.values()].filter(({ tag }) => tag === 'page')).toMatchObject([
    { paged: true, method: 'pane', error: 'overseer nudged it' },
  ]);
  expect(town.record.pages['builder']?.tried).toMatchObject([{ paged: true, by: 'overseer nudged it' }]);
  town.run(2 * MINUTE);
  expect(town.alerts).toEqual(['silent-agent/builder']);
});

// Rules: T-2, law 3.
test('a page belongs to one life: the next one is judged anew, and its alert is over', () => {
  const town = silent();
  town.run(6 * MINUTE);
  expect(town.alerts).toEqual(['silent-agent/builder']);
  town.agent('builder', null, { life: { ...town.agents.get('builder')!.life!, uuid: 'next' }, bornMs: 0 });
  town.run(MINUTE);
  expect(town.alerts).toEqual([]);
  expect(town.record.pages).toEqual({});
});

// Rules: T-3, law 1.
test('a scan that fails is on record as failed, no page climbs meanwhile, and a person hears of it if it lasts', () => {
  const town = silent();
  town.run(2 * MINUTE);
  town.isLost = true;
  town.run(30 * MINUTE);
  expect(town.alerts).toEqual(['tickle-fails']);
  expect(town.record).toMatchObject({ why: 'the ledger is locked' });
  expect(town.drive.given('readEvidence').length).toBeLessThan(45);
  town.isLost = false;
  town.run(MINUTE);
  expect(town.noted('scan').filter(({ ok }) => ok === false).length).toBeGreaterThan(20);
  town.run(2 * MINUTE);
  expect(town.alerts).toEqual(['silent-agent/builder']);
});

// Rules: T-3, T-6.
test('off it looks at nothing; a stop is a latch over restarts, and two starts run one loop', () => {
  const off = new TickleTown({ enabled: false });
  off.agent('builder', 60 * MINUTE);
  off.run(60 * MINUTE);
  expect(off.drive.given('readEvidence')).toEqual([]);
  expect(off.ask('start')).toMatchObject({ ok: true, value: { on: true, was_on: false } });
  expect(off.ask('start')).toMatchObject({ ok: true, value: { on: true, was_on: true } });
  off.run(10 * MINUTE);
  expect(off.drive.given('readEvidence').length).toBeLessThan(20);
  expect(off.alerts).toEqual(['silent-agent/builder']);
  off.ask('stop');
  off.run(SECOND);
  expect(off.alerts).toEqual([]);
  off.kill();
  const before = off.drive.given('readEvidence').length;
  off.run(60 * MINUTE);
  expect(off.drive.given('readEvidence')).toHaveLength(before);
});

// Rules: T-2, T-6.
test.each([false, true])(
  'a bell that was rung counts, though the next rung is withdrawn (the town killed: %s)',
  (isKilled) => {
    const town = new TickleTown({ bell: ['ring'], graceMs: 1 });
    if (isKilled) town.instead.ringBell = null;
    town.agent('a', 10 * MINUTE);
    town.obstacles.set('a', { kind: 'limited', what: 'until 20:50' });
    town.run(2 * MINUTE);
    if (isKilled) town.kill();
    town.run(3 * MINUTE);
    town.obstacles.delete('a');
    const rung = town.drive.given('ringBell').length;
    expect(rung).toBe(1);
    town.run(TICKLE.cooldownMs - 6 * MINUTE);
    expect(town.drive.given('ringBell')).toHaveLength(1);
    town.run(5 * MINUTE);
    expect(town.drive.given('ringBell')).toHaveLength(2);
  },
);
