/** Since when an agent worked that was seen to (M-2). */
import { expect, test } from 'vitest';
import type { SaidState, Word } from '../../machines/sessions/agent-state.ts';
import { WorkSeen } from '../../src/overview/work-seen.ts';

const word = (state: SaidState, since: number | null): Word => {
  return { by: 'program', source: 's', state, since, at: 0, detail: null, rule: null };
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
