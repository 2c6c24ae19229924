/**
 * Whole files: temporary name in the same folder, fsync, rename, fsync of the folder. Either the old text or the new one.
 * A try that failed leaves no temporary file where it can help it; what a crash left is swept when the town opens.
 */
import type { Ms, WallMs } from '../../machines/protocol.ts';
import type { Disk } from './disk.ts';
import { folderOf } from './layout.ts';

const TEMPORARY = /^\.town-.+\.tmp$/;
let written = 0;

export interface FileWrite {
  readonly path: string;
  readonly text: string | Uint8Array;
  /** Its permissions; absent = the user's alone. */
  readonly mode?: number;
}

async function place(disk: Disk, { path, text, mode }: FileWrite): Promise<void> {
  written += 1;
  const temporary = `${folderOf(path)}/.town-${disk.tag}-${String(written)}.tmp`;
  try {
    await disk.write(temporary, text, mode);
    await disk.rename(temporary, path);
  } catch (error) {
    // If even this fails, the file is swept when the town opens; what went wrong first is what counts.
    await disk.remove(temporary).catch(() => undefined);
    throw error;
  }
}

/** Waits for all, then throws the first error: nothing may still be under way when a caller tries again. */
async function all(works: readonly Promise<unknown>[]): Promise<void> {
  if (works.length === 1) {
    await works[0];
    return;
  }
  for (const result of await Promise.allSettled(works)) if (result.status === 'rejected') throw result.reason;
}

/** Writes files, each whole or not at all, and resolves when all are durable. On an error any of them may be. */
export async function writeFiles(disk: Disk, files: readonly FileWrite[]): Promise<void> {
  if (files.length === 0) return;
  await all(files.map((file) => place(disk, file)));
  await all([...new Set(files.map(({ path }) => folderOf(path)))].map((folder) => disk.syncDir(folder)));
}

/** Removes what crashed writers left: temporary files of ours older than `olderThanMs`. */
export async function sweep(disk: Disk, folder: string, wall: WallMs, olderThanMs: Ms): Promise<void> {
  for (const name of await disk.list(folder)) {
    if (!TEMPORARY.test(name)) continue;
    const path = `${folder}/${name}`;
    const stat = await disk.stat(path);
    if (stat?.kind === 'file' && wall - stat.changedAt >= olderThanMs) await disk.remove(path);
  }
}
