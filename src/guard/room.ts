/** Whether the disk of a root has room for a town's start. A town that lives goes on where it has none: a new one could not begin. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { codeOf, realDisk } from '../../state/files/disk.ts';
import { FOLDERS } from '../../state/files/layout.ts';
import { SYSTEM } from '../../state/files/system-words.ts';
import { systemClock } from '../ports/clock.ts';
import type { EngineView } from '../socket/protocol.ts';
import type { TownSettings } from './launch.ts';

type Room = Pick<TownSettings, 'root' | 'state'>;

/** Rejects with the system's error. */
export async function mustTakeStart({ root, state }: Room): Promise<void> {
  const disk = realDisk(root, systemClock.now());
  const path = `${FOLDERS.daemon}/.town-${randomUUID()}.tmp`;
  try {
    await disk.write(path, ' '.repeat(state.startBytes));
  } finally {
    await disk.remove(path);
  }
}

/**
 * Why a town must not be ended to begin anew: its disk does not take what a new one writes first. null = it may.
 * `town`: what it says of itself; null = it says nothing.
 */
export async function whyNotAnew(settings: Room, town: Pick<EngineView, 'degraded'> | null): Promise<string | null> {
  if (town?.degraded.by_disk === true) return town.degraded.why;
  return mustTakeStart(settings).then(
    () => null,
    (error: unknown) => {
      const code = codeOf(error);
      const [why] = SYSTEM[code] ?? [];
      // A folder that was taken away is made by the start.
      if (why === undefined || code === 'ENOENT') return null;
      return `${why} (${code}): ${join(settings.root, FOLDERS.daemon)}`;
    },
  );
}
