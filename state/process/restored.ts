/**
 * daemon/restored: this root came back from a copy, as far as its lock file tells (epoch.ts). What it holds to be done may have been done
 * since the copy was made. The town does none of it until a person removes the file (`town answer N go`), over any number of starts.
 */
import type { WallMs } from '../../machines/protocol.ts';
import { writeFiles } from '../files/atomic-write.ts';
import type { Disk } from '../files/disk.ts';
import { FILES } from '../files/layout.ts';

/** What stands in the way of an order, in words. */
export const AFTER_COPY = 'this root came back from a copy, and waits for your word: town questions';

/** When it was seen (wall ms); null = it did not come back, or a person said to go on. Rejects where that is unknown. */
export const restoredAt = async (disk: Pick<Disk, 'stat'>): Promise<WallMs | null> =>
  (await disk.stat(FILES.restored))?.changedAt ?? null;

/** Durable when it resolves. */
export const noteRestored = (disk: Disk): Promise<void> =>
  writeFiles(disk, [{ path: FILES.restored, text: `${AFTER_COPY}\n` }]);

/** A person says to go on. False = it was so already. */
export async function goOn(disk: Pick<Disk, 'stat' | 'remove'>): Promise<boolean> {
  if ((await restoredAt(disk)) === null) return false;
  await disk.remove(FILES.restored);
  return true;
}
