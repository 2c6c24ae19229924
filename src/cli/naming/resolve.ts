/**
 * What a person types for a thing that has an id: the id, a beginning of it, the end of its number, or the session it
 * is about.
 * 1. A whole id means itself, even if others begin with it. Two that fit are named and nothing is done: never a guess.
 * 2. A number belongs to the thing, not to its place in a list, so that it means no other one when the list changes.
 * 3. What acts on a session takes a beginning, or an agent's bare name, only from a person at a terminal: a script's or
 *    an agent's `gt-foo`, once that is gone, is not `gt-foobar`, and its `witness` is no rig's.
 */
import { hash32 } from '../../../machines/kernel/seeded-random.ts';
import { terminal } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { checkName, quoteName } from './names.ts';
import { callerToken } from '../../socket/caller-token.ts';

export interface Candidate<T> {
  readonly id: string;
  /** Its digits, of which the last are enough; empty = it has none. */
  readonly number: string;
  /** So many of them are needed; absent = any few. */
  readonly least?: number;
  /** The session that may be named instead; null = none. */
  readonly session: string | null;
  readonly isOpen: boolean;
  /** When it began, in wall ms: of what is over, a session's name means the latest. */
  readonly at: number;
  readonly value: T;
}

/** The kind of thing that a word should name, as in `there is no warrant "x"; see …`. */
export interface Kind {
  readonly what: string;
  /** The command that lists them. */
  readonly list: string;
  /** The error code for programs when nothing fits. */
  readonly code: string;
}

/** Candidates that are named when more than one fits. */
const NAMED = 4;
/** Fewer digits would soon be another's too. */
const MIN_DIGITS = 3;
const TIME = /\d{6,}/g;

const HASH_DIGITS = 10;

/** The digits of an id that holds a time, such as `dog-1763905393123`; else ten digits that are made of the id alone. A hash beside the time may hold fewer. */
export const numberOf = (id: string): string =>
  id.match(TIME)?.reduce((best, one) => (one.length > best.length ? one : best)) ?? hashedNumber(id);

/** Ten digits that are made of all of the id. */
export const hashedNumber = (id: string): string => String(hash32(id)).padStart(HASH_DIGITS, '0');

/** The shortest last digits of each that no other one has, for a list; its id where another has all of them. */
export function shortNumbers(
  all: readonly Pick<Candidate<unknown>, 'id' | 'number'>[],
  least = MIN_DIGITS,
): (id: string) => string {
  const numbers = new Map(all.map(({ id, number }) => [id, number]));
  /** How many end so, by how many digits are compared: made as they are asked for. */
  const ends = new Map<number, ReadonlyMap<string, number>>();
  const countOf = (end: string): number => {
    const known = ends.get(end.length) ?? countedEnds([...numbers.values()], end.length);
    ends.set(end.length, known);
    return known.get(end) ?? 0;
  };
  return (id) => {
    const number = numbers.get(id) ?? '';
    for (let digits = least; digits <= number.length; digits++) {
      const end = number.slice(-digits);
      if (countOf(end) === 1) return end;
    }
    return id;
  };
}

function countedEnds(numbers: readonly string[], digits: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const number of numbers) {
    if (number.length < digits) continue;
    const end = number.slice(-digits);
    counts.set(end, (counts.get(end) ?? 0) + 1);
  }
  return counts;
}

/** The open ones, else the latest. */
function ofSession<T>(all: readonly Candidate<T>[]): readonly Candidate<T>[] {
  const open = all.filter(({ isOpen }) => isOpen);
  return open.length > 0 ? open : all.toSorted((one, other) => other.at - one.at).slice(0, 1);
}

/** The first candidate of each value, which may have several names. */
function oncePerValue<T>(all: readonly Candidate<T>[]): readonly Candidate<T>[] {
  const first = new Map<T, Candidate<T>>();
  for (const one of all) if (!first.has(one.value)) first.set(one.value, one);
  return [...first.values()];
}

