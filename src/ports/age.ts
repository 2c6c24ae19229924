/**
 * The age of a stored wall time, without later steps of the wall clock. The steps are known within a round of a patrol,
 * to all that the round calls; elsewhere the wall alone counts.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ageBy, steadyOf, wallSpans, type WallSpan, type WallSteps } from '../../machines/kernel/wall-steps.ts';
import type { Ms, Stamp, WallMs } from '../../machines/protocol.ts';
import { textOf } from '../../state/files/disk.ts';
import { noteSteps } from '../../state/process/wall-steps.ts';
import type { NoteOptions } from '../../state/watchdog/records.ts';

const steps = new AsyncLocalStorage<WallSteps>();

export function age(at: WallMs, now: WallMs): Ms {
  const known = steps.getStore();
  return known === undefined ? Math.max(0, now - at) : ageBy(known, at, now);
}

/** When a wall time really was, for a comparison with another one: the order of both is that of what passed. */
export function order(at: WallMs): Ms {
  const known = steps.getStore();
  return known === undefined ? at : steadyOf(known, at);
}

/** The one that was last. */
export const latest = (first: WallMs, ...rest: readonly WallMs[]): WallMs =>
  rest.reduce((last, one) => (order(one) > order(last) ? one : last), first);

/** The stretches without a step of the wall clock, the last one first; null = no step is known. */
export function knownSpans(): readonly WallSpan[] | null {
  const known = steps.getStore();
  return known === undefined || known.stretches.length < 2 ? null : wallSpans(known);
}

/** A disk that refuses costs the note, not the work. */
export async function withSteps<T>(
  options: NoteOptions & { readonly note: (text: string) => void },
  now: Stamp,
  work: () => Promise<T>,
): Promise<T> {
  const known = await noteSteps(options, now).catch((error: unknown) => {
    options.note(`steps of the clock could not be noted: ${textOf(error)}`);
    return null;
  });
  return known === null ? work() : steps.run(known, work);
}
