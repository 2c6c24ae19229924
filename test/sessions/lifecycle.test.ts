/** What follows an end of a supervised session (C-6): the table of sequels, the exact waits, the budget. */
import { describe, expect, test } from 'vitest';
import type { Exit } from '../../machines/protocol.ts';
import {
  afterDeath,
  endingOf,
  exitText,
  freshSession,
  SEQUEL,
  takenWait,
  waitFor,
} from '../../machines/sessions/lifecycle.ts';
import { incarnation } from '../world/drive.ts';
import { CLEAN, CRASH } from '../world/machine.ts';
import { policy, running } from './supervised.ts';

const death = (more: Partial<Parameters<typeof afterDeath>[1]> = {}) => ({
  exit: CRASH,
  maybeSignalled: false,
  elapsedMs: 0,
  sharedWaitMs: null,
  ...more,
});

// Rules: C-6.
test.each([
  ['permanent', 'clean', 'restart'],
  ['permanent', 'crash', 'restart'],
  ['permanent', 'executed', 'restart'],
  ['permanent', 'limited', 'restart'],
  ['transient', 'clean', 'end'],
  ['transient', 'crash', 'restart'],
  ['transient', 'executed', 'end'],
  ['transient', 'limited', 'restart'],
  ['temporary', 'clean', 'end'],
  ['temporary', 'crash', 'end'],
  ['temporary', 'executed', 'end'],
  ['temporary', 'limited', 'end'],
] as const)('%s session, %s: %s', (restart, ending, sequel) => {
  expect(SEQUEL[restart][ending]).toBe(sequel);
  const exit = ending === 'clean' ? CLEAN : CRASH;
  const after = afterDeath(
    running(restart),
    death({ exit, maybeSignalled: ending === 'executed', ...(ending === 'limited' && { limit: 'limit reached' }) }),
    policy,
    'test',
  );
  expect(after.state).toBe(sequel === 'end' ? 'ended' : 'backing_off');
  expect(after.lastExit).toEqual(exit);
});

// Rules: C-9, M-9, P-8.
test.each([
  ['by itself', {}, 'ended'],
  ['with its tmux server', { sharedWaitMs: 5_000, exit: null }, 'backing_off'],
  ['with words about a limit that no scan saw it at', { limit: 'limit reached' }, 'ended'],
  ['by a warrant, while the server dies', { maybeSignalled: true, sharedWaitMs: 5_000 }, 'ended'],
  ['as it wished', { exit: CLEAN }, 'ended'],
])('a polecat that ends %s', (_, more, state) => {
  const record = running('temporary');
  const polecat = { ...record, spec: { ...record.spec, tags: ['polecat', 'rig:shop'] } };
  expect(afterDeath(polecat, death(more), policy, 'test').state).toBe(state);
  // Another session that is never started again stays ended.
  expect(afterDeath(record, death(more), policy, 'test').state).toBe('ended');
});

test.each([
  [CRASH, 'limited', 'backing_off'],
  [CLEAN, 'limited', 'ended'],
  [CRASH, 'logged_out', 'backing_off'],
] as const)('a polecat that ends %o, and was seen %s: %s', (exit, by, state) => {
  const record = running('temporary');
  const spec = { ...record.spec, tags: ['polecat', 'rig:shop'] };
  const life = incarnation(1);
  const bar = { by, life: life.uuid, since: 0 } as const;
  const ending = death({ exit, ...(by === 'limited' && { limit: 'limit reached' }) });
  expect(afterDeath({ ...record, spec, bar, incarnation: life }, ending, policy, 'test').state).toBe(state);
  const other = { ...bar, life: 'another' };
  if (by === 'limited')
    expect(afterDeath({ ...record, spec, bar: other, incarnation: life }, ending, policy, 'test').state).toBe('ended');
});

test.each<[Exit | null, boolean, string, string]>([
  [CLEAN, false, 'clean', 'with exit code 0'],
  [CRASH, false, 'crash', 'with exit code 1'],
  [{ kind: 'signal', signal: 'SEGV' }, false, 'crash', 'by signal SEGV'],
  [{ kind: 'unknown' }, false, 'crash', 'with an unknown status'],
  [null, false, 'crash', 'with an unknown status'],
  [CLEAN, true, 'executed', 'with exit code 0'],
  [null, true, 'executed', 'with an unknown status'],
])('exit %o, maybeSignalled %s: %s', (exit, maybeSignalled, ending, text) => {
  expect([endingOf(exit, maybeSignalled), exitText(exit)]).toEqual([ending, text]);
});

// Rules: C-6.
test.each<[Exit, string, string]>([
  [CRASH, 'another', 'limited'],
  [{ kind: 'unknown' }, 'another', 'limited'],
  [CLEAN, 'another', 'limited'],
  [{ kind: 'signal', signal: 'KILL' }, 'another', 'crash'],
  [CLEAN, 'this', 'limited'],
  [{ kind: 'signal', signal: 'KILL' }, 'this', 'limited'],
])('words about a limit on the last screen, exit %o, %s life seen at a limit: %s', (exit, whose, end) => {
  const life = incarnation(1);
  const bar = { by: 'limited', life: whose === 'this' ? life.uuid : 'another', since: 0 } as const;
  const ended = death({ exit, limit: 'usage limit reached yesterday' });
  const { state, streak, waitMs } = afterDeath(
    { ...running('transient'), bar, incarnation: life },
    ended,
    policy,
    'test',
  );
  expect([state, waitMs > 60_000 && streak === 0 ? 'limited' : 'crash']).toEqual(['backing_off', end]);
});

