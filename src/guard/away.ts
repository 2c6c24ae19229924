/** What a starter, a guard or a town does about a folder in the place of one of their files: into quarantine/, and tell. */
import { codeOf, type Disk } from '../../state/disk.ts';
import { FOLDERS } from '../../state/layout.ts';
import type { PutAway } from '../../state/running.ts';
import { systemClock } from '../clock.ts';

/** Never rejects for a folder that cannot be moved: it is left, and told. */
export function awayTo(disk: Disk, say: (text: string) => void): PutAway {
  return async (path, folder) => {
    // Loaded when it is needed: a guard hardly ever does.
    const { Quarantine } = await import('../../state/quarantine.ts');
    const quarantine = new Quarantine({
      disk,
      wall: () => systemClock.wall(),
      onRefused: ({ file, why, movedTo }) =>
        say(`${file}: ${why}${movedTo === null ? '' : ` It is kept in ${movedTo}.`}`),
    });
    await disk
      .mkdir(FOLDERS.quarantine)
      .catch((error: unknown) => say(`there is no ${FOLDERS.quarantine}/: ${codeOf(error)}`));
    await quarantine.move(path, folder, 'it is a folder where a file goes');
  };
}
