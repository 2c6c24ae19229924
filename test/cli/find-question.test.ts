/** The question that a person typed, and when the agents are asked a second time for it. */
import { expect, test } from 'vitest';
import { findIn, hasNews } from '../../src/cli/story/find-question.ts';
import type { PersonsQuestion } from '../../src/cli/story/question.ts';

const told = (session: string, question: string | null = null) => ({ episode: `needs-input/${session}`, question });
type Told = Parameters<typeof hasNews>[0];

// Rules: A-4.
test.each<[string, Told, Told, boolean]>([
  ['the same', [told('a')], [told('a')], false],
  ['fewer', [], [told('a')], false],
  ['one more', [told('a'), told('b')], [told('a')], true],
  ['another question', [told('a', 'id-2')], [told('a', 'id-1')], true],
])('%s in the look of the town', (_, seen, onRecord, isNews) => {
  expect(hasNews(seen, onRecord)).toBe(isNews);
});

const dialog: PersonsQuestion = {
  number: '317604',
  kind: 'dialog',
  id: 'dialog-240317604',
  names: ['q-1'],
  session: 'wk',
  since: '2026-11-30T10:00:00.000Z',
  text: 'wk asks: Do you want to proceed?',
  options: [],
  type: [],
  alerts: ['needs-input/wk', 'silent/wk'],
  body: '',
  isAcked: false,
};

// Rules: A-4.
test.each(['wk', 'w', 'needs-input/wk', 'silent/wk', '240317604', 'q-1'])('a dialog with two alerts, as %s', (word) => {
  for (const toAnswer of [true, false]) expect(findIn([dialog], word, toAnswer)).toBe(dialog);
});

test('two questions of one session are named, and none is meant', () => {
  const other = { ...dialog, id: 'dialog-240317999', names: [], alerts: [] };
  const text = '"wk" may be any open question of dialog-240317604 (wk), dialog-240317999 (wk); write more of it';
  expect(() => findIn([dialog, other], 'wk', true)).toThrow(text);
});
