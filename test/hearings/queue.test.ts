/** Who dances and who waits (D-4, D-11, D-15): the plan of the pool, edge by edge. */
import { describe, expect, test } from 'vitest';
import { freshDance } from '../../machines/hearings/dance.ts';
import {
  byFiling,
  byOpening,
  mustEscalate,
  plan,
  withNew,
  withOverdue,
  type Pool,
} from '../../machines/hearings/queue.ts';
import type { Dance, PastHearing, Verdict, Warrant } from '../../machines/protocol.ts';
import { incarnation, WALL, warrant } from '../world/drive.ts';
import { tools } from './lone.ts';
import { against, now, poolWith, TOOLS } from './pool.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const { policy } = TOOLS;
const noVerdict = () => null;
/** What a plan does, in short. */
const told = (pool: Pool, verdictOf: (dog: string) => Verdict | null = noVerdict, at = now) => {
  const made = plan(pool, verdictOf, at);
  return {
    starts: made.start.map((d) => `${d.warrants[0]?.id ?? ''} ${d.stage}`),
    attaches: made.attach.map((a) => a.warrant.id),
    waits: made.pool.queue.map((w) => w.id),
    made,
  };
};
const ASKING = 'interrogating.asking';

describe('the plan', () => {
  // Rules: D-11.
  test('takes the queue in order, as far as there are places', () => {
    const { made, ...short } = told(poolWith([1, 2, 3, 4].map((n) => against(n))));
    expect(short).toEqual({ starts: [`w1 ${ASKING}`, `w2 ${ASKING}`], attaches: [], waits: ['w3', 'w4'] });
    expect(made.start.map((d) => d.slot)).toEqual([1, 2]);
  });

  // Rules: D-11.
  test('hands a warrant to the dog that dances with its target, also from behind a full pool and within one queue', () => {
    const first = plan(poolWith([against(1), against(2)]), noVerdict, now).pool;
    const queue = [against(3), warrant('again', incarnation(2))];
    const next = poolWith([], { ...first, queue });
    expect(told(next)).toMatchObject({ starts: [], attaches: ['again'], waits: ['w3'] });
    const twice = told(poolWith([against(1), warrant('twin', incarnation(1))]));
    expect(twice).toMatchObject({ starts: [`w1 ${ASKING}`], attaches: ['twin'], waits: [] });
  });

  // Rules: law 3.
  test('another life under the same name is another target', () => {
    const other = warrant('w9', incarnation(1, { uuid: 'uuid-later' }));
    expect(told(poolWith([against(1), other])).starts).toHaveLength(2);
  });

  test('gives a forced warrant a place of its own, without a hearing', () => {
    const first = plan(poolWith([against(1), against(2)]), noVerdict, now).pool;
    const forced = poolWith([], { ...first, queue: [against(3, { force: true })] });
    expect(told(forced)).toMatchObject({ starts: ['w3 executing.listing'], waits: [] });
    expect(told(forced).made.start[0]?.slot).toBe(3);
  });

  test('lets warrants wait for the end of a dance that is judged, and hands them to one that is not', () => {
    const first = plan(poolWith([against(1)]), noVerdict, now).pool;
    const later = [warrant('k', incarnation(1), { force: true }), warrant('again', incarnation(1))];
    const pool = poolWith([], { ...first, queue: later });
    expect(told(pool, () => 'pardoned')).toMatchObject({ starts: [], attaches: [], waits: ['k', 'again'] });
    expect(told(pool, noVerdict)).toMatchObject({ starts: [], attaches: ['k', 'again'], waits: [] });
  });

  test.each([true, false])(
    'lets a warrant that comes with an expired one have a hearing of its own (forced: %s)',
    (force) => {
      const expired = against(1, { force: true, filedAt: WALL - policy.warrantExpiresMs - 1 });
      const mine = warrant('mine', incarnation(1), { force });
      const together = told(poolWith([expired, mine]));
      const heard = force ? 'executing.listing' : ASKING;
      expect(together).toMatchObject({ starts: ['w1 complete', `mine ${heard}`], attaches: [], waits: [] });
    },
  );

  test.each<[string, Partial<Warrant>]>([
    ['a plain one', {}],
    ['an order to kill', { force: true }],
  ])('lets no void dance that closes answer %s that comes then', (_, more) => {
    const expired = plan(poolWith([against(1, { filedAt: WALL - policy.warrantExpiresMs - 1 })]), noVerdict, now);
    const mine = warrant('mine', incarnation(1), more);
    const later = poolWith([], { ...expired.pool, queue: [mine] });
    expect(told(later)).toMatchObject({ starts: [expect.stringMatching(/^mine /)], attaches: [], waits: [] });
    const dancing = plan(poolWith([against(1)]), noVerdict, now).pool;
    const cancelledNow = told(poolWith([], { ...dancing, queue: [mine] }), () => 'void');
    expect(cancelledNow).toMatchObject({ starts: [expect.stringMatching(/^mine /)], attaches: [], waits: [] });
  });

  test('an order to kill that expired comes along with no hearing', () => {
    const dancing = plan(poolWith([against(1)]), noVerdict, now).pool;
    const old = warrant('old', incarnation(1), { force: true, filedAt: WALL - policy.warrantExpiresMs - 1 });
    expect(told(poolWith([], { ...dancing, queue: [old] }))).toMatchObject({ starts: ['old complete'], attaches: [] });
  });

  test('lets agents without a pane keep no other waiting: they cannot be heard', () => {
    const mute = [1, 2, 3].map((n) => warrant(`m${n}`, incarnation(n, { origin: 'detached' })));
    const { starts, waits } = told(poolWith([...mute, against(4), against(5), against(6)]));
    expect(starts).toEqual(['m1', 'm2', 'm3', 'w4', 'w5'].map((id) => `${id} ${ASKING}`));
    expect(waits).toEqual(['w6']);
  });

  // Rules: D-15.
  test.each([
    ['24 h old', 24 * HOUR, ASKING],
    ['24 h and 1 ms old', 24 * HOUR + 1, 'complete'],
    ['from the future', -HOUR, ASKING],
  ])('a warrant that is %s', (_, age, stage) => {
    const { made, starts } = told(poolWith([against(1, { filedAt: WALL - age })]));
    expect(starts).toEqual([`w1 ${stage}`]);
    expect(made.start[0]?.verdict).toBe(stage === 'complete' ? 'void' : null);
  });

  const DAY = 24 * HOUR;
  test.each<[string, { ageMs: number; at: number; wall: number }, string]>([
    ['and seen when the wall was set forward', { ageMs: 0, at: HOUR, wall: WALL + 30 * DAY }, ASKING],
    ['and seen when the wall was set back', { ageMs: 0, at: HOUR, wall: WALL - 30 * DAY }, ASKING],
    ['and waiting for longer than 24 h', { ageMs: 0, at: DAY + 1, wall: WALL + DAY + 1 }, 'complete'],
    ['by a wall that had been set forward', { ageMs: -30 * DAY, at: HOUR, wall: WALL + 30 * DAY }, ASKING],
    ['by a wall that had been set back', { ageMs: 30 * DAY, at: HOUR, wall: WALL - 30 * DAY + HOUR }, ASKING],
    ['while the machine slept a weekend', { ageMs: 0, at: HOUR, wall: WALL + 3 * DAY }, ASKING],
  ])('a warrant filed now %s', (_, { ageMs, at, wall }, stage) => {
    expect(told(poolWith([against(1, { filedAt: WALL - ageMs })]), noVerdict, { at, wall }).starts).toEqual([
      `w1 ${stage}`,
    ]);
  });

  // Rules: D-1.
  test('gives ids that no other dance has, even when the wall clock steps back', () => {
    const first = plan(poolWith([against(1), against(2)]), noVerdict, now);
    const back = { at: 0, wall: WALL - HOUR };
    const later = plan(poolWith([against(3)], { lastDanceMs: first.pool.lastDanceMs }), noVerdict, back);
    const ids = [...first.start, ...later.start].map((d) => d.id);
    expect(ids).toEqual([`dog-${WALL}`, `dog-${WALL + 1}`, `dog-${WALL + 2}`]);
  });

  test('changes nothing when no warrant can be served', () => {
    const full = { ...plan(poolWith([against(1), against(2)]), noVerdict, now).pool, queue: [against(3)] };
    const pool = poolWith([], full);
    expect(plan(pool, noVerdict, now).pool).toBe(pool);
  });
});

