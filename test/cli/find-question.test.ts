/** When the agents are asked a second time for the question that a person typed. */
import { expect, test } from 'vitest';
import { hasNews } from '../../src/cli/story/find-question.ts';

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
