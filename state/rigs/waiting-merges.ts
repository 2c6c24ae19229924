/**
 * Beads whose work a rig's refinery could not merge when it last tried, and why: patrols/waiting-merges/<rig>.json. Only that refinery writes
 * it, and its letters ask the person; this is what still says the reason once they are read.
 */
import { z } from 'zod';
import { writeFiles } from '../files/atomic-write.ts';
import type { Disk } from '../files/disk.ts';
import { FOLDERS } from '../files/layout.ts';
import { recordsIn } from '../files/record-kind.ts';
import { ifUnread, readStrictly } from '../files/strict-read.ts';

const word = z.string().min(1).max(256);
const waitingMerges = z.strictObject({
  rig: word,
  waits: z.array(z.strictObject({ bead: word, why: z.string().max(2_000) })),
});
export type WaitingMerges = Readonly<z.infer<typeof waitingMerges>>;

const WAITING = recordsIn<WaitingMerges>(FOLDERS.waitingMerges, 'waiting_merges', {
  shape: waitingMerges,
  idOf: ({ rig }) => rig,
});

/** By the bead. What cannot be read says nothing. */
export async function waitingMergesOf(disk: Pick<Disk, 'read'>, rig: string): Promise<ReadonlyMap<string, string>> {
  const found = await ifUnread(readStrictly(disk, WAITING.place(rig), WAITING), () => null);
  return new Map(found?.waits.map(({ bead, why }) => [bead, why]));
}

/** Durable when it resolves. */
export async function keepWaitingMerges(disk: Disk, one: WaitingMerges): Promise<void> {
  await disk.mkdir(FOLDERS.waitingMerges);
  await writeFiles(disk, [WAITING.fileOf(one)]);
}
