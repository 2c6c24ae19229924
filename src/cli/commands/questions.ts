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

/** What a dialog shows, and what of it is left to its pane. */
function dialogLines({ dialog }: PersonsQuestion, indent: string): string[] {
  if (dialog === undefined) return [];
  const { shows, withheld } = dialog;
  const only = withheld.map((label) => JSON.stringify(clean(label))).join(', ');
  return [
    ...shows.map((row) => `${indent}  | ${clean(row)}`),
    ...(withheld.length === 0 ? [] : [`${indent}only in its pane: ${only}`]),
  ];
}

export function questionText(question: PersonsQuestion): string {
  const { number: written, since, text, options, type } = question;
  const number = clean(written);
  const indent = number.length + 2;
  const width = Math.max(...options.map((one) => wordOf(one).length));
  const choices = options.map((one) => {
    return `${' '.repeat(indent)}town answer ${number} ${wordOf(one).padEnd(width)}  ${clean(one.does)}`;
  });
  const age = span(Math.max(0, Date.now() - Date.parse(since)));
  const shown = dialogLines(question, ' '.repeat(indent));
  return [`${number}  ${clean(text)} (for ${age})`, ...shown, ...choices, ...commandLines(type, indent)].join('\n');
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

export async function answerQuestion(context: Context, word: string, choice: string, text: string[]): Promise<void> {
  context.existing();
  await mustBeOperator(context, 'town answer');
  await choose(context, await questionCalled(context, word), choice, text);
}

/** Carries out the option that the person chose. The agent of a case gets `text`. Throws Failure (1, 2, 3, 5). */
export async function choose(
  context: Context,
  question: PersonsQuestion,
  choice: string,
  text: readonly string[],
): Promise<void> {
  const option = optionCalled(question, choice);
  const note = text.join(' ');
  if (option.needsText === true && note === '') {
    const lacks = `${option.word} needs a text: town answer ${question.number} ${option.word} "do it like this"`;
    throw new Failure(EXIT.usage, 'no_text', lacks);
  }
  if (note !== '' && question.kind !== 'case') {
    throw new Failure(EXIT.usage, 'unused_text', `${option.word} takes no text: leave ${quoteName(note)} out`);
  }
  if (option.label !== undefined) return answerDialog(context, question, option);
  await carryOut(context, question, option, note);
}

function optionCalled({ number, options }: PersonsQuestion, choice: string): Option {
  const found = options.find(({ word }) => word.toLowerCase() === choice.toLowerCase());
  if (found !== undefined) return found;
  const offered = options.map(({ word }) => word).join(', ');
  const text = `question ${number} has no option ${quoteName(choice)}; it has ${offered}`;
  throw new Failure(EXIT.usage, 'not_offered', text);
}

/** The running town looks again, and presses the key that the dialog itself offers. Throws Failure (1, 3). */
async function answerDialog(
  context: Context,
  { id, session, dialog }: PersonsQuestion,
  { label }: Option,
): Promise<void> {
  const [name, question, option] = [session ?? '', dialog?.question ?? '', label ?? ''];
  const value = await context.request({ verb: 'answer', name, dialog: id, question, option });
  const { then } = value as { readonly then: string };
  context.answer(
    'dialog-answered',
    value,
    `${name} was answered with ${JSON.stringify(clean(option))}; ${clean(then)}`,
  );
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
