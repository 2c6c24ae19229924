/** Finds the question that a person types: by its number in the list, its id, its session, or its number in a message on a channel. */
import { askName } from '../../../machines/channels/answers.ts';
import { Onlooker } from '../../overview/onlooker.ts';
import type { OpenAlert } from '../../overview/open-alerts.ts';
import { note } from '../../terminal/print.ts';
import type { Context } from '../context.ts';
import { alertsOnRecord, alertsSeen } from '../asking/post.ts';
import { find, numberOf, resolve, type Candidate } from '../naming/resolve.ts';
import { alertNumber, MANY_DIGITS } from './asking.ts';
import { everyQuestion, gatesLast, isOfMany, wholeNumber } from './questions.ts';
import type { PersonsQuestion } from './question.ts';

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
  const meant = (await everyQuestion(context, null, ask.dialog)).filter(
    ({ id, names, session }) => [id, ...names].includes(ask.dialog) || session === word,
  );
  return resolve(
    word,
    meant.map((one) => ({ ...candidate(one), session: word })),
    KIND,
  );
}

interface Looked {
  readonly found: PersonsQuestion | undefined;
  readonly all: readonly PersonsQuestion[];
}

/**
 * On record most are found without the town's look, and agents are asked again only where that has more: one that hangs takes its time.
 * `about`: as in `dialogsOf`.
 */
export async function lookFor(
  context: Context,
  findAmong: (all: readonly PersonsQuestion[]) => PersonsQuestion | undefined,
  about?: string,
): Promise<Looked> {
  const onRecord = await alertsOnRecord(context);
  const all = await everyQuestion(context, onRecord, about);
  const found = findAmong(all);
  if (found !== undefined) return { found, all };
  const seen = await alertsSeen(context);
  if (seen === null) return { found, all };
  if (!hasNews(seen, onRecord)) return { found, all: all.filter((one) => !isPast(one, seen)) };
  const more = await everyQuestion(context, seen, about);
  return { found: findAmong(more), all: more };
}

/** An alert that the other list lacks, or that is about another question there. */
export const hasNews = (seen: readonly Told[], onRecord: readonly Told[]): boolean =>
  seen.some(({ episode, question }) => !onRecord.some((one) => one.episode === episode && one.question === question));
type Told = Pick<OpenAlert, 'episode' | 'question'>;

/** It could not be read here, and the town saw its end. */
const isPast = ({ isUnseen, alerts }: PersonsQuestion, seen: readonly Told[]): boolean =>
  isUnseen === true && !alerts.some((episode) => seen.some((one) => one.episode === episode));

const openCalled = async (context: Context, word: string, toAnswer: boolean): Promise<PersonsQuestion | undefined> =>
  (await lookFor(context, (all) => findIn(all, word, toAnswer))).found;

/** To look at it or acknowledge it: as `findIn`, in all that is open now. */
export const findQuestion = async (context: Context, word: string): Promise<PersonsQuestion | undefined> =>
  (await questionOffered(context, word)) ?? (await openCalled(context, word, false));

/** To answer it: as `findIn`; throws Failure (2) for none. */
export async function questionCalled(context: Context, word: string): Promise<PersonsQuestion> {
  const found = (await questionOffered(context, word)) ?? (await openCalled(context, word, true));
  return found ?? resolve(word, [], KIND);
}
