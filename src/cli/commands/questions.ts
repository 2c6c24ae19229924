/** `town questions`, `town answer`: what waits for a person, and the person's choice. Both work with the town down. */
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean } from '../../terminal/print.ts';
import { span } from '../../../machines/kernel/span.ts';
import type { Context } from '../context.ts';
import { mustBeOperator } from '../naming/caller.ts';
import { quoteName } from '../naming/names.ts';
import { commandLines } from '../story/asking.ts';
import { questionCalled, questionsOf, type Option, type PersonsQuestion } from '../story/questions.ts';

const wordOf = ({ word, needsText }: Option): string => (needsText === true ? `${word} "…"` : word);

function questionText({ number: written, since, text, options, type }: PersonsQuestion): string {
  const number = clean(written);
  const indent = number.length + 2;
  const width = Math.max(...options.map((one) => wordOf(one).length));
  const choices = options.map((one) => {
    return `${' '.repeat(indent)}town answer ${number} ${wordOf(one).padEnd(width)}  ${one.does}`;
  });
  const age = span(Math.max(0, Date.now() - Date.parse(since)));
  return [`${number}  ${clean(text)} (for ${age})`, ...choices, ...commandLines(type, indent)].join('\n');
}

export async function listQuestions(context: Context): Promise<void> {
  context.existing();
  // It names the letters in the operator's mailbox.
  await mustBeOperator(context, 'town questions');
  const questions = await questionsOf(context);
  context.answer('questions', questions, () =>
    questions.length === 0 ? 'nothing asks you anything' : questions.map(questionText),
  );
}

/** Carries out the option that the person chose. The agent of a case gets `text`. Throws Failure (1, 2, 5). */
export async function answerQuestion(context: Context, word: string, choice: string, text: string[]): Promise<void> {
  context.existing();
  await mustBeOperator(context, 'town answer');
  const question = await questionCalled(context, word);
  const option = optionCalled(question, choice);
  const note = text.join(' ');
  if (option.needsText === true && note === '') {
    const lacks = `${option.word} needs a text: town answer ${question.number} ${option.word} "do it like this"`;
    throw new Failure(EXIT.usage, 'no_text', lacks);
  }
  if (note !== '' && question.kind !== 'case') {
    throw new Failure(EXIT.usage, 'unused_text', `${option.word} takes no text: leave ${quoteName(note)} out`);
  }
  await carryOut(context, question, option, note);
}

function optionCalled({ number, options }: PersonsQuestion, choice: string): Option {
  const found = options.find(({ word }) => word.toLowerCase() === choice.toLowerCase());
  if (found !== undefined) return found;
  const offered = options.map(({ word }) => word).join(', ');
  const text = `question ${number} has no option ${quoteName(choice)}; it has ${offered}`;
  throw new Failure(EXIT.usage, 'not_offered', text);
}

async function carryOut(
  context: Context,
  { kind, id }: PersonsQuestion,
  { word }: Option,
  note: string,
): Promise<void> {
  if (kind === 'case') return (await import('./triage.ts')).resolve(context, id, word, { note });
  if (word === 'seen') return (await import('./ack.ts')).ack(context, id);
  return (await import('./bead-changes.ts')).closeAll(context, [id], { reason: 'Decided by the operator' });
}
