/** What a signal of the town rests on: what that town itself saw and saved since it was blind last (law 2, law 4). */
import { anyOf, of, type EntryOf, type Log } from './log.ts';

/** What this town saw and did in this dance since it was blind last: nothing from before tells how the agent is now. */
export function stretchOf(before: Log, kill: EntryOf<'signalled'>): Log {
  const mine = anyOf(before, 'looked', 'rescued', 'signalled').filter(
    ({ dance, town }) => dance === kill.dance && town === kill.town,
  );
  return mine.slice(mine.findLastIndex((one) => one.what === 'looked' && one.truth === 'hidden') + 1);
}

/** The town saved the work before it signals. An agent that is gone since an earlier signal has done nothing more. */
export function isSaved(before: Log, mine: Log, kill: EntryOf<'signalled'>): boolean {
  const last = of(mine, 'looked').at(-1)?.truth ?? '';
  const isGone = ['dead', 'absent', 'replaced'].includes(last);
  return of(isGone ? before : mine, 'rescued').some(({ dance }) => dance === kill.dance);
}
