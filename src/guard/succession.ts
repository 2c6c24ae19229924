/**
 * Whether this process still has its root (C-12): a newer epoch on disk means that a successor runs, and this one ends at
 * once, touching nothing. What cannot be read is not newer. An epoch that was removed, or set back, is written anew by the process that
 * holds the lock: without it no signal is sent.
 */
import { nextMultiple } from '../../machines/kernel/schedule.ts';
import type { Ms } from '../../machines/protocol.ts';
import type { Disk } from '../../state/files/disk.ts';
import { putEpochBack, readEpoch } from '../../state/process/epoch.ts';
import { FILES } from '../../state/files/layout.ts';
import type { Logger } from '../ports/log.ts';
import type { Clock } from '../ports/ports.ts';
import { EXIT } from './exits.ts';

export interface SuccessionNeeds {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of this process. */
  readonly epoch: number;
  readonly everyMs: Ms;
  /** Whether this process is known to hold the lock that stands on disk. May reject. */
  readonly holds: () => Promise<boolean>;
}

export interface Succession {
  /** Resolves if no newer process is known to have the root; ends the process otherwise. */
  check(): Promise<void>;
  /** Checks until `stop`. */
  watch(stop: AbortSignal): Promise<void>;
}

export function createSuccession({ disk, clock, logger, epoch, everyMs, holds }: SuccessionNeeds): Succession {
  /** False = unknown. */
  const look = async (): Promise<boolean> => {
    const newest = await readEpoch(disk).catch(() => null);
    if (newest === null || newest === epoch) return newest !== null;
    if (newest < epoch) {
      if (!(await holds().catch(() => false))) return false;
      logger.warn({ epoch, newest }, `${FILES.epoch} was removed or set back: it is written anew`);
      return putEpochBack(disk, epoch).then(
        () => false,
        () => false,
      );
    }
    logger.fatal({ epoch, newest }, 'a newer town has this root: this one ends and touches nothing');
    process.exit(EXIT.superseded);
  };
  return {
    check: () => look().then(() => undefined),
    watch: async (stop) => {
      let looked: string | null = null;
      while (!stop.aborted) {
        await clock.sleep(nextMultiple(clock.now(), everyMs) - clock.now(), stop);
        // Its file is read only when it is another: every look is a wake-up of a thread, and a town that rests has many.
        const mark = (await disk.stat(FILES.epoch).catch(() => null))?.mark ?? null;
        if (mark === null || mark !== looked) looked = (await look()) ? mark : null;
      }
    },
  };
}
