/** What Boot is told of the Deacon (C-2, C-8), whose beat counts (law 3), and ages that no clock can stretch. */
import { describe, expect, test } from 'vitest';
import type { SessionRecord } from '../../machines/protocol.ts';
import type { Beat } from '../../machines/watchdog.ts';
import { freshSession } from '../../machines/session-rules.ts';
import { Ages } from '../../src/watchdog/ages.ts';
import { observeDeacon, type ObserveDeps } from '../../src/watchdog/observe.ts';
import { WALL } from '../machines/drive.ts';
import { DEACON, LIFE } from './chain.ts';

const HOUR = 3_600_000;
const clockAt = (time: { now: number; wall: number }) => ({ now: () => time.now, wall: () => time.wall });
const BEAT: Beat = {
  ...{ at: WALL - 5_000, cycle: 1, lastAction: '', healthy: 0, unhealthy: 0 },
  ...{ nextDueAt: null, incarnation: LIFE.uuid },
};
const RECORD: SessionRecord = {
  ...freshSession(DEACON, 'x'),
  ...{ state: 'running', pending: null, incarnation: LIFE, startedAt: WALL - 60_000 },
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
    townStartedAt: WALL - 1_000,
    ...more,
  });
  const outcome = await observe({ type: 'observeDeacon', id: 'x', session }, new AbortController().signal);
  if (outcome.type !== 'DEACON_OBSERVED') throw new Error(outcome.type);
  return outcome.seen;
}
const none = () => Promise.resolve(null);
const ended = (more: Partial<SessionRecord>): Partial<ObserveDeps> => ({
  session: () => Promise.resolve({ ...RECORD, state: 'ended', ...more }),
  processes: { alive: () => false },
});

describe('alive', () => {
  test.each<[string, Partial<ObserveDeps>, object]>([
    ['its process lives', {}, { alive: 'yes', life: LIFE, mail: 2, pane: 'idle', startedMsAgo: 60_000 }],
    [
      'its process is gone and tmux shows nothing',
      { processes: { alive: () => false } },
      { alive: 'no', life: null, pane: 'none' },
    ],
    [
      'it cannot be told',
      {
        processes: {
          alive: () => {
            throw new Error('EMFILE');
          },
        },
      },
      { alive: 'unknown' },
    ],
    ['no record, nothing in tmux', { session: none }, { alive: 'no' }],
    [
      'no record, tmux is silent',
      { session: none, find: () => Promise.resolve({ ...absent, life: 'unknown' }) },
      { alive: 'unknown' },
    ],
    [
      'no record, it lives in tmux',
      { session: none, find: () => Promise.resolve({ ...absent, life: 'alive', uuid: LIFE.uuid, incarnation: LIFE }) },
      { alive: 'yes', life: LIFE },
    ],
    [
      'no record, somebody else has its name',
      { session: none, find: () => Promise.resolve({ ...absent, life: 'foreign' }) },
      { alive: 'no' },
    ],
    ['it asked for its own end', ended({ asked: { uuid: LIFE.uuid, then: 'end' } }), { alive: 'no', retired: true }],
    [
      'an earlier life asked for its end',
      ended({ asked: { uuid: 'earlier', then: 'end' } }),
      { alive: 'no', retired: false },
    ],
  ])('%s', async (_, deps, expected) => {
    expect(await seen(deps)).toMatchObject(expected);
  });

  test('an actor is part of the town: it lives, and began with it', async () => {
    expect(await seen({}, null)).toMatchObject({ alive: 'yes', life: null, pane: 'none', startedMsAgo: 1_000 });
  });
});

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
    const ages = new Ages(clockAt({ now: 0, wall: WALL }));
    expect([ages.of('beat', WALL - 9), ages.of('beat', WALL - 4), ages.of('beat', WALL + HOUR)]).toEqual([9, 4, 0]);
  });
  test('the announced beat moves with the age', async () => {
    const { heartbeat } = await seen({ heartbeat: () => Promise.resolve({ ...BEAT, nextDueAt: WALL + 55_000 }) });
    expect(heartbeat).toEqual({ ageMs: 5_000, mine: true, dueInMs: 55_000 });
  });
});
