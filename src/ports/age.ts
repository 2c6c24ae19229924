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
import { noteAgain, noteSteps, readSteps } from '../../state/process/wall-steps.ts';
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

type StepOptions = NoteOptions & { readonly note: (text: string) => void };

const refusedBy =
  ({ note: say }: StepOptions, done: 'noted' | 'read') =>
  (error: unknown): null => {
    say(`steps of the clock could not be ${done}: ${textOf(error)}`);
    return null;
  };

/** Reads the steps and writes none: the clocks of a command are those that its caller gave it. */
export async function byKnownSteps<T>(options: StepOptions, now: Stamp, work: () => Promise<T>): Promise<T> {
  const steps = await readSteps(options, now).catch(refusedBy(options, 'read'));
  return steps === null ? work() : rounds.run({ steps, noted: new Map() }, work);
}

/** Only in the town's process and its threads. A disk that refuses costs the note, not the work. */
export async function withSteps<T>(options: StepOptions, now: Stamp, work: () => Promise<T>): Promise<T> {
  const refused = refusedBy(options, 'noted');
  const steps = await noteSteps(options, now).catch(refused);
  if (steps === null) return work();
  const round: Round = { steps, noted: new Map() };
  try {
    return await rounds.run(round, work);
  } finally {
    if (round.noted.size > 0) await noteAgain(options, [...round.noted.values()]).catch(refused);
  }
}
