/** P-16: closed dances do not pile up. */
import type { HandsNeeds } from '../host/hands-needs.ts';

/** A failure is no reason to end anything: the next round tries again. */
export async function compact(
  { settings, host: { clock, logger }, store }: HandsNeeds,
  stop: AbortSignal,
): Promise<void> {
  for (;;) {
    await clock.sleep(settings.state.compactEveryMs, stop);
    if (stop.aborted) return;
    try {
      const gone = await store.compact();
      if (gone > 0) logger.info(`${gone} old hearings became a line of the journal`);
    } catch (error) {
      logger.warn({ err: error }, 'old hearings could not be compacted; it is tried again');
    }
  }
}
