/** Whether a town that lives may be ended to begin anew: it goes on where its disk would let no new one begin. */
import { join } from 'node:path';
import { codeOf, realDisk } from '../../state/files/disk.ts';
import { FOLDERS } from '../../state/files/layout.ts';
import { SYSTEM } from '../../state/files/system-words.ts';
import { mustTakeStart } from '../../state/folders.ts';
import { systemClock } from '../ports/clock.ts';
import type { EngineView } from '../socket/protocol.ts';
import type { TownSettings } from './launch.ts';

/** Why it may not: its disk does not take what a new one writes first. null = it may. `town`: null = it does not say how it is. */
export async function whyNotAnew(
  { root, state }: Pick<TownSettings, 'root' | 'state'>,
  town: Pick<EngineView, 'degraded'> | null,
): Promise<string | null> {
  if (town?.degraded.by_disk === true) return town.degraded.why;
  return mustTakeStart(realDisk(root, systemClock.now()), state.startBytes).then(
    () => null,
    (error: unknown) => {
      const code = codeOf(error);
      const [why] = SYSTEM[code] ?? [];
      // A folder that was taken away is made by the start.
      if (why === undefined || code === 'ENOENT') return null;
      return `${why} (${code}): ${join(root, FOLDERS.daemon)}`;
    },
  );
}
