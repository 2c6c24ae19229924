/** How an agent is, by what its sources say (M-2): the table, cell by cell, and which words count. */
import { describe, expect, test } from 'vitest';
import { leavesDoubt, SAID_STATES, verdictOf, type SaidState, type Word } from '../../machines/sessions/agent-state.ts';

const NOW = 1_000_000;
const word = (by: Word['by'], state: SaidState, more: Partial<Word> = {}): Word => {
  return { by, source: `the ${by}`, state, since: NOW - 60_000, at: NOW, detail: null, rule: null, ...more };
};
const X = 'unknown';

// Rules: M-2.
describe('two sources', () => {
  test.each<[better: SaidState, together: readonly string[]]>([
    // The other one says:    working idle asks denied limited logged_out error done
    ['working', ['working', X, X, X, X, X, X, X]],
    ['idle', [X, 'idle', X, 'denied', 'limited', 'logged_out', 'error', 'done']],
    ['asks', [X, X, 'asks', X, 'limited', 'logged_out', X, X]],
    ['denied', [X, 'denied', X, 'denied', X, X, X, X]],
    ['limited', [X, 'limited', 'limited', X, 'limited', X, 'limited', X]],
    ['logged_out', [X, 'logged_out', 'logged_out', X, X, 'logged_out', 'logged_out', X]],
    ['error', [X, 'error', X, X, 'limited', 'logged_out', 'error', X]],
    ['done', [X, 'done', X, X, X, X, X, 'done']],
  ])('the better one says %s', (better, together) => {
    const both = SAID_STATES.map((other) => verdictOf([word('screen', other), word('program', better)]));
    expect(both.map(({ state }) => state)).toEqual(together);
    // One that is not chosen is shown with the other.
    const disagree = together.map((state) => (state === X ? ['program', 'screen'] : []));
    expect(both.map((one) => one.disagree.map(({ by }) => by))).toEqual(disagree);
  });

  test('that agree are told by the better one, whichever was asked first', () => {
    const words = [word('screen', 'asks'), word('report', 'asks'), word('hook', 'asks'), word('program', 'asks')];
    expect(verdictOf(words).word?.by).toBe('program');
    expect(verdictOf(words.slice(0, 3)).word?.by).toBe('hook');
  });

  test('of which one says more are told by that one', () => {
    const limit = word('screen', 'limited', { detail: 'resets 10:20pm', rule: 'claude/limit' });
    expect(verdictOf([word('program', 'idle'), limit])).toEqual({ state: 'limited', word: limit, disagree: [] });
  });
});

// Rules: M-2.
describe('a screen', () => {
  const screen = word('screen', 'working');
  test.each<[string, number | null, string]>([
    ['seen before its program changed', NOW + 1_000, 'idle'],
    ['seen while its program may still have drawn the change', NOW - 1_999, 'idle'],
    ['seen long after the change', NOW - 2_000, X],
    ['of a program that does not tell when it changed', null, X],
  ])('%s', (_, since, state) => {
    const program = word('program', 'idle', { since, at: NOW + 5_000 });
    expect(verdictOf([program, screen]).state).toBe(state);
  });
});

test('without a word an agent is unknown', () => {
  expect(verdictOf([])).toEqual({ state: 'unknown', word: null, disagree: [] });
});

test.each<[SaidState | null, boolean]>([
  [null, true],
  ['idle', true],
  ['working', false],
  ['asks', false],
])('a program that says %s leaves a doubt: %s', (state, doubt) => {
  expect(leavesDoubt(state === null ? null : word('program', state))).toBe(doubt);
  // Its screen says when a limit ends that a hook told of.
  expect(leavesDoubt(word('hook', state ?? 'limited'))).toBe(true);
});
