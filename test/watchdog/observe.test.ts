/** What Boot is told of the Deacon (C-2, C-8), whose beat counts (law 3), and ages that no clock can stretch. */
import { describe, expect, test } from 'vitest';
import type { SessionRecord } from '../../machines/protocol.ts';
import type { Beat } from '../../machines/protocol/watchdog.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import { Ages } from '../../src/watchdog/staleness.ts';
import { observeDeacon, type ObserveDeps } from '../../src/watchdog/observe.ts';
import { WALL } from '../world/drive.ts';
import { DEACON, LIFE } from './chain.ts';

const HOUR = 3_600_000;
const clockAt = (time: { now: number; wall: number }) => ({ now: () => time.now, wall: () => time.wall });
const BEAT: Beat = {
  at: WALL - 5_000,
  cycle: 1,
  lastAction: '',
  healthy: 0,
  unhealthy: 0,
  nextDueAt: null,
  incarnation: LIFE.uuid,
};
const RECORD: SessionRecord = {
  ...freshSession(DEACON, 'x'),
  state: 'running',
  pending: null,
  incarnation: LIFE,
  startedAt: WALL - 60_000,
};
const absent = { name: 'hq-deacon', life: 'absent', uuid: null, incarnation: null } as const;

async function seen(more: Partial<ObserveDeps> = {}, session: string | null = 'hq-deacon') {
  const observe = observeDeacon({
    processes: { alive: () => true },
    ages: new Ages(clockAt({ now: 0, wall: WALL })),
    session: () => Promise.resolve(RECORD),
    find: () => Promise.resolve(absent),
    mood: () => Promise.resolve({ pane: 'idle', what: '' }),
    heartbeat: () => Promise.resolve(BEAT),
    pause: () => Promise.resolve(null),
    unread: () => Promise.resolve(2),
    isHeard: () => Promise.resolve(false),
    actor: () => ({ uuid: 'town-7-boot', startedMsAgo: 60_000 }),
    ...more,
  });
  const outcome = await observe({ type: 'observeDeacon', id: { name: 'x' }, session }, new AbortController().signal);
  if (outcome.type !== 'DEACON_OBSERVED') throw new Error(outcome.type);
  return outcome.seen;
}
const none = () => Promise.resolve(null);
const ended = (more: Partial<SessionRecord>): Partial<ObserveDeps> => ({
  session: () => Promise.resolve({ ...RECORD, state: 'ended', ...more }),
  processes: { alive: () => false },
});

type Found = Awaited<ReturnType<ObserveDeps['find']>>;
const ALIVE = { alive: 'yes', life: LIFE };
/** No record, and this in tmux. */
const unrecorded = (more: Partial<Found>): Partial<ObserveDeps> => ({
  session: none,
  find: () => Promise.resolve({ ...absent, ...more }),
});
const order = (by: object) => ({ asked: { uuid: LIFE.uuid, then: 'end' as const, ...by } });
const lives = (alive: () => boolean): Partial<ObserveDeps> => ({ processes: { alive } });
const blind = (): never => {
  throw new Error('EMFILE');
};

describe('alive', () => {
  test.each<[string, Partial<ObserveDeps>, object]>([
    ['its process lives', {}, { alive: 'yes', life: LIFE, mail: 2, pane: 'idle', startedMsAgo: 60_000 }],
    ['its process is gone, nothing in tmux', lives(() => false), { alive: 'no', life: null, pane: 'none' }],
    ['it cannot be told', lives(blind), { alive: 'unknown' }],
    ['no record, nothing in tmux', unrecorded({}), { alive: 'no' }],
    ['no record, tmux is silent', unrecorded({ life: 'unknown' }), { alive: 'unknown' }],
    ['no record, it lives in tmux', unrecorded({ life: 'alive', uuid: LIFE.uuid, incarnation: LIFE }), ALIVE],
    ['no record, another agent has its name', unrecorded({ life: 'foreign' }), { alive: 'no' }],
    ['it asked for its own end', ended({ asked: { uuid: LIFE.uuid, then: 'end' } }), { alive: 'no', retired: true }],
    ['the operator ended it', ended(order({ operatorAt: 1 })), { alive: 'no', retired: true }],
    ['the town ended it, and wants it again', ended(order({ townAt: 1 })), { alive: 'no', retired: false }],
    ['an earlier life asked', ended({ asked: { uuid: 'earlier', then: 'end' } }), { alive: 'no', retired: false }],
  ])('%s', async (_, deps, expected) => {
    expect(await seen(deps)).toMatchObject(expected);
  });

  test('an actor is part of the town: it lives, and began with it', async () => {
    expect(await seen({}, null)).toMatchObject({ alive: 'yes', life: null, pane: 'none', startedMsAgo: 60_000 });
  });
});

