/** What one text means to several questions of Claude Code: each answer goes to its own, and what may mean two things answers none. */
import { expect, test } from 'vitest';
import { answersIn, questionsIn } from '../../src/sources/claude-choices.ts';

const options = (...labels: readonly string[]) => labels.map((label) => ({ label }));
const QUESTIONS = questionsIn({
  questions: [
    { question: 'Which database?', options: options('SQLite', 'Postgres') },
    { question: 'How many replicas?', options: options('2', '3', '5') },
    { question: 'Which trees?', options: options('Plum', 'Quince', 'Pear'), multiSelect: true },
  ],
})!;
const [DATABASE, REPLICAS, TREES] = ['Which database?', 'How many replicas?', 'Which trees?'] as const;

// Rules: A-1.
test.each([
  ['1; "3"; 2,3', ['SQLite', '3', 'Quince, Pear']],
  ['Postgres; "12"; 2', ['Postgres', '12', 'Quince']],
  [
    '“use Postgres; the schema is in db/”; „2“; "a plum; or two"',
    ['use Postgres; the schema is in db/', '2', 'a plum; or two'],
  ],
  ['2 ; "5" ; 3, 3, 1 ', ['Postgres', '5', 'Pear, Plum']],
])('%s answers all', (text, [database, replicas, trees]) => {
  const answers = { [DATABASE]: database, [REPLICAS]: replicas, [TREES]: trees };
  expect(answersIn(QUESTIONS, text)).toEqual({ answers });
});

test.each([
  ['1; "2"', 'it asks 3 questions, and your text has 2 answers'],
  ['use Postgres; the schema is in db/; 1', 'question 1 has no option "use Postgres"'],
  ['1; 3; 1', 'question 2 has another option that is called 3'],
  ['1; 12; 1', 'question 2 has no option 12'],
  ['1,2; "2"; 1', 'question 1 takes one option'],
  ['1; ; 1', 'question 2 has no answer'],
  ['1; ""; 1', 'question 2 has no answer'],
  ['1; "2; 1', 'a quotation mark in your text has no other one'],
  ['1; "2", "3"; 1', 'question 2 has no option'],
  ['1; "2" or so; 1', 'question 2 has no option "\\"2\\" or so"'],
])('%s answers none', (text, why) => {
  expect(answersIn(QUESTIONS, text)).toEqual({ why: expect.stringContaining(why) as string });
});

test.each(['1; 3', '1 3', '1,3.'])(
  'one question with several options takes no own words without quotes: %s',
  (text) => {
    expect(answersIn(QUESTIONS.slice(2), text)).toHaveProperty('why');
  },
);

test('numbers that name other options choose none by their places', () => {
  const ports = questionsIn({
    questions: [{ question: 'Which ports?', options: options('2', '3', '5'), multiSelect: true }],
  })!;
  expect(answersIn(ports, '2,3')).toHaveProperty('why');
  expect(answersIn(ports, '"2"')).toEqual({ answers: { 'Which ports?': '2' } });
});
