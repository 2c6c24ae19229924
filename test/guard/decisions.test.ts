import { expect, test } from 'vitest';
import { fall } from '../../src/guard/backoff.ts';
import { judge, type End, type Verdict } from '../../src/guard/exits.ts';
import type { TownEnd } from '../../state/process/pid-files.ts';
import { HangWatch } from '../../src/guard/hang.ts';
import { patienceOf } from '../../src/guard/patience.ts';

const exit = (code: number): End => ({ kind: 'exit', code });
const gone = (inOrder: TownEnd | null, superseded: boolean): End => ({ kind: 'gone', inOrder, superseded });

test.each<[what: string, end: End, wasReady: boolean, then: Verdict['kind'], exit?: number]>([
  ['an orderly end', exit(0), true, 'leave', 0],
  ['superseded', exit(75), true, 'leave', 75],
  ['it begins anew', exit(76), true, 'renew'],
  ['a failure', exit(1), true, 'restart'],
  ['a failure at the first start', exit(1), false, 'restart'],
  ['refused at the first start', exit(5), false, 'leave', 5],
  ['refused later', exit(5), true, 'restart'],
  ['bad configuration at the first start', exit(2), false, 'leave', 2],
  ['bad configuration later', exit(2), true, 'restart'],
  ['killed', { kind: 'signal', signal: 'SIGKILL' }, true, 'restart'],
  ['killed at the first start', { kind: 'signal', signal: 'SIGKILL' }, false, 'restart'],
  ['adopted, gone without a trace of order', gone(null, false), true, 'restart'],
  ['adopted, gone in order', gone('done', false), true, 'leave', 0],
  ['adopted, gone to begin anew', gone('renewed', false), true, 'renew'],
  ['adopted, a newer epoch on disk', gone(null, true), true, 'leave', 75],
])('%s: %j, was ready %s: %s', (_what, end, wasReady, then, code) => {
  const verdict = judge(end, wasReady);
  expect(verdict.kind).toBe(then);
  if (verdict.kind === 'leave') expect(verdict.exit).toBe(code);
});

test('waits double up to the most, for ever; a stable spell forgets; repeats are an alarm', () => {
  const policy = { restartMs: 1_000, maxRestartMs: 60_000, stableMs: 60_000, maxFalls: 5 };
  const waits = [0, 1, 2, 5, 6, 100, 5_000].map((before) => fall(before, 0, policy).waitMs);
  expect(waits).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000]);
  expect(fall(5, 0, policy)).toMatchObject({ falls: 6, alarm: true });
  expect(fall(4, 0, policy)).toMatchObject({ falls: 5, alarm: false });
  expect(fall(100, 60_000, policy)).toEqual({ falls: 1, waitMs: 1_000, alarm: false });
});

const HANG = { hangMs: 60_000, startMs: 60_000, hangWakeups: 3, heldMs: 300_000, watchEveryMs: 1_000 };

/** Wakes at these instants; the first one that says hang, or null. */
function hangsAt(watch: HangWatch, instants: readonly number[]): number | null {
  return instants.find((at) => watch.woke(at) === 'hangs') ?? null;
}
/** Wakes at these instants, held; what was found, and when. */
function heldAt(watch: HangWatch, instants: readonly number[]): [at: number, found: string][] {
  return instants.flatMap((at) => {
    const found = watch.woke(at, true);
    return found === null ? [] : [[at, found]];
  });
}
const seconds = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, n) => (from + n) * 1_000);

test('silence over on-time wake-ups is a hang after its limit, not before', () => {
  expect(hangsAt(new HangWatch(HANG), seconds(0, 100))).toBe(60_000);
});

test('progress starts the count anew; the same step again is none', () => {
  const watch = new HangWatch(HANG);
  expect(hangsAt(watch, seconds(0, 50))).toBe(null);
  watch.heard(1, false);
  expect(hangsAt(watch, seconds(51, 100))).toBe(null);
  watch.heard(1, false);
  expect(hangsAt(watch, seconds(101, 200))).toBe(110_000);
});