// Rules: C-2.
test.each<[string, Partial<Beat>, boolean]>([
  ['of this life', {}, true],
  ['of another life', { incarnation: 'another' }, false],
  ['without a name, after this life began', { incarnation: null }, true],
  ['without a name, before this life began', { incarnation: null, at: WALL - 60_001 }, false],
])('a beat %s', async (_, more, mine) => {
  const { heartbeat } = await seen({
    heartbeat: () => Promise.resolve({ ...BEAT, ...more }),
    session: () => Promise.resolve(RECORD),
  });
  expect(heartbeat?.mine).toBe(mine);
});

describe('a clock that steps', () => {
  /** Looks every few minutes while the clock steps under them; the Deacon beats each minute. */
  async function looks(
    session: string | null,
    stepMs: number,
    more: Partial<Beat>,
  ): Promise<readonly (readonly [boolean | undefined, boolean])[]> {
    const time = { now: 0, wall: WALL };
    const ages = new Ages(clockAt(time));
    const beats = { at: WALL - 60_000 };
    const found: (readonly [boolean | undefined, boolean])[] = [];
    for (let minute = 0; minute <= 60; minute++) {
      if (minute % 3 === 0) {
        const { heartbeat } = await seen(
          {
            ages,
            heartbeat: () => Promise.resolve({ ...BEAT, ...more, at: beats.at, nextDueAt: beats.at + 60_000 }),
            actor: () => ({ uuid: 'town-7-boot', startedMsAgo: 60_000 + time.now }),
          },
          session,
        );
        found.push([heartbeat?.mine, (heartbeat?.ageMs ?? Infinity) <= 3 * 60_000]);
      }
      time.now += 30_000;
      time.wall += 30_000 + (minute === 10 ? stepMs : 0);
      beats.at = time.wall;
      time.now += 30_000;
      time.wall += 30_000 + (minute === 20 ? stepMs : 0);
    }
    return found;
  }
  // Rules: C-4.
  test.each([
    ['an actor', null, { incarnation: 'town-7-boot' }, -HOUR],
    ['an actor', null, { incarnation: 'town-7-boot' }, HOUR],
    ['a session', 'hq-deacon', {}, -HOUR],
    ['a session', 'hq-deacon', {}, HOUR],
    ['a session whose beats name no life', 'hq-deacon', { incarnation: null }, -HOUR],
    ['a session whose beats name no life', 'hq-deacon', { incarnation: null }, HOUR],
  ] as const)(
    '%s (%s, %o) that beats is never found silent when it steps by %i ms',
    async (_, session, more, stepMs) => {
      const found = await looks(session, stepMs, more);
      expect(found).toHaveLength(21);
      expect(found.filter(([mine, isFresh]) => mine !== true || !isFresh)).toEqual([]);
    },
  );

  test('the beat of an earlier town is not its successor\u2019s', async () => {
    const { heartbeat } = await seen(
      { heartbeat: () => Promise.resolve({ ...BEAT, incarnation: 'town-6-boot' }) },
      null,
    );
    expect(heartbeat?.mine).toBe(false);
  });
});

describe('ages', () => {
  test.each([
    ['an hour forward', HOUR],
    ['an hour back', -HOUR],
  ])('a clock that jumps %s makes no beat older that was seen before', (_, jump) => {
    const time = { now: 0, wall: WALL };
    const ages = new Ages(clockAt(time));
    expect(ages.of('beat', WALL - 5_000)).toBe(5_000);
    time.now += 10_000;
    time.wall += 10_000 + jump;
    expect(ages.of('beat', WALL - 5_000)).toBe(15_000);
  });
  test('a new stamp is a new beat; one from the future is of now', () => {
    const time = { now: 0, wall: WALL };
    const ages = new Ages(clockAt(time));
    const found = [WALL - 9, WALL - 4, WALL + HOUR].map((stamp) => {
      time.now += 1_000;
      return ages.of('beat', stamp);
    });
    expect(found).toEqual([9, 4, 0]);
  });
  test('a beat that took the place of one seen here is no older than that look', () => {
    const time = { now: 0, wall: WALL };
    const ages = new Ages(clockAt(time));
    ages.of('beat', WALL);
    time.now += 60_000;
    time.wall += 60_000 + HOUR; // it stepped after the new beat was written
    expect(ages.of('beat', WALL + 1_000)).toBe(60_000);
  });
  test('the announced beat moves with the age', async () => {
    const { heartbeat } = await seen({ heartbeat: () => Promise.resolve({ ...BEAT, nextDueAt: WALL + 55_000 }) });
    expect(heartbeat).toEqual({ ageMs: 5_000, mine: true, dueInMs: 55_000 });
  });
});
