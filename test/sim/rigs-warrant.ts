/** A warrant as triage files it in the rigs' simulation. */
import { withChecksum } from '../../state/files/checksum.ts';
import { paths } from '../../state/files/layout.ts';
import { writeFiles } from '../../state/files/atomic-write.ts';
import { readSession } from '../../src/overview/records.ts';
import { Failure } from '../../src/terminal/failure.ts';
import type { RigsTown } from './rigs-town.ts';

export async function saveAsWarrant(
  { disk, sim }: RigsTown,
  target: string,
  { id, reason }: { readonly id: string; readonly reason: string },
): Promise<void> {
  const life = (await readSession(disk, target))?.incarnation ?? null;
  if (life === null) throw new Failure(1, 'not_lived', `${target} has no life to end`);
  const warrant = { schema: 'warrant/1', id, target, reason, requester: 'triage', filed_at: sim.iso };
  const text = withChecksum({ ...warrant, incarnation: life, force: false, via: 'operator' });
  await writeFiles(disk, [{ path: paths.warrant(id), text }]);
}