test('a suspend proves nothing, however long it was', () => {
  const watch = new HangWatch(HANG);
  expect(hangsAt(watch, [...seconds(0, 59), ...seconds(4_000, 4_059)])).toBe(null);
  expect(hangsAt(watch, seconds(4_060, 4_100))).toBe(4_060_000);
});

test('few wake-ups on time are not enough, even when each is long', () => {
  const watch = new HangWatch({ ...HANG, watchEveryMs: 40_000 });
  expect(hangsAt(watch, [0, 40_000, 80_000, 120_000])).toBe(120_000);
});

test('a save under way is no hang; after it the count starts anew', () => {
  const watch = new HangWatch(HANG);
  watch.heard(7, true);
  expect(hangsAt(watch, seconds(0, 1_000))).toBe(null);
  watch.heard(7, false);
  expect(hangsAt(watch, seconds(1_001, 1_100))).toBe(1_060_000);
});

test('a town that is stopped or waits for a disk does not hang, however long; one that runs again is counted anew', () => {
  const watch = new HangWatch(HANG);
  watch.heard(7, false);
  expect(hangsAt(watch, seconds(0, 59))).toBe(null);
  expect(heldAt(watch, seconds(60, 200))).toEqual([]);
  expect(hangsAt(watch, seconds(201, 259))).toBe(null);
  expect(hangsAt(watch, seconds(260, 300))).toBe(260_000);
});

test('being held for long is told once, also when it comes in pieces, until it makes progress', () => {
  const watch = new HangWatch(HANG);
  watch.heard(7, false);
  expect(hangsAt(watch, [0])).toBe(null);
  expect(heldAt(watch, seconds(1, 200))).toEqual([]);
  expect(hangsAt(watch, seconds(201, 210))).toBe(null);
  expect(heldAt(watch, seconds(211, 2_000))).toEqual([[310_000, 'held']]);
  watch.heard(8, false);
  expect(heldAt(watch, seconds(2_001, 4_000))).toEqual([[2_300_000, 'held']]);
  // A suspend is not counted as being held either.
  watch.heard(9, false);
  expect(heldAt(watch, [4_001_000, 9_000_000, 9_001_000])).toEqual([]);
});

test('a town that never spoke may take longer: it is starting', () => {
  const watch = new HangWatch({ ...HANG, startMs: 300_000 });
  expect(hangsAt(watch, seconds(0, 299))).toBe(null);
  watch.heard(0, true);
  expect(hangsAt(watch, seconds(300, 598))).toBe(null);
  expect(hangsAt(watch, seconds(600, 610))).toBe(600_000);
});

// Rules: law 1.
test('a town that ran before its guard is unknown until its first word: that is told once, and nothing hangs', () => {
  const watch = new HangWatch({ ...HANG, startMs: 300_000 }, true);
  const found = [...seconds(0, 200), ...seconds(4_000, 9_000)].flatMap((at) => {
    const finding = watch.woke(at);
    return finding === null ? [] : [[at, finding]];
  });
  expect(found).toEqual([[4_100_000, 'unheard']]);
  watch.heard(7, false);
  expect(hangsAt(watch, seconds(9_001, 9_100))).toBe(9_060_000);
});

// Rules: law 9, C-7.
test.each<[string, readonly (number | null | undefined)[], number]>([
  ['of a town that lives and is never ready: as long as its guard', Array.from({ length: 400 }, () => 7), 301],
  ['of a guard that has started none yet: as long', Array.from({ length: 400 }, () => null), 301],
  ['of a town that fell: a while after its end', [null, 7, 7, undefined, ...Array.from({ length: 400 }, () => 8)], 12],
  ['where nothing lives: no longer than that', Array.from({ length: 400 }, () => undefined), 10],
])('how long `up` waits, %s', (_, looks, seconds) => {
  let now = 0;
  const patience = patienceOf({ readyMs: 10_000, startMs: 301_000 }, { now: () => now });
  const ended = looks.findIndex((town) => {
    const isOver = patience.isOver(town);
    if (!isOver) now += 1_000;
    return isOver;
  });
  expect([ended >= 0, Math.round(now / 1_000)]).toEqual([true, seconds]);
});
