/** Finds the question that a person types: by its number in the list, its id, its session, or its number in a message on a channel. */
import { askName } from '../../../machines/channels/answers.ts';
import { Onlooker } from '../../overview/onlooker.ts';
import { note } from '../../terminal/print.ts';
import type { Context } from '../context.ts';
import { alertsSeen } from '../asking/post.ts';
import { find, numberOf, resolve, type Candidate } from '../naming/resolve.ts';
import { alertNumber, MANY_DIGITS } from './asking.ts';
import { everyQuestion, gatesLast, isOfMany, wholeNumber, type PersonsQuestion } from './questions.ts';

const KIND = { what: 'open question', list: 'town questions', code: 'unknown_question' };

const candidate = (value: PersonsQuestion): Candidate<PersonsQuestion> => {
  const { id, session } = value;
  const least = isOfMany(value) ? MANY_DIGITS : 0;
  return { id, number: wholeNumber(value), least, session, isOpen: true, at: Date.parse(value.since), value };
};

/** By its other names. */
const others = (value: PersonsQuestion): Candidate<PersonsQuestion>[] =>
  value.names.map((id) => ({ ...candidate(value), id, number: numberOf(id), session: null }));

/**
 * By its own id or number, or by that of an alert that tells of it; undefined = none. `toAnswer`: a few digits of the alert about a dialog
 * do not name the dialog, which may be the next one by then. Throws Failure (2) for more than one.
 */
export function findIn(all: readonly PersonsQuestion[], word: string, toAnswer: boolean): PersonsQuestion | undefined {
  const byAlert = new Map(gatesLast(all).flatMap((one) => one.alerts.map((id) => [id, one] as const)));
  const told = [...byAlert].map(([episode, one]) => {
    const least = toAnswer && one.kind === 'dialog' ? MANY_DIGITS : 0;
    return { ...candidate(one), id: episode, number: alertNumber({ episode, since: one.since }), least };
  });
  return find(word, [...all.flatMap((one) => [candidate(one), ...others(one)]), ...told], KIND);
}

/**
 * The question that messages on channels name so, as in `q317`: that very one, as it is open now. null = no message does. Throws Failure
 * (2) once it is over, and where a session with another question has that name.
 */
export async function questionOffered(context: Context, word: string): Promise<PersonsQuestion | null> {
  if (!/^q\d+$/i.test(word)) return null;
  const { asksOnFile } = await import('../../../state/channels/asks.ts');
  const disk = await context.disk();
  const asks = await asksOnFile({ disk, quarantine: new Onlooker(disk, note) });
  const ask = asks.find(({ number }) => askName(number) === word.toLowerCase());
  if (ask === undefined) return null;
  const meant = (await everyQuestion(context)).filter(
    ({ id, names, session }) => [id, ...names].includes(ask.dialog) || session === word,
  );
  return resolve(
    word,
    meant.map((one) => ({ ...candidate(one), session: word })),
    KIND,
  );
}

/** On record most are found without the town's look. */
const openCalled = async (context: Context, word: string, toAnswer: boolean): Promise<PersonsQuestion | undefined> =>
  findIn(await everyQuestion(context), word, toAnswer) ??
  findIn(await everyQuestion(context, await alertsSeen(context)), word, toAnswer);

/** To look at it or acknowledge it: as `findIn`, in all that is open now. */
export const findQuestion = async (context: Context, word: string): Promise<PersonsQuestion | undefined> =>
  (await questionOffered(context, word)) ?? (await openCalled(context, word, false));

/** To answer it: as `findIn`; throws Failure (2) for none. */
export async function questionCalled(context: Context, word: string): Promise<PersonsQuestion> {
  const found = (await questionOffered(context, word)) ?? (await openCalled(context, word, true));
  return found ?? resolve(word, [], KIND);
}
