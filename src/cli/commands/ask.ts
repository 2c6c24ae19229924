/**
 * `town ask list|show|answer`: the questions of `town questions`, in the shape that programs are promised. Exit 3: the
 * question is over; 5: another one stands there.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { EXIT, Failure } from '../../terminal/failure.ts';
import type { Context } from '../context.ts';
import { isOfSameLife, mayBeOf } from '../../screen/dialog.ts';
import { mustBeOperator } from '../naming/caller.ts';
import { quoteName } from '../naming/names.ts';
import { textIn } from '../naming/text-in.ts';
import { findIn, lookFor } from '../story/find-question.ts';
import type { PersonsQuestion } from '../story/question.ts';
import { questionsOf, withId } from '../story/questions.ts';
import { UNLOOKED } from '../policy.ts';
import { noQuestions } from './home.ts';
import { choose, questionText, takesText } from './questions.ts';

interface AskOption {
  readonly key: string;
  readonly label: string;
  readonly gives: string;
  /** A text behind it: `none` is taken, one may stand there, or one must. */
  readonly text: 'none' | 'may' | 'must';
  /** It gives more than the question shows, so that no channel offers it. */
  readonly for_desk: boolean;
  /** It ends an agent or outlasts its question, so that a channel offers it only where an entry of `[[may_answer]]` names its key. */
  readonly by_name: boolean;
}

/** One question, as `ask list --json` has it. */
export interface Ask {
  readonly id: string;
  readonly session: string | null;
  readonly kind: PersonsQuestion['kind'];
  readonly text: string;
  readonly options: readonly AskOption[];
  /** `request`: its program takes an answer by the id of its question; `keys`: read off its screen; `town`: the town's own. */
  readonly way: 'request' | 'keys' | 'town';
  /** The rule of town.toml that answers it, with its option; null = none does. */
  readonly rule: string | null;
  /** ISO. */
  readonly since: string;
  /** Episodes of the alerts that tell of it. */
  readonly alerts: readonly string[];
  /** A person has seen it, and its cause goes on. */
  readonly acknowledged: boolean;
  /** ISO: until then its program takes an answer this `way`. null = as long as it stands. */
  readonly expires_at: string | null;
}

function askOf(question: PersonsQuestion): Ask {
  const { id, session, kind, text, options, dialog, since, alerts, isAcked } = question;
  return {
    id,
    session,
    kind,
    text,
    options: options.map((option) => {
      const { word, label = word, does, needsText = false, isForDesk = false, isGrave = false } = option;
      const taken = needsText ? 'must' : takesText(question, option) ? 'may' : 'none';
      return { key: word, label, gives: does, text: taken, for_desk: isForDesk, by_name: isGrave };
    }),
    way: dialog?.way ?? 'town',
    rule: dialog?.rule ?? null,
    since,
    alerts,
    acknowledged: isAcked,
    expires_at: dialog?.expiresAt === undefined ? null : new Date(dialog.expiresAt).toISOString(),
  };
}

async function asksOf(context: Context, command: string): Promise<readonly PersonsQuestion[]> {
  context.existing();
  // It names the letters in the operator's mailbox.
  await mustBeOperator(context, command);
  return questionsOf(context);
}

export async function list(context: Context): Promise<void> {
  const questions = await asksOf(context, 'town ask list');
  const none = questions.length === 0 ? await noQuestions(context) : '';
  context.answer('asks', questions.map(askOf), () => (questions.length === 0 ? none : questions.map(questionText)));
}

const isOfDialog = (word: string): boolean => /^(?:dialog|request)-/.test(word);

/** Throws Failure: 3 for one that is over, 5 where an answer would meet the next one of its life, 1 where that cannot be seen. */
async function standing(context: Context, word: string, to: 'show' | 'answer'): Promise<PersonsQuestion> {
  context.existing();
  await mustBeOperator(context, `town ask ${to}`);
  const find = () => lookFor(context, (all) => withId(all, word), isOfDialog(word) ? word : undefined);
  const first = await find();
  if (first.found !== undefined) return first.found;
  const unlooked = isOfDialog(word) ? await unlookedAt(context, word) : [];
  // By now a town that started a moment ago has looked at its agents.
  const { found, all: questions } = isOfDialog(word) ? await find() : first;
  if (found !== undefined) return found;
  const called = findIn(questions, word, to === 'answer');
  if (called !== undefined && to === 'show') return called;
  if (called !== undefined) {
    const text = `a number may mean another question by the time an answer comes; write the whole id: town ask answer ${called.id}, or as a person: town answer ${called.number}`;
    throw new Failure(EXIT.usage, 'no_whole_id', text);
  }
  const another =
    to === 'show' ? undefined : questions.find(({ kind, id }) => kind === 'dialog' && isOfSameLife(id, word));
  if (another !== undefined) {
    const text = `${quoteName(word)} is over, and ${another.session} asks another question now; see \`town ask list\``;
    throw new Failure(EXIT.refused, 'another_question', text);
  }
  if (unlooked === null) {
    const text = `no town runs, so whether ${quoteName(word)} still stands is not known; start it: town up`;
    throw new Failure(EXIT.failed, 'unknown', text);
  }
  const unseen = isOfDialog(word) ? unseenOf(questions, word).map(({ session }) => session) : [];
  const unread = [...new Set([...unseen, ...unlooked])];
  if (unread.length > 0) {
    const text = `what ${unread.join(', ')} asks cannot be seen now, so ${quoteName(word)} may still stand; try again`;
    throw new Failure(EXIT.failed, 'unknown', text);
  }
  const text = `no question ${quoteName(word)} is open: it was answered, or its cause is over; see \`town ask list\``;
  throw new Failure(EXIT.notRunning, 'over', text);
}

/** Alerts about a dialog that cannot be read now, and that may be this one. */
const unseenOf = (questions: readonly PersonsQuestion[], word: string): PersonsQuestion[] =>
  questions.filter(
    ({ isUnseen, names }) => isUnseen === true && (names.length === 0 || names.some((one) => isOfSameLife(one, word))),
  );

/**
 * Sessions that may ask this, and at which the town has not looked since its start; null = no town runs. A town that started a moment
 * ago gets a little time for that look. Throws TownSilent.
 */
async function unlookedAt(context: Context, word: string): Promise<readonly string[] | null> {
  const { TownNotRunning } = await import('../../socket/client.ts');
  const end = performance.now() + UNLOOKED.waitMs;
  for (;;) {
    try {
      const { sessions } = await context.ask((town) => town.overview());
      const names = (sessions ?? [])
        .filter(({ unlooked, uuid }) => unlooked === true && mayBeOf(word, uuid))
        .map(({ name }) => name);
      if (names.length === 0 || performance.now() > end) return names;
    } catch (error) {
      if (error instanceof TownNotRunning) return null;
      // A town that starts answers once it has read its records.
      if (performance.now() > end) throw error;
    }
    await pause(UNLOOKED.everyMs);
  }
}

export async function show(context: Context, word: string): Promise<void> {
  const question = await standing(context, word, 'show');
  const { dialog, body } = question;
  const shows = dialog?.shows ?? (body === '' ? [] : body.split('\n'));
  context.answer('ask', { ...askOf(question), shows }, () => questionText(question));
}

export async function answer(
  context: Context,
  word: string,
  choice: string,
  text: string[],
  { file, by }: { readonly file?: string; readonly by?: string } = {},
): Promise<void> {
  const question = await standing(context, word, 'answer');
  await choose(context, question, choice, [textIn(text, file)], by);
}