/** The candidates that a word means, one of each value; more than one = it is not clear. */
export const candidatesFor = <T>(word: string, all: readonly Candidate<T>[]): readonly Candidate<T>[] =>
  oncePerValue(fitting(word, all));

function fitting<T>(word: string, all: readonly Candidate<T>[]): readonly Candidate<T>[] {
  if (word === '') return [];
  const whole = all.find(({ id }) => id === word);
  if (whole !== undefined) return [whole];
  const named = all.filter(({ session }) => session === word);
  if (named.length > 0) return ofSession(named);
  const isNumber = /^\d+$/.test(word);
  const isEnd = ({ number, least = 0 }: Candidate<T>): boolean => word.length >= least && number.endsWith(word);
  const begun = all.filter((one) => one.id.startsWith(word) || (isNumber && isEnd(one)));
  if (begun.length > 0) return begun;
  const sessions = all.filter(({ session }) => session?.startsWith(word) === true);
  return new Set(sessions.map(({ session }) => session)).size > 1 ? sessions : ofSession(sessions);
}

function unclear(
  word: string,
  { what, list }: Kind,
  all: readonly Pick<Candidate<unknown>, 'id' | 'session'>[],
): Failure {
  const named = all
    .slice(0, NAMED)
    .map(({ id, session }) => (session === null || id.includes(session) ? id : `${id} (${session})`));
  const more = all.length > NAMED ? `, and ${all.length - NAMED} more` : '';
  const text = `${quoteName(word)} may be any ${what} of ${named.join(', ')}${more}; write more of it, or see \`${list}\``;
  return new Failure(EXIT.usage, 'ambiguous', text);
}

/** The one that a word means; undefined = none. Throws Failure (2) for more than one. */
export function find<T>(word: string, all: readonly Candidate<T>[], kind: Kind): T | undefined {
  const found = candidatesFor(word, all);
  if (found.length > 1) throw unclear(word, kind, found);
  return found[0]?.value;
}

/** Finds like `find`; throws Failure (2) too where nothing fits: for all that is not known, as for a session. */
export function resolve<T>(word: string, all: readonly Candidate<T>[], kind: Kind): T {
  const found = find(word, all, kind);
  if (found !== undefined) return found;
  throw new Failure(EXIT.usage, kind.code, `there is no ${kind.what} ${quoteName(word)}; see \`${kind.list}\``);
}

export const SESSION: Kind = { what: 'session', list: 'town session list', code: 'unknown_session' };

/** Sessions as candidates; their number is the one that their name ends with. */
export const sessionsNamed = (names: readonly string[]): readonly Candidate<string>[] =>
  names.map((id) => {
    return { id, number: /\d*$/.exec(id)?.[0] ?? '', session: null, isOpen: true, at: 0, value: id };
  });

/** The session that is meant; a name without a record is returned as it is. Throws Failure (2). */
export async function sessionCalled(context: Context, called: string): Promise<string> {
  const { sessionNamed } = await import('./agents.ts');
  const word = await sessionNamed(context, called);
  const { readSessions } = await import('../../overview/records.ts');
  const disk = await context.disk();
  const names = (await readSessions(disk)).found.map(({ value }) => value.spec.name);
  const found = find(word, sessionsNamed(names), SESSION) ?? word;
  if (found === word) return word;
  const { seeTmux } = await import('../../overview/scene.ts');
  const { sessions } = await seeTmux(await context.settings(), disk);
  return sessions.some(({ name }) => name === word) ? word : found;
}

/** The session to act on; `exact`: a person writes its whole name too. Throws Failure (2). */
export async function sessionToAct(context: Context, word: string, exact = false): Promise<string> {
  const isPerson = context.isForPerson && process.stdin.isTTY && terminal() !== null && callerToken() === undefined;
  if (isPerson && !exact) return sessionCalled(context, word);
  if (!word.includes('/')) return checkName(word);
  const { sessionNamed } = await import('./agents.ts');
  return sessionNamed(context, word);
}