describe('the waits before restarts', () => {
  const DOUBLED = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000];

  test('without spread are doubled from 1 s up to 5 min', () => {
    const exact = { ...policy, jitter: 0 };
    expect(DOUBLED.map((_, n) => waitFor(n + 1, exact, 'test', 'k'))).toEqual(DOUBLED);
    expect(waitFor(2_000, exact, 'test', 'k')).toBe(300_000);
  });

  // Rules: C-6.
  test('are spread by 20 % at most, either way, and not alike for two sessions', () => {
    const drawn = Array.from({ length: 1_000 }, (_, n) => waitFor(3, policy, 'test', `s${n}`));
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(3_200);
    expect(Math.max(...drawn)).toBeLessThanOrEqual(4_800);
    expect(Math.max(...drawn) - Math.min(...drawn)).toBeGreaterThan(1_500);
  });

  test('for a name that is taken are spread alike: by session, and by the start that failed', () => {
    const { takenRetryMs: base, jitter } = policy;
    const wait = (name: string, pending: string): number =>
      takenWait(freshSession({ ...running('permanent').spec, name }, pending), policy, 'test');
    const drawn = Array.from({ length: 500 }, (_, n) => [wait(`s${n}`, 'u'), wait('s', `u${n}`)]).flat();
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(base * (1 - jitter));
    expect(Math.max(...drawn)).toBeLessThanOrEqual(base * (1 + jitter));
    expect(new Set(drawn).size).toBeGreaterThan(900);
    expect(wait('s', 'u')).toBe(wait('s', 'u'));
    expect(takenWait(freshSession(running('permanent').spec, 'u'), { ...policy, jitter: 0 }, 'test')).toBe(base);
  });

  // Rules: law 9, I-13.
  test('an agent that exits at once 1,000 times waits exactly so, and then for ever at the capped pace', () => {
    let record = running('permanent');
    const waits: number[] = [];
    for (let n = 0; n < 1_000; n++) {
      record = afterDeath(record, death({ elapsedMs: record.waitMs }), { ...policy, jitter: 0 }, 'test');
      waits.push(record.waitMs);
      record = { ...record, state: 'running' };
    }
    expect(waits.slice(0, DOUBLED.length)).toEqual(DOUBLED);
    expect(new Set(waits.slice(DOUBLED.length))).toEqual(new Set([300_000]));
    expect(record.crashLoop).toBe(true);
  });
});

test.each([
  ['ends cleanly', death({ exit: CLEAN })],
  ['is executed', death({ exit: null, maybeSignalled: true })],
])('a permanent session that %s 1,000 times in a row is paced up to the cap, and is no crash loop', (_, ending) => {
  let record = running('permanent', { restartAgesMs: [1, 2, 3, 4] });
  const exact = { ...policy, jitter: 0 };
  const waits: number[] = [];
  for (let n = 0; n < 1_000; n++) {
    record = { ...afterDeath(record, ending, exact, 'test'), state: 'running' };
    waits.push(record.waitMs);
  }
  expect([waits[0], waits[1], waits[7], waits[999]]).toEqual([1_000, 2_000, 128_000, 300_000]);
  expect(record).toMatchObject({ crashLoop: false, restartAgesMs: [1, 2, 3, 4] });
  expect(afterDeath(record, death(), exact, 'test')).toMatchObject({ crashLoop: true, waitMs: 300_000 });
});

describe('the budget', () => {
  const after = (agesMs: readonly number[], elapsedMs = 0) =>
    afterDeath(running('transient', { restartAgesMs: agesMs }), death({ elapsedMs }), policy, 'test');
  const four = [1, 2, 3, 4];

  test.each<[string, readonly number[], number, boolean]>([
    ['the fourth restart within 10 min', four.slice(1), 0, false],
    ['a fifth', four, 0, true],
    ['a fifth, the first just within', four, policy.withinMs - 5, true],
    ['a fifth, one of them 10 min ago', four, policy.withinMs - 4, false],
  ])('%s', (_, ages, elapsed, isLoop) => {
    expect(after(ages, elapsed).crashLoop).toBe(isLoop);
  });

  test('a crash loop is over when it runs steadily, not when its restarts grow old', () => {
    const looping = running('transient', { crashLoop: true, restartAgesMs: [1] });
    expect(afterDeath(looping, death({ elapsedMs: policy.withinMs }), policy, 'test').crashLoop).toBe(true);
  });

  // Rules: I-12.
  test('is not charged when the whole tmux server died', () => {
    const one = running('transient', { restartAgesMs: four, streak: 3 });
    const shared = afterDeath(one, death({ sharedWaitMs: 1_500 }), policy, 'test');
    expect(shared).toMatchObject({ state: 'backing_off', restartAgesMs: four, streak: 3, crashLoop: false });
    expect(shared.waitMs).toBe(1_500);
  });
});
