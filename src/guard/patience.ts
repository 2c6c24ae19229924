/**
 * How long `up` waits. A slow machine is no trouble: while the first town lives, its guard says whether it hangs, after
 * `startMs`. One that fell has `readyMs` to come up anew.
 */
import type { Ms } from '../../machines/protocol.ts';
import type { ProcessPolicy } from '../ports/policy.ts';
import type { Clock } from '../ports/ports.ts';

export interface Patience {
  /** After a look. The town of this pid lives, or with null the guard that is to start it; undefined = neither. */
  isOver(town: number | null | undefined): boolean;
  limitMs(): Ms;
}

export function patienceOf(
  { readyMs, startMs }: Pick<ProcessPolicy, 'readyMs' | 'startMs'>,
  clock: Pick<Clock, 'now'>,
): Patience {
  const most = clock.now() + Math.max(readyMs, startMs);
  let first: number | null = null;
  let until = clock.now() + readyMs;
  return {
    isOver: (town) => {
      first ??= town ?? null;
      if (town === first) until = Math.min(most, clock.now() + readyMs);
      return clock.now() >= until;
    },
    limitMs: () => (until < most ? readyMs : Math.max(readyMs, startMs)),
  };
}
