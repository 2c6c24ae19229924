/** `town questions`, `town answer`: what waits for a person, and the person's choice. Both work with the town down. */
import { createInterface } from 'node:readline';
import { EXIT, Failure, type ExitCode } from '../../terminal/failure.ts';
import { clean, complain } from '../../terminal/print.ts';
import { print } from '../../terminal/streams.ts';
import { span } from '../../../machines/kernel/span.ts';
import type { Context } from '../context.ts';
import { mustBeOperator } from '../naming/caller.ts';
import { quoteName } from '../naming/names.ts';
import { commandLines } from '../story/asking.ts';
import { questionCalled } from '../story/find-question.ts';
import type { Option, PersonsQuestion } from '../story/question.ts';
import { questionsOf, wordOf } from '../story/questions.ts';
import { noQuestions } from './home.ts';

/** What a dialog shows, and what of it is left to its pane. */
function dialogLines({ dialog }: PersonsQuestion, indent: string): string[] {
  if (dialog === undefined) return [];
  const { shows, withheld, rule, unruled } = dialog;
  const only = withheld.map((label) => JSON.stringify(clean(label))).join(', ');
  return [
    ...shows.map((row) => `${indent}  | ${clean(row)}`),
    ...(withheld.length === 0 ? [] : [`${indent}only in its pane: ${only}`]),
    ...(rule === null ? [] : [`${indent}answered without you: ${rule}`]),
    ...(unruled === null ? [] : [`${indent}left to you: ${unruled}`]),
  ];
}

export function questionText(question: PersonsQuestion): string {
  const { number: written, since, text, options, type, isAcked } = question;
  const number = clean(written);
  const indent = number.length + 2;
  const width = Math.max(...options.map((one) => wordOf(one).length));
  const choices = options.map((one) => {
    return `${' '.repeat(indent)}town answer ${number} ${wordOf(one).padEnd(width)}  ${clean(one.does)}`;
  });
  const age = span(Math.max(0, Date.now() - Date.parse(since)));
  const shown = dialogLines(question, ' '.repeat(indent));
  return [
    `${number}  ${clean(text)} (for ${age}${isAcked ? ', acknowledged' : ''})`,
    ...shown,
    ...choices,
    ...commandLines(type, indent),
  ].join('\n');
}

export async function listQuestions(
  context: Context,
  { answer = false }: { readonly answer?: boolean } = {},
): Promise<ExitCode> {
  context.existing();
  // It names the letters in the operator's mailbox.
  await mustBeOperator(context, 'town questions');
  if (answer && context.json) {
    const text =
      '--answer is for a person; a program lists with `town ask list --json` and answers with `town ask answer`';
    throw new Failure(EXIT.usage, 'for_people', text);
  }
  const shown = await showQuestions(context);
  return answer ? answerLines(context, shown) : EXIT.done;
}

async function showQuestions(context: Context): Promise<readonly PersonsQuestion[]> {
  const questions = await questionsOf(context);
  const none = questions.length === 0 ? await noQuestions(context) : '';
  context.answer('questions', questions, () => (questions.length === 0 ? none : questions.map(questionText)));
  return questions;
}

const PROMPT = '\nnumber and option (nothing = leave): ';

/** An answer a line, until an empty one; a wrong one is told, and the next may be right. At the end of the input it comes to the last. */
async function answerLines(context: Context, first: readonly PersonsQuestion[]): Promise<ExitCode> {
  let shown = first;
  let exit: ExitCode = EXIT.done;
  print(PROMPT);
  // What has ended says so no second time.
  if (process.stdin.readableEnded || process.stdin.destroyed) return exit;
  for await (const line of createInterface({ input: process.stdin })) {
    const [, number = '', option = '', text = ''] = /^\s*(\S*)\s*(\S*)\s*(.*?)\s*$/.exec(line) ?? [];
    if (number === '') {
      // Else the process would wait for another line of the terminal.
      process.stdin.unref();
      return EXIT.done;
    }
    exit = await answered(context, shown, number, option, text === '' ? [] : [text]).catch((error: unknown) =>
      complain(error, false),
    );
    print('\n');
    shown = await showQuestions(context);
    print(PROMPT);
  }
  return exit;
}

/** A dialog as its person sees it: the town looks at it again itself, so that this command need not read all screens once more. */
const dialogIn = (shown: readonly PersonsQuestion[], number: string, choice: string): PersonsQuestion | undefined =>
  shown.find((one) => one.number === number && one.options.some(({ word, label }) => word === choice && label));