describe('more open dances than a smaller pool has places', () => {
  const open = (n: number, more: Partial<Dance> = {}): Dance => ({
    ...freshDance(`dog-${n}`, n, against(n), TOOLS, { wall: WALL + n, escalate: false }),
    ...more,
  });
  const small = tools({ poolSize: 1 });
  const waitingOf = ({ made }: ReturnType<typeof told>) => made.pool.waiting.map(({ id }) => id);
  const begun = ({ made }: ReturnType<typeof told>) => made.start.map(({ id, stage }) => `${id} ${stage}`);

  // Rules: D-11.
  test('the first goes on, the others wait as their records stand, before the queue', () => {
    const pool = poolWith([against(4)], { tools: small, waiting: [1, 2, 3].map((n) => open(n)) });
    const first = told(pool);
    expect(begun(first)).toEqual([`dog-1 ${ASKING}`]);
    expect({ waiting: waitingOf(first), queue: first.waits }).toEqual({ waiting: ['dog-2', 'dog-3'], queue: ['w4'] });
    const { 'dog-1': _, ...dogs } = first.made.pool.dogs;
    const next = told({ ...pool, ...first.made.pool, dogs });
    expect(begun(next)).toEqual([`dog-2 ${ASKING}`]);
    expect({ waiting: waitingOf(next), queue: next.waits }).toEqual({ waiting: ['dog-3'], queue: ['w4'] });
  });

  test('what signals may have been sent to comes first, then who is heard longest', () => {
    const killing = open(3, { stage: 'executing.killing', killing: true });
    expect([open(2), open(1), killing].sort(byOpening).map(({ id }) => id)).toEqual(['dog-3', 'dog-1', 'dog-2']);
  });

  test.each<[string, Partial<Dance>]>([
    ['what is judged and only told', { stage: 'pardoned', verdict: 'pardoned' }],
    ['an order to kill', { stage: 'executing.listing', warrants: [against(2, { force: true })] }],
    ['one without a pane', { target: incarnation(2, { origin: 'detached' }) }],
  ])('%s needs no place', (_, more) => {
    const made = told(poolWith([], { tools: small, waiting: [open(1), open(2, more)] }));
    expect({ start: made.made.start.map(({ id }) => id), waiting: waitingOf(made) }).toEqual({
      start: ['dog-1', 'dog-2'],
      waiting: [],
    });
  });

  test('a warrant against who waits is heard with it; an order to kill has it go on at once', () => {
    const waiting = [open(1), open(2)];
    const again = told(poolWith([warrant('again', incarnation(2))], { tools: small, waiting }));
    expect(again).toMatchObject({ attaches: [], waits: ['again'] });
    const kill = told(poolWith([warrant('kill', incarnation(2), { force: true })], { tools: small, waiting }));
    expect({ begun: begun(kill), attaches: kill.attaches }).toEqual({
      begun: [`dog-1 ${ASKING}`, `dog-2 ${ASKING}`],
      attaches: ['kill'],
    });
  });
});

