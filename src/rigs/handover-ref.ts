/**
 * The commits of work that lies with a refinery: a ref of the town's own keeps them until main has the work. The remote's branch may be
 * deleted unmerged meanwhile, and the repository's own went with the polecat.
 */
import type { RigRecord } from '../../machines/rigs/records.ts';
import { commitOf, withGit } from './repository.ts';

type Rig = Pick<RigRecord, 'commonDir'>;

/** `uuid`: of the polecat's life. */
export const handedRef = (uuid: string): string => `refs/town/handed/${uuid}`;

/** Done again, it changes nothing. Rejects where git does not take it. */
export const keepHanded = (rig: Rig, uuid: string, commit: string): Promise<unknown> =>
  withGit(rig, ({ repo }) => repo.run(['update-ref', handedRef(uuid), commit]));

/** null = nothing of it is kept. */
export const handedCommit = (rig: Rig, uuid: string): Promise<string | null> =>
  withGit(rig, ({ repo }) => commitOf(repo, handedRef(uuid)));

/** Of one that is not kept nothing happens. */
export const dropHanded = (rig: Rig, uuid: string): Promise<unknown> =>
  withGit(rig, ({ repo }) => repo.run(['update-ref', '-d', handedRef(uuid)]));
