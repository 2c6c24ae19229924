/**
 * Whether the folders of a rig are there. A disk may be unmounted, and a folder may be moved. Work that cannot begin
 * meanwhile waits for them: it is no failed attempt, which would rest for its time after they are back.
 */
import type { RigRecord } from '../../machines/rigs/records.ts';
import { unfitFolder } from '../proc/start-folder.ts';

/** Why nothing can be begun, in a sentence with what to do; null = they are there. */
export function awayTrouble({ name, repo, commonDir }: Pick<RigRecord, 'name' | 'repo' | 'commonDir'>): string | null {
  for (const folder of [repo, commonDir]) {
    const why = unfitFolder(folder);
    if (why === null) continue;
    return `the folder ${folder} of the rig ${name} ${why}, so that no work begins there; bring it back, the town goes on by itself`;
  }
  return null;
}
