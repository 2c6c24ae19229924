/**
 * Defines a kind of journal line: its fields, its sentence, and its chapter of `town why`. Each subsystem lists its own
 * kinds, with the facts and orders that lead to them; writers and readers of lines get their types from here.
 * 1. Nothing is parsed on the way out: a line's bytes are those that its writer gave.
 * 2. A line of an older town or of a stranger is read as its kind: missing or odd fields are shown as they are or left
 *    out, and never hide the line. So a kind may hold more tomorrow.
 * 3. Words come out without what steers a terminal.
 */
import { z } from 'zod';
import type { News, Order, Outcome, SavedRecord, WallMs } from '../../machines/protocol.ts';
import type { WrittenLine } from '../../state/journal.ts';
import { clean } from '../terminal/print.ts';
import type { Correlation } from './correlation.ts';

/** Anything, to be shown. */
export function asWords(value: unknown): string {
  if (value === undefined) return 'nothing';
  return clean(typeof value === 'string' ? value : JSON.stringify(value));
}

const plain = z.string().transform((text) => clean(text));
/** Words to show, from any value. */
export const words = plain.catch(({ value }) => asWords(value));
/** Words that may be missing. */
export const name = plain.nullish().catch(undefined);
export const amount = z.number().catch(NaN);
export const count = z.number().optional().catch(undefined);
export const flag = z.boolean().optional().catch(undefined);
export const list = z.array(z.unknown()).readonly().catch([]);
export const names = z.array(plain).readonly().catch([]);

/** Possible subjects of every line. */
const ABOUT = { session: name, dance: name, check: name, warrant: name, episode: name };

/** Its place in a story. */
interface Place {
  /** The chapter of lines that name no hearing, check or episode: a life, or a nudge; absent = it is one by itself. */
  readonly chapter?: 'life' | 'nudge';
  /** The next line of the chapter begins another. */
  readonly ends?: true;
}

export interface Kind<Held> extends Place {
  readonly read: (line: WrittenLine) => Held;
  readonly tell: (line: WrittenLine) => string;
}
export type Kinds = Readonly<Record<string, Kind<unknown>>>;
type Held<Fields extends z.ZodRawShape> = z.output<z.ZodObject<typeof ABOUT & Fields>>;

export function kind<Fields extends z.ZodRawShape>(
  fields: Fields,
  sentence: (line: Held<Fields>) => string,
  place: Place = {},
): Kind<Held<Fields>> {
  const schema = z.object({ ...ABOUT, ...fields });
  const read = (line: WrittenLine): Held<Fields> => schema.parse(line);
  return { read, tell: (line) => sentence(read(line)), ...place };
}

/** What lines of these kinds hold, by their name. */
export type HeldBy<All extends Kinds> = {
  [Name in keyof All & string]: { readonly kind: Name } & (All[Name] extends Kind<infer Of> ? Of : never);
}[keyof All & string];
/** A line to be written; `at` only where it is not the time of its step. */
export type Draft<All extends Kinds> = HeldBy<All> & { readonly at?: WallMs };

type Fact = News | Outcome;
type Say<From, Told> = (from: From, seen: Correlation) => Told | readonly Told[] | null;
type Of<All extends Record<Key, string>, Key extends string, Told> = {
  readonly [Name in All[Key]]?: Say<Extract<All, Record<Key, Name>>, Told>;
};
/** What a subsystem tells: its kinds, and which facts, records and orders leave a line of them. */
export interface Story<All extends Kinds> {
  readonly kinds: All;
  readonly facts?: Of<Fact, 'type', Draft<All>>;
  readonly records?: Of<SavedRecord, 'kind', Draft<All>>;
  readonly orders?: Of<Order, 'type', Draft<All>>;
}

/** The words of a table for this; `otherwise` for what it does not hold. */
export const wordsFor = (table: Readonly<Record<string, string>>, key: string, otherwise: string): string =>
  (Object.hasOwn(table, key) ? table[key] : undefined) ?? otherwise;
/** `: because of this`, where a line says why. */
export const because = (text: string | null | undefined): string =>
  typeof text === 'string' && text !== '' ? `: ${text}` : '';
