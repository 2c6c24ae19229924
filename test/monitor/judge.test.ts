/** How the monitor judges a worker by one look and the one before (M-2, M-3, M-4). */
import { describe, expect, test } from 'vitest';
import type { WorkerSeen } from '../../machines/protocol.ts';
import { isSameEpisode, judge, shownBy, type Look, type Worker } from '../../machines/monitor/judge.ts';
import { promptType } from '../../machines/monitor/messages.ts';
import { worker } from './town.ts';

const report = (status: NonNullable<WorkerSeen['report']>['status'], at = 1_000): Partial<WorkerSeen> => ({
  report: { status, message: 'so it is', outcome: null, at },
});
const LOOK: Look = { at: 100, isRegular: true, threshold: 3 };

describe('what one look shows', () => {
  const rows: readonly (readonly [what: string, seen: Partial<WorkerSeen>, shown: ReturnType<typeof shownBy>])[] = [
    ['a dialog', { state: 'asks' }, 'needs_input'],
    ['a dead login', { state: 'logged_out' }, 'needs_input'],
    ['a dialog of one that reported complete', { state: 'asks', ...report('complete') }, 'needs_input'],
    ['an error on its screen', { state: 'error' }, 'error'],
    ['a denial', { state: 'denied' }, 'error'],
    ['a usage limit', { state: 'limited' }, 'limited'],
    ['a finished program', { state: 'done' }, 'complete'],
    ['work', { state: 'working' }, 'active'],
    ['an idle prompt, which asks nothing', { state: 'idle' }, 'active'],
    ['a screen that no pack knows', { state: 'unknown' }, 'active'],
    ['nothing at all', { state: 'unknown', mark: null }, 'unknown'],
    ['its report that it is complete', report('complete'), 'complete'],
    ['its report of an error', report('error'), 'error'],
    ['its report that it waits', report('waiting_for_input'), 'needs_input'],
    ['its report that it is blocked', report('blocked'), 'needs_input'],
    ['its report that it works', report('working'), 'active'],
    ['work after its report', { state: 'working', workedSince: 2_000, ...report('complete') }, 'active'],
    [
      'rest after work that came after its report',
      { state: 'idle', workedSince: 2_000, ...report('complete') },
      'active',
    ],
    ['work that began before its report', { state: 'working', workedSince: 500, ...report('complete') }, 'complete'],
    ['an error in its output', { error: 'Error: no such module' }, 'error'],
    ['an error in its output while it works on', { state: 'working', error: 'Error: no such module' }, 'active'],
    ['an error that it reported as over', { error: 'Error: x', ...report('complete') }, 'complete'],
  ];
  // Rules: M-2.
  test.each(rows)('%s', (_, seen, shown) => {
    expect(shownBy(worker(1, seen))).toBe(shown);
  });
});

describe('from one look to the next', () => {
  const first = judge(null, worker(1), LOOK);
  const after = (looks: number, more: Partial<WorkerSeen> = {}, isRegular = true): Worker => {
    let last = first;
    for (let n = 0; n < looks; n += 1) last = judge(last, worker(1, more), { ...LOOK, at: LOOK.at + n + 1, isRegular });
    return last;
  };
  // Rules: M-3, M-4.
  test('the first one is the baseline: nothing is stuck', () => {
    expect(first).toMatchObject({ state: 'working', unchanged: 0, activeAt: 100 });
  });
  // Rules: M-2, M-4.
  test('an old report says nothing of a worker that cannot be seen now, and a new one does', () => {
    const blind = { state: 'unknown', mark: null } as const;
    const asks = judge(first, worker(1, { state: 'asks', ...report('complete') }), LOOK);
    expect(judge(asks, worker(1, { ...blind, ...report('complete') }), LOOK)).toMatchObject({
      state: 'needs_input',
      isShown: false,
    });
    expect(judge(asks, worker(1, { ...blind, ...report('complete', 2_000) }), LOOK)).toMatchObject({
      state: 'complete',
      isShown: true,
    });
  });
  // Rules: M-3.
  test('three without anything new are stuck, and no fewer', () => {
    expect(after(2)).toMatchObject({ state: 'working', unchanged: 2 });
    expect(after(3)).toMatchObject({ state: 'stuck', unchanged: 3, activeAt: 100 });
  });
  // Rules: M-3.
  test('a tool that has time left is no standstill, however long', () => {
    expect(after(9, { isExcused: true })).toMatchObject({ state: 'working' });
  });
  // Rules: M-3.
  test('something new begins the count anew', () => {
    const moved = judge(after(3), worker(1, { mark: ' 1' }), { ...LOOK, at: 500 });
    expect(moved).toMatchObject({ state: 'working', unchanged: 0, activeAt: 500 });
  });
  // Rules: M-3.
  test('looks between two regular ones count nothing', () => {
    expect(after(9, {}, false)).toMatchObject({ state: 'working', unchanged: 0 });
  });
  // Rules: law 1, M-2.
  test('what cannot be seen keeps the state, and stops the count', () => {
    expect(judge(after(3), worker(1, { mark: null }), LOOK)).toMatchObject({ state: 'stuck', unchanged: 3 });
    expect(judge(after(2), worker(1, { mark: null }), LOOK)).toMatchObject({ state: 'working', unchanged: 2 });
    expect(judge(null, worker(1, { mark: null }), LOOK)).toMatchObject({ state: 'unknown' });
  });
  // Rules: M-2.
  test('a usage limit is no standstill', () => {
    expect(after(9, { state: 'limited' })).toMatchObject({ state: 'working', unchanged: 0 });
  });
});

describe('one question and the next', () => {
  const open = { session: 'w1', state: 'needs_input', key: 'screen:q-1', since: 10 } as const;
  const isSame = (more: Partial<WorkerSeen>): boolean =>
    isSameEpisode(open, 'needs_input', worker(1, { state: 'asks', question: 'screen:q-1', ...more }));
  // Rules: M-5, A-1, law 8.
  test('are told apart by the marks of the question, and not by how its words are drawn', () => {
    expect(isSame({ detail: 'in 12 s?', since: 1 })).toBe(true);
    expect(isSame({ detail: 'in 11 s?', since: 2 })).toBe(true);
    expect(isSame({ detail: 'in 11 s?', question: 'screen:q-2' })).toBe(false);
  });
  // Rules: M-5.
  test('are two in the same words, where its agent worked between them', () => {
    expect(isSame({ workedSince: 9 })).toBe(true);
    expect(isSame({ workedSince: 11 })).toBe(false);
  });
});

// Rules: M-5.
test.each([
  ['permission', { state: 'asks', detail: 'permission prompt: Bash: make', rule: null }],
  ['permission', { state: 'asks', detail: 'an approval', rule: null }],
  ['confirmation', { state: 'asks', detail: 'Do you want to proceed? (y/n)', rule: 'generic/yes-or-no' }],
  ['input', { state: 'asks', detail: 'an answer', rule: null }],
  ['input', { state: 'logged_out', detail: 'Paste code here', rule: 'claude/login' }],
] as const)('a prompt is of type %s: %o', (type, seen) => {
  expect(promptType(seen)).toBe(type);
});
