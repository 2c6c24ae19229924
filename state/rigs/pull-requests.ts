/**
 * Pull requests that a rig's refinery opened, the last one of each piece of work: patrols/pull-requests/<rig>.<bead>.json; of work without
 * a bead by its polecat, else by its branch. Only that refinery writes one, and needs no lock of the rig. Whether it is still open git
 * tells, not its record.
 */
import { z } from 'zod';
import { writeFiles } from '../files/atomic-write.ts';
import type { Disk } from '../files/disk.ts';
import { FOLDERS } from '../files/layout.ts';
import { recordsIn } from '../files/record-kind.ts';
import { wall } from '../files/shapes.ts';
import { readStrictly } from '../files/strict-read.ts';

const word = z.string().min(1).max(256);
const pullRequest = z.strictObject({
  rig: word,
  of: word,
  branch: word,
  commit: word,
  /** Where a person looks at it, as the command that opened it printed it; null = it printed no address. */
  url: z.string().min(1).max(2_048).nullable(),
  /** When that command ended. */
  at: wall,
});
export type PullRequest = Readonly<z.infer<typeof pullRequest>>;
type Named = Pick<PullRequest, 'rig' | 'of'>;

const idOf = ({ rig, of }: Named): string => `${rig}.${of}`;
const PULL_REQUESTS = recordsIn<PullRequest>(FOLDERS.pullRequests, 'pull_request', { shape: pullRequest, idOf });

/** null = none is on record. Rejects with `NotReadable` where a record stands there that does not count. */
export const pullRequestOf = (disk: Pick<Disk, 'read'>, of: Named): Promise<PullRequest | null> =>
  readStrictly(disk, PULL_REQUESTS.place(idOf(of)), PULL_REQUESTS);

/** Durable when it resolves. */
export async function keepPullRequest(disk: Disk, one: PullRequest): Promise<void> {
  await disk.mkdir(FOLDERS.pullRequests);
  await writeFiles(disk, [PULL_REQUESTS.fileOf(one)]);
}

/** Pieces of work of which one is on record, by their names alone. */
export async function requestedWork(disk: Pick<Disk, 'list'>): Promise<string[]> {
  const names = await disk.list(FOLDERS.pullRequests);
  return names.flatMap((name) => /^[^.]+\.(.+)\.json$/.exec(name)?.[1] ?? []);
}

/** Main has its work. Of one that is not there nothing happens. */
export const forgetPullRequest = (disk: Pick<Disk, 'remove'>, of: Named): Promise<unknown> =>
  disk.remove(PULL_REQUESTS.place(idOf(of)));
