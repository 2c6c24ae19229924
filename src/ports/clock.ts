/**
 * The town's real clocks. `now` is the kernel's monotonic clock: it never steps back, its base is shared by all processes
 * of one boot, and it stands still while the machine sleeps.
 */
import type { Clock } from './ports.ts';

const NS_PER_MS = 1_000_000;
/** A longer timer would fire after 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The real `Clock`. A sleep longer than 24 days ends after 24 days. */
export const systemClock: Clock = {
  now: () => Number(process.hrtime.bigint()) / NS_PER_MS,
  wall: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) {
        resolve();
        return;
      }
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      // Rounded up: Node wakes for a fraction of a millisecond twice.
      const timer = setTimeout(end, Math.min(Math.ceil(Math.max(ms, 0)), LONGEST_TIMER_MS));
      signal?.addEventListener('abort', end);
    }),
};
