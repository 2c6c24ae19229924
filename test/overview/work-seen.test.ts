/** Since when an agent worked that was seen to (M-2). */
import { expect, test } from 'vitest';
import type { SaidState, Word } from '../../machines/sessions/agent-state.ts';
import { WorkSeen } from '../../src/overview/work-seen.ts';

const word = (state: SaidState, since: number | null, at = 0): Word => {
  return { by: 'program', source: 's', state, since, at, detail: null, rule: null };
};

// Rules: M-2.
test.each<[string, readonly (Word | null)[], number | null]>([
  ['never', [word('idle', 5), null], null],
  ['as its program dates it', [word('working', 7), word('idle', 30)], 7],
  [
    'as it was seen first, where that is not dated',
    [word('idle', null), word('working', null), word('working', null)],
    20,
  ],
  ['in its last turn', [word('working', null), word('idle', null), word('working', null), null], 30],
  ['in a turn between two looks', [word('working', 7), word('working', 25)], 25],
])('%s', (_, words, since) => {
  const work = new WorkSeen();
  for (const [at, one] of words.entries()) work.note(new Map([['life', one]]), 10 * (at + 1));
  expect(work.of('life')).toEqual({ workedSince: since, watchedSince: 10 });
  work.note(new Map(), 100);
  expect(work.of('life')).toEqual({ workedSince: null, watchedSince: null });
});

// Rules: M-2, T-1.
test('A screen that stands still at work shows work at the look that read it, and not at each look after', () => {
  const work = new WorkSeen();
  const read = { ...word('working', 5, 10), by: 'screen' as const };
  for (const now of [10, 20, 30]) work.note(new Map([['life', read]]), now);
  expect(work.lastAt('life')).toBe(10);
  work.note(new Map([['life', { ...read, at: 40 }]]), 40);
  expect(work.lastAt('life')).toBe(40);
  // Another source falls silent, and the screen was read before it.
  work.note(new Map([['life', read]]), 50);
  expect(work.lastAt('life')).toBe(40);
  // A dialog is not read again while it stands.
  work.note(new Map([['life', { ...read, state: 'asks' }]]), 60);
  expect(work.lastAt('life')).toBe(60);
});

// Rules: T-1.
test('a turn between two looks counts as its program dates it, and what waits for an answer is not silent meanwhile', () => {
  const work = new WorkSeen();
  const at = (now: number, state: SaidState | null, changedAt?: number): number | null => {
    const said = state === null ? null : word(state, null, now);
    work.note(new Map([['life', said]]), now, new Map([['life', { changedAt }]]));
    return work.lastAt('life');
  };
  expect(at(10, 'idle')).toBeNull();
  expect(at(20, 'idle', 17)).toBe(17);
  expect(at(30, null, 27)).toBe(27);
  expect(at(40, 'working', 27)).toBe(40);
  expect(at(90, 'asks', 41)).toBe(90);
  expect(at(100, 'idle', 91)).toBe(91);
  expect(at(110, 'error', 91)).toBe(91);
});

// Rules: T-1.
test('its last step is when what its program tells of its work changed last, or while a tool of it has time left', () => {
  const work = new WorkSeen();
  const at = (now: number, state: SaidState, step: { progress?: string; hasTool?: true }): number | null => {
    work.note(new Map([['life', word(state, null, now)]]), now, new Map([['life', step]]));
    return work.steppedAt('life');
  };
  expect(at(10, 'working', {})).toBeNull();
  expect(at(20, 'working', { progress: 'a' })).toBe(20);
  expect(at(30, 'working', { progress: 'a' })).toBe(20);
  expect(at(40, 'working', { progress: 'b' })).toBe(40);
  expect(at(50, 'working', { progress: 'b', hasTool: true })).toBe(50);
  expect(at(60, 'idle', { progress: 'b' })).toBeNull();
  expect(at(70, 'working', { progress: 'b' })).toBe(70);
});

// Rules: T-1, law 1.
test('a clock that is set back leaves no sign in the future once the agent is seen at work again', () => {
  const work = new WorkSeen();
  const at = (now: number, state: SaidState): number | null => {
    work.note(new Map([['life', word(state, null, now)]]), now);
    return work.lastAt('life');
  };
  expect(at(5_000, 'working')).toBe(5_000);
  expect(at(1_000, 'idle')).toBe(5_000);
  expect(at(1_010, 'working')).toBe(1_010);
});
