/** P-16: closed dances do not pile up. */
import type { Store } from '../../state/store.ts';
import type { Settings } from '../config/settings.ts';
import type { Host } from '../host/host.ts';

interface CompactNeeds {
  readonly settings: Settings;
  readonly host: Pick<Host, 'clock' | 'logger'>;
  readonly store: Pick<Store, 'compact'>;
}

/** A failure is no reason to end anything: the next round tries again. */
export async function compact(
  { settings, host: { clock, logger }, store }: CompactNeeds,
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
