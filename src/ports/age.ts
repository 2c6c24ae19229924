/**
 * The age of a stored wall time, without later steps of the wall clock. The steps are known within a round of a patrol,
 * to all that the round calls; elsewhere the wall alone counts.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ageBy,
  steadyOf,
  toNote,
  wallSpans,
  type Noted,
  type WallSpan,
  type WallSteps,
} from '../../machines/kernel/wall-steps.ts';
import type { Ms, Stamp, WallMs } from '../../machines/protocol.ts';
import { textOf } from '../../state/files/disk.ts';
import { noteAgain, noteSteps } from '../../state/process/wall-steps.ts';
import type { NoteOptions } from '../../state/watchdog/records.ts';

interface Round {
  readonly steps: WallSteps;
  /** Asked about in this round, by their wall time. */
  readonly noted: Map<WallMs, Noted>;
}

const rounds = new AsyncLocalStorage<Round>();

function note({ steps, noted }: Round, at: WallMs): void {
  const one = steps.stretches.length < 2 ? null : toNote(steps, at);
  if (one !== null) noted.set(at, one);
}

export function age(at: WallMs, now: WallMs): Ms {
  const round = rounds.getStore();
  if (round === undefined) return Math.max(0, now - at);
  note(round, at);
  return ageBy(round.steps, at, now);
}

/** When a wall time really was, for a comparison with another one: the order of both is that of what passed. */
export function order(at: WallMs): Ms {
  const round = rounds.getStore();
  if (round === undefined) return at;
  note(round, at);
  return steadyOf(round.steps, at);
}

/** The one that was last. */
export const latest = (first: WallMs, ...rest: readonly WallMs[]): WallMs =>
  rest.reduce((last, one) => (order(one) > order(last) ? one : last), first);

/** The stretches without a step of the wall clock, the last one first; null = no step is known. */
export function knownSpans(): readonly WallSpan[] | null {
  const round = rounds.getStore();
  if (round === undefined || round.steps.stretches.length < 2) return null;
  return wallSpans(round.steps).map(({ from, until, holds }) => ({
    from,
    until,
    holds: (at) => {
      note(round, at);
      return holds(at);
    },
  }));
}

/** A disk that refuses costs the note, not the work. */
export async function withSteps<T>(
  options: NoteOptions & { readonly note: (text: string) => void },
  now: Stamp,
  work: () => Promise<T>,
): Promise<T> {
  const refused = (error: unknown): null => {
    options.note(`steps of the clock could not be noted: ${textOf(error)}`);
    return null;
  };
  const steps = await noteSteps(options, now).catch(refused);
  if (steps === null) return work();
  const round: Round = { steps, noted: new Map() };
  try {
    return await rounds.run(round, work);
  } finally {
    if (round.noted.size > 0) await noteAgain(options, [...round.noted.values()]).catch(refused);
  }
}
