/** Work that can be given out now, with the records of it that do not count: such work would take the room of all that waits behind it. */
import { dueWork } from '../../../machines/patrols/dispatch.ts';
import type { UnreadSeen, WorkSeen } from '../../../machines/patrols/observation.ts';
import type { PatrolPolicy } from '../../../machines/patrols/policy.ts';
import type { Disk } from '../../../state/files/disk.ts';
import { ifUnread, RecordUnread } from '../../../state/files/strict-read.ts';
import { workOn } from '../../../state/rigs/work.ts';
import { unreadSeen } from '../memory/notes.ts';

interface DueWorkNeeds {
  readonly disk: Disk;
  readonly rig: string;
  readonly policy: PatrolPolicy;
  /** As many as may begin in one cycle: no more are looked up. */
  readonly most: number;
}

/** The same work, in the same order. */
export async function markUnread(
  work: readonly WorkSeen[],
  { disk, rig, policy, most }: DueWorkNeeds,
): Promise<readonly WorkSeen[]> {
  const unread = new Map<string, UnreadSeen>();
  let room = most;
  for (const { id } of dueWork(work, policy)) {
    if (room === 0) break;
    const record = await ifUnread(workOn(disk, { rig, of: id }), (error) => error);
    if (record instanceof RecordUnread) unread.set(id, unreadSeen(record));
    else room -= 1;
  }
  return work.map((one) => {
    const found = unread.get(one.id);
    return found === undefined ? one : { ...one, unread: found };
  });
}
