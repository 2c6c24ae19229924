/** The pool of dogs in a sentence. */
import { takesSlot } from '../../../machines/hearings/queue.ts';
import type { Dance } from '../../../machines/protocol.ts';
import { times } from '../../../machines/kernel/span.ts';

/** Of the open dances those that have a dog of the pool, and those for which a smaller pool has none yet. */
export function poolOf(open: readonly Dance[], size: number): { size: number; busy: number; waiting: number } {
  const heard = open.filter(takesSlot).length;
  const busy = Math.min(heard, size);
  return { size, busy, waiting: heard - busy };
}

export function poolText(pool: { busy: number; size: number; waiting: number; queued: number }): string {
  const { busy, size, waiting, queued } = pool;
  const dogs = `${busy} of ${size} dogs ${busy === 1 ? 'is' : 'are'} at work`;
  const hearings = waiting === 0 ? '' : `; ${times(waiting, 'hearing waits', 'hearings wait')} for one`;
  return `${dogs}${hearings}; ${times(queued, 'warrant waits', 'warrants wait')}`;
}
