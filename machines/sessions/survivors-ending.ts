/**
 * Survivors are ended before a start (`[sessions] survivors = "end"`), as an execution ends its accused (D-10): listed and on
 * record, their work saved, listed anew, TERM, listed anew, KILL.
 * 1. A signal names exactly what the last look found, which its order's step puts on record first.
 * 2. What cannot be looked at, saved or signalled ends nothing and starts nobody beside it: a failed start, tried on and told.
 * 3. What outlives the last round is told like all survivors, and the start goes on: nobody stays down for ever (law 9).
 * 4. Nothing of this is on record but the list: a town that was killed meanwhile begins anew, which is harmless.
 */
import type { OutcomeBody, Remains, SessionRecord, Stamp } from '../protocol.ts';
import { NOT_LIVE, NOTHING, order, wakeOf, type SessionsState, type Ending, type Turn } from './state.ts';
import { endable, ENDING, endingId, recordSurvivors, LOOK, nextLook, startOrder, survivorsText } from './survivors.ts';
import { notStarted } from './start-outcomes.ts';

export const isEnding = (re: string): boolean => re.startsWith(ENDING);

/** Whose ending this order was a step of; null = nobody's any more. */
function endingOf(book: SessionsState, re: string): { readonly r: SessionRecord; readonly ending: Ending } | null {
  const [name, ending] = Object.entries(book.ending).find(([of, one]) => endingId(of, one) === re) ?? [];
  const r = name === undefined ? undefined : book.records[name];
  return r === undefined || ending === undefined || r.pending !== ending.pending ? null : { r, ending };
}

function without(book: SessionsState, name: string): SessionsState['ending'] {
  const { [name]: _, ...ending } = book.ending;
  return ending;
}

type Listed = OutcomeBody & { readonly type: 'SURVIVORS_LISTED' };

/** A look at survivors is back. */
export function survivorsListed(
  book: SessionsState,
  { of }: Listed,
  re: string,
  now: Stamp & { began?: number },
): Turn {
  const looked = recordSurvivors(book, of);
  const all = { ...book, ...looked };
  const ends = re === LOOK ? { book: { remainsAt: nextLook(all, now) }, orders: [] } : nextStep(all, re, now);
  const { records = all.records, live = all.live, remainsAt = all.remainsAt } = ends.book;
  const wakeAt = wakeOf({ ...all, records, live, remainsAt });
  return { book: { ...looked, ...ends.book, wakeAt }, orders: ends.orders };
}

/** What comes after a look: the work is saved, then TERM, then KILL, round by round; in the end the start. */
function nextStep(book: SessionsState, re: string, now: Stamp & { began?: number }): Turn {
  const of = endingOf(book, re);
  if (of === null || book.dance === undefined) return NOTHING;
  const { r, ending } = of;
  const { name } = r.spec;
  const { maxRounds, termGraceMs, killGraceMs } = book.dance;
  const roundsOf = ({ life }: Remains): number => ending.rounds[life.uuid] ?? 0;
  const one = endable(book, r).find((left) => left.survivors.length > 0 && roundsOf(left) < maxRounds);
  if (one === undefined)
    return { book: { ending: without(book, name) }, orders: [startOrder(r, book.live[name] ?? NOT_LIVE)] };
  const { life, survivors } = one;
  const isSaved = ending.saved.includes(life.uuid);
  const round = roundsOf(one);
  const next: Ending = {
    ...{ pending: ending.pending, step: ending.step + 1 },
    saved: isSaved ? ending.saved : [...ending.saved, life.uuid],
    rounds: isSaved ? { ...ending.rounds, [life.uuid]: round + 1 } : ending.rounds,
  };
  const lookedAt = now.began ?? now.at;
  const [signal, graceMs] = round === 0 ? (['TERM', termGraceMs] as const) : (['KILL', killGraceMs] as const);
  const body = isSaved
    ? ({ type: 'signal', target: life, signal, tree: survivors, graceMs, lookedAt } as const)
    : ({ type: 'rescue', target: life, dance: `life-${life.uuid}`, also: survivors } as const);
  const note = `ends before its start ${survivorsText([one])}`;
  return {
    book: { ending: { ...book.ending, [name]: next }, records: { ...book.records, [name]: { ...r, note } } },
    orders: [order(endingId(name, next), body)],
  };
}

/** Its work is saved, or a round of signals is over: who lives now? */
export function stepDone(book: SessionsState, re: string): Turn {
  const of = endingOf(book, re);
  if (of === null) return NOTHING;
  const { r, ending } = of;
  const { name } = r.spec;
  const next = { ...ending, step: ending.step + 1 };
  return {
    book: { ending: { ...book.ending, [name]: next } },
    orders: [order(endingId(name, next), { type: 'listSurvivors', of: endable(book, r) })],
  };
}

/** They could not be looked at, saved or signalled. */
export function endingFailed(book: SessionsState, re: string, why: string, now: Stamp): Turn {
  const of = endingOf(book, re);
  if (of === null) return NOTHING;
  const { name } = of.r.spec;
  const text = `what its earlier lives left running could not be ended: ${why}`;
  const failed = { type: 'SESSION_NOT_STARTED', why: text, taken: false } as const;
  const turn = notStarted(book, `sessions/start/${of.ending.pending}`, failed, now);
  return { ...turn, book: { ...turn.book, ending: without(book, name) } };
}
