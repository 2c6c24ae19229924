/**
 * Several questions of Claude Code at once, or one that takes several of its options: one text answers all of them, or none. In
 * `1; 2,3; "a plum tree"` the first gets its first option, the second two of its options, and the third own words. Nothing is taken
 * for own words without quotes: a text that was meant otherwise answers nothing.
 */
import * as z from 'zod';
import { lineOf, linesOf, type Asked, type Taken } from './question.ts';
import { SOURCES } from './policy.ts';

const QUESTION = z.object({
  question: z.string(),
  options: z
    .array(z.object({ label: z.string(), description: z.string().default('') }))
    .min(1)
    .max(SOURCES.maxShown),
  multiSelect: z.boolean().default(false),
});
const QUESTIONS = z.object({ questions: z.array(QUESTION).min(1).max(SOURCES.maxShown) });
type Question = z.output<typeof QUESTION>;

const WORD = 'answers';
const LABEL = 'Answers';
const NUMBERS = /^\d+(?:\s*,\s*\d+)*$/;
/** Of the kinds that telephones write. */
const QUOTED = /^["“”„]([^"“”„]*)["“”]$/su;
/** Up to the next `;` that stands in no quotes. */
const PART = /(?:["“„][^"“”]*["”“]|[^;"“”„])*/uy;
const EXAMPLE = { one: '1,3', several: '1; 2,3; "own words"' };

/** null = of another form, or two questions in the same words: their answers could not be told apart. */
export function questionsIn(input: unknown): readonly Question[] | null {
  const { questions = [] } = QUESTIONS.safeParse(input).data ?? {};
  const texts = new Set(questions.map(({ question }) => question));
  return questions.length === 0 || texts.size < questions.length ? null : questions;
}

/** What a person is shown of them, and the one option that there is. */
export function shownOf(questions: readonly Question[]): Pick<Asked, 'question' | 'shows' | 'whole' | 'offers'> {
  const [first] = questions;
  const isOne = questions.length === 1;
  const rows = questions.flatMap(({ question, options, multiSelect }, nth) => [
    ...(isOne ? question : `Question ${nth + 1}: ${question}${multiSelect ? ' (one or more)' : ''}`).split('\n'),
    ...options.map(
      ({ label, description }, at) => `  ${at + 1}. ${label}${description === '' ? '' : `: ${description}`}`,
    ),
  ]);
  const asked = isOne ? (first?.question ?? '') : `${questions.length} questions`;
  const example = isOne ? EXAMPLE.one : EXAMPLE.several;
  const does = `answer ${isOne ? 'it' : 'all of them'}, as in: ${example}`;
  return {
    question: `${lineOf(asked)} (${does})`,
    ...linesOf(rows),
    offers: [{ label: LABEL, word: WORD, does, text: 'must' }],
  };
}

/** By question, as its program reads them; or why the text answers none. */
export function answersIn(
  questions: readonly Question[],
  text: string,
): { readonly answers: Readonly<Record<string, string>> } | Extract<Taken, object> {
  const parts = partsOf(text);
  if (parts === null) return { why: 'a quotation mark in your text has no other one' };
  if (parts.length !== questions.length) {
    const counts = `it asks ${questions.length} questions, and your text has ${parts.length} answers`;
    return { why: `${counts}: write one for each, with ; between them, as in: ${EXAMPLE.several}` };
  }
  const answers: Record<string, string> = {};
  for (const [at, one] of questions.entries()) {
    const answer = answerIn(one, (parts[at] ?? '').trim());
    if (typeof answer !== 'string') return { why: `question ${at + 1} ${answer.why}` };
    answers[one.question] = answer;
  }
  return { answers };
}

/** null = quotes that do not close. */
function partsOf(text: string): readonly string[] | null {
  const parts: string[] = [];
  for (let at = 0; at <= text.length; at += 1) {
    PART.lastIndex = at;
    const [part = ''] = PART.exec(text) ?? [];
    parts.push(part.trim());
    at += part.length;
    if (at < text.length && text[at] !== ';') return null;
  }
  return parts;
}

function answerIn({ options, multiSelect }: Question, text: string): string | { readonly why: string } {
  const own = QUOTED.exec(text)?.[1]?.trim();
  if (own === '' || text === '') return { why: 'has no answer in your text' };
  if (own !== undefined) return own;
  const isLabel = options.some(({ label }) => label === text);
  if (!NUMBERS.test(text)) {
    const why = `has no option ${JSON.stringify(text)}: write the number of an option, or your own words in quotes`;
    return isLabel ? text : { why };
  }
  const numbers = text.split(',').map(Number);
  const missing = numbers.find((one) => options[one - 1] === undefined);
  if (missing !== undefined)
    return { why: `has no option ${missing}: it has ${options.length}; write a number of your own in quotes` };
  // A list such as "1,3" may be a name too.
  const isOther = (name: string): boolean =>
    options.some(({ label }) => label === name) && options[Number(name) - 1]?.label !== name;
  const other = [text, ...numbers.map(String)].find(isOther);
  if (other !== undefined)
    return { why: `has another option that is called ${other}: write that name in quotes, or choose in the pane` };
  if (numbers.length > 1 && !multiSelect) return { why: 'takes one option' };
  return [...new Set(numbers)].flatMap((one) => options[one - 1]?.label ?? []).join(', ');
}
