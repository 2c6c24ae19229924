/** Where a court keeps what it typed; and the error of what never happens. */
import { realDisk } from '../../../state/files/disk.ts';
import { Nudges } from '../../../state/sessions/nudges.ts';
import { Quarantine } from '../../../state/files/quarantine.ts';

export function nudgesIn(dir: string): Nudges {
  const disk = realDisk(dir, Math.random());
  const onRefused = (refused: object): never => never(JSON.stringify(refused));
  return new Nudges({ disk, quarantine: new Quarantine({ disk, wall: Date.now, onRefused }) });
}

export function never(why: string): never {
  throw new Error(why);
}