describe('the queue', () => {
  test('is in the order of filing, force before all, ids where times are equal', () => {
    const order = [
      against(4, { force: true }),
      against(2, { filedAt: WALL - 2 }),
      against(1, { filedAt: WALL - 1 }),
      against(3),
      against(5),
    ];
    expect([...order].reverse().sort(byFiling)).toEqual(order);
  });

  test('takes what is new, once, and stays the same object when nothing is', () => {
    const pool = poolWith([against(1)], { handled: new Set(['w2']) });
    expect(withNew(pool, [against(1), against(2)])).toBe(pool.queue);
    expect(withNew(pool, [against(3), against(1)]).map((w) => w.id)).toEqual(['w1', 'w3']);
  });

  test('remembers what was served, and not for ever', () => {
    const many = Array.from({ length: 6_000 }, (_, n) => `old${n}`);
    const { made } = told(poolWith([against(1)], { handled: new Set(many) }));
    expect(made.pool.handled.has('w1')).toBe(true);
    expect(made.pool.handled.size).toBeLessThanOrEqual(5_000);
  });
});

describe('two pardons on signs of life alone', () => {
  const heard = (ageMs: number, more: Partial<PastHearing> = {}): PastHearing => ({
    id: 'dog-1',
    uuid: 'uuid-1',
    session: 'gt-rig-1',
    verdict: 'pardoned',
    reason: 'signs of life',
    evidenceOnly: true,
    closedAt: WALL - ageMs,
    ...more,
  });
  const within = policy.evidenceOnlyWithinMs;

  // Rules: D-4.
  test.each<[string, readonly PastHearing[], boolean]>([
    ['none', [], false],
    ['one', [heard(1)], false],
    ['two', [heard(1), heard(2)], true],
    ['two, one just within 30 min', [heard(1), heard(within - 1)], true],
    ['two, one exactly 30 min ago', [heard(1), heard(within)], false],
    ['two, one with an answer', [heard(1), heard(2, { evidenceOnly: false })], false],
    ['two, one of an older life', [heard(1), heard(2, { uuid: 'uuid-older' })], false],
  ])('%s: a person decides the next: %s', (_, past, escalate) => {
    expect(mustEscalate(past, 'uuid-1', WALL, TOOLS)).toBe(escalate);
    const { made } = told(poolWith([against(1)], { pastHearings: past }));
    expect(made.start[0]?.escalate).toBe(escalate);
  });
});

// Rules: D-15.
test('a dance is overdue five minutes after its windows, and then for good', () => {
  const pool = poolWith([], plan(poolWith([against(1)]), noVerdict, now).pool);
  const given = 420_000 + policy.overdueMs;
  expect(withOverdue(pool, given, () => null)).toBe(pool.dogs);
  const dogs = withOverdue(pool, given + 1, () => null);
  expect(Object.values(dogs).map(({ isOverdue }) => isOverdue)).toEqual([true]);
  expect(withOverdue({ ...pool, dogs }, given + 2, () => null)).toBe(dogs);
});