async function answered(
  context: Context,
  shown: readonly PersonsQuestion[],
  number: string,
  option: string,
  text: string[],
): Promise<ExitCode> {
  if (option === '')
    throw new Failure(EXIT.usage, 'no_option', `write an option behind the number, as in: ${number} seen`);
  const question = dialogIn(shown, number, option) ?? (await questionCalled(context, number));
  await choose(context, question, option, text);
  return EXIT.done;
}

export async function answerQuestion(context: Context, word: string, choice: string, text: string[]): Promise<void> {
  context.existing();
  await mustBeOperator(context, 'town answer');
  await choose(context, await questionCalled(context, word), choice, text);
}

/** Who answers over MCP. */
export const PROGRAM = 'MCP';

/** Throws Failure (5): no program ends an agent or trusts for a person. */
function mustBePersons({ number }: PersonsQuestion, { word, isGrave }: Option, by: string): void {
  if (isGrave !== true || by !== PROGRAM) return;
  const text = `${word} is for a person: town answer ${number} ${word}, or a channel whose [[may_answer]] names that word`;
  throw new Failure(EXIT.refused, 'for_a_person', text);
}

/** Carries out the option that the person chose, and puts it on record. `by`: the caller of a channel. The agent of a case, or the author of a letter, gets `text`. Throws Failure (1, 2, 3, 5). */
export async function choose(
  context: Context,
  question: PersonsQuestion,
  choice: string,
  text: readonly string[],
  by = 'operator',
): Promise<void> {
  mustBeUnseen(question, choice);
  const option = optionCalled(question, choice);
  const note = text.join(' ');
  if (option.needsText === true && note === '') {
    const lacks = `${option.word} needs a text: town answer ${question.number} ${option.word} "do it like this"`;
    throw new Failure(EXIT.usage, 'no_text', lacks);
  }
  if (note !== '' && !takesText(question, option)) {
    throw new Failure(EXIT.usage, 'unused_text', `${option.word} takes no text: leave ${quoteName(note)} out`);
  }
  mustBePersons(question, option, by);
  if (option.label !== undefined) return answerDialog(context, question, option, note);
  // What a dialog was answered stands in the journal by itself.
  const { id, kind, session, text: asked } = question;
  const { carryOutOnRecord } = await import('../asking/record.ts');
  const answer = { by, question: id, kind, session, text: asked, option: option.word };
  await carryOutOnRecord(context, answer, () => carryOut(context, question, option, note));
}

/** Whether a text behind the option reaches anyone. */
export const takesText = ({ kind }: Pick<PersonsQuestion, 'kind'>, { needsText = false }: Option): boolean =>
  needsText || kind === 'case';

/** Throws Failure (3): what was acknowledged is acknowledged once. */
function mustBeUnseen({ number, isAcked }: PersonsQuestion, choice: string): void {
  if (!isAcked || choice.toLowerCase() !== 'seen') return;
  const text = `question ${number} was acknowledged before; it stays in the list until its cause is over`;
  throw new Failure(EXIT.notRunning, 'over', text);
}

function optionCalled({ number, options }: PersonsQuestion, choice: string): Option {
  const found = options.find(({ word }) => word.toLowerCase() === choice.toLowerCase());
  if (found !== undefined) return found;
  const offered = options.map(({ word }) => word).join(', ') || 'none';
  const text = `question ${number} has no option ${quoteName(choice)}; it has ${offered}`;
  throw new Failure(EXIT.usage, 'not_offered', text);
}

/** The running town looks again, and presses the key that the dialog itself offers. Throws Failure (1, 3). */
async function answerDialog(
  context: Context,
  { session, dialog }: PersonsQuestion,
  { label }: Option,
  text: string,
): Promise<void> {
  const { id = '', question = '' } = dialog ?? {};
  const [name, option] = [session ?? '', label ?? ''];
  const own = text === '' ? {} : { text };
  const value = await context.request({ verb: 'answer', name, dialog: id, question, option, ...own });
  const { then } = value as { readonly then: string };
  context.answer(
    'dialog-answered',
    value,
    `${name} was answered with ${JSON.stringify(clean(text === '' ? option : text))}; ${clean(then)}`,
  );
}

async function carryOut(
  context: Context,
  { kind, id }: PersonsQuestion,
  { word }: Option,
  note: string,
): Promise<unknown> {
  if (kind === 'case') return (await import('./triage.ts')).resolve(context, id, word, { note });
  if (kind === 'letter' && word === 'reply') return (await import('./mail.ts')).reply(context, id, note);
  if (kind === 'alert' && word === 'go') return (await import('./decide.ts')).goOnAfterCopy(context);
  if (kind === 'alert' && word !== 'seen') return (await import('./decide.ts')).decide(context, id, word);
  if (word === 'seen') return (await import('./ack.ts')).see(context, id);
  return (await import('./bead-changes.ts')).closeAll(context, [id], { reason: 'Decided by the operator' });
}
