/**
 * Cells of a start that ends survivors first (`[sessions] survivors = "end"`), as an execution does (D-10): list and
 * record them, save their work, list anew, TERM, list anew, KILL.
 * 1. A signal names exactly what the last look found, which its order's step puts on record first.
 * 2. If the town cannot look, save or signal, it ends no process and starts no agent beside it. That is a failed start:
 *    alerted and tried again.
 * 3. What outlives the last round is alerted like all survivors, and the start goes on: no agent stays down for ever
 *    (law 9).
 * 4. Only the list is on record: a town killed in between begins anew, which is harmless.
 */
import { order } from '../kernel/decision.ts';
import type { Remains } from '../protocol.ts';
import type { Next, Scene, States } from './session.ts';
import type { Ending } from './state.ts';
import { endable, endingId, NOT_ENDING, startOrder, survivorsText } from './survivors.ts';

/** A look at them is back: the work is saved, then TERM, then KILL, round by round; in the end the start. */
export function endsNext({ r, live }: States['starting'], _: object, { book, now }: Scene): Next {
  const { ending = NOT_ENDING, ...rest } = live;
  const { maxRounds, termGraceMs, killGraceMs } = book.dance ?? { maxRounds: 0, termGraceMs: 0, killGraceMs: 0 };
  const roundsOf = ({ life }: Remains): number => ending.rounds[life.uuid] ?? 0;
  const one = endable(book, r).find((left) => left.survivors.length > 0 && roundsOf(left) < maxRounds);
  if (one === undefined) return { live: rest, orders: [startOrder(book, r, live)] };
  const { life, survivors } = one;
  const isSaved = ending.saved.includes(life.uuid);
  const round = roundsOf(one);
  const next: Ending = {
    step: ending.step + 1,
    saved: isSaved ? ending.saved : [...ending.saved, life.uuid],
    rounds: isSaved ? { ...ending.rounds, [life.uuid]: round + 1 } : ending.rounds,
  };
  const lookedAt = now.began ?? now.at;
  const [signal, graceMs] = round === 0 ? (['TERM', termGraceMs] as const) : (['KILL', killGraceMs] as const);
  const body = isSaved
    ? ({ type: 'signal', target: life, signal, tree: survivors, graceMs, lookedAt } as const)
    : ({ type: 'rescue', target: life, dance: `life-${life.uuid}`, also: survivors } as const);
  return {
    record: { ...r, note: `ends before its start ${survivorsText([one])}` },
    live: { ...live, ending: next },
    orders: [order(endingId(r, next), body)],
  };
}

/** Their work is saved, or a round of signals is over: who lives now? */
export function looksAgain({ r, live }: States['starting'], _: object, { book }: Scene): Next {
  const { ending = NOT_ENDING } = live;
  const next = { ...ending, step: ending.step + 1 };
  const look = order(endingId(r, next), { type: 'listSurvivors', of: endable(book, r) });
  return { live: { ...live, ending: next }, orders: [look] };
}
