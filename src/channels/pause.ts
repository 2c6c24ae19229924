/** How a channel's loop waits for its next try. */
import type { Clock } from '../ports/ports.ts';

/** Also ends when it is woken, where it may be. */
export async function pausedFor(
  clock: Clock,
  ms: number,
  woken: Promise<undefined> | null,
  stop: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const slept = clock.sleep(ms, AbortSignal.any([stop, over.signal]));
  await (woken === null ? slept : Promise.race([slept, woken]));
  over.abort();
}
