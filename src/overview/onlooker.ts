/** For processes that only read folders of state/: an invalid file is named and left where it is. The town moves it. */
import type { Disk, Stat } from '../../state/files/disk.ts';
import { Quarantine } from '../../state/files/quarantine.ts';

export class Onlooker extends Quarantine {
  constructor(disk: Disk, say: (why: string) => void) {
    super({ disk, wall: () => Date.now(), onRefused: ({ file, why }) => say(`${file}: ${why}`) });
  }

  override move(file: string, stat: Stat, why: string, requester: string | null = null): Promise<void> {
    this.leave(file, stat, { is: 'stuck', why }, requester);
    return Promise.resolve();
  }
}
