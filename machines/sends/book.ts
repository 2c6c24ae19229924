/** What is on record of work that was sent, and what follows for the next tries. Pure. */
import { hash32 } from '../kernel/seeded-random.ts';
import type { Instant, Send, SendEnd, SendReply } from '../protocol.ts';
import { SENDS } from './policy.ts';

/** Why the first one of a session was not typed at the last try. */
export interface Waits {
  readonly why: string;
  /** Since when something else than its agent's work keeps it; null = its agent works. */
  readonly since: Instant | null;
  /** That was long ago. */
  readonly isLate: boolean;
  /** Since when its program gives back this piece, by its id, at each try; null = the last try ended in another way. */
  readonly refused: { readonly id: string; readonly since: Instant } | null;
}

export interface SendsState {
  /** Oldest first. */
  readonly sends: readonly Send[];
  /** How earlier ones ended, oldest first. */
  readonly ended: readonly SendEnd[];
  /** By session: when the next try is due. One that is being tried is not due. */
  readonly due: Readonly<Record<string, Instant>>;
  /** By session: the id of the one that is being tried. */
  readonly typing: Readonly<Record<string, string>>;
  /** Ids of those that were typed just now: whether their program says that it began them is looked at. */
  readonly proving: readonly string[];
  /** By session: what came of the last try. */
  readonly waits: Readonly<Record<string, Waits>>;
  readonly rounds: number;
  /** There is a file of them. */
  readonly isKept: boolean;
  /** Why the file could not be read last; '' = it was read. */
  readonly unread: string;
  readonly wakeAt: Instant | null;
}
/** Those of a session that wait to be typed, in their order. */
export const waitingFor = (sends: readonly Send[], session: string): readonly Send[] =>
  sends.filter((one) => one.session === session && one.undone === undefined);

export const without = <T>(all: Readonly<Record<string, T>>, session: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => name !== session));

/** As it is with these on record: what is known of sessions for which none waits is forgotten. */
export function withSends(
  { due, waits }: Pick<SendsState, 'due' | 'waits'>,
  sends: readonly Send[],
): Partial<SendsState> {
  const ofThese = <T>(all: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(all).filter(([session]) => waitingFor(sends, session).length > 0));
  const left = ofThese(due);
  const times = Object.values(left);
  return { sends, due: left, waits: ofThese(waits), wakeAt: times.length === 0 ? null : Math.min(...times) };
}

/** What a request that comes again must have, too. */
export const workOf = ({ id, session, text }: Pick<Send, 'id' | 'session' | 'text'>): Omit<SendEnd, 'end'> => ({
  id,
  session,
  begins: text.slice(0, SENDS.endBegins),
  sum: hash32(text),
});

/** As it is when one has ended: off the record. */
export const endedAs = (context: SendsState, one: Send, end: SendEnd['end']): Partial<SendsState> => ({
  ...withSends(
    context,
    context.sends.filter((other) => other !== one),
  ),
  ended: [...context.ended, { ...workOf(one), end }].slice(-SENDS.endedKept),
});

/** As it is when these are never typed. */
export const asUndone = (context: SendsState, isMeant: (one: Send) => boolean, why: string): Partial<SendsState> =>
  withSends(
    context,
    context.sends.map((one) => (one.undone === undefined && isMeant(one) ? { ...one, undone: why } : one)),
  );

export function replyOf(
  { sends, ended, proving }: Pick<SendsState, 'sends' | 'ended' | 'proving'>,
  id: string,
): SendReply {
  const end = ended.find((one) => one.id === id)?.end ?? null;
  const undone = sends.find((one) => one.id === id)?.undone ?? null;
  return { id, ahead: aheadOf(sends, id), end, undone, ...(proving.includes(id) && { isProving: true }) };
}

/** A text as the town's answers show it; `…` at its end = it goes on. */
export const beginningOf = (text: string): string =>
  text.length > SENDS.shownChars ? `${text.slice(0, SENDS.shownChars)}…` : text;

/** How much of the same session is typed before it. */
function aheadOf(sends: readonly Send[], id: string): number {
  const one = sends.find((other) => other.id === id);
  return one === undefined ? 0 : Math.max(0, waitingFor(sends, one.session).indexOf(one));
}
