/**
 * What is saved of a target before anything is destroyed (law 4): rescue/<folder>/. Doing it twice replaces each file whole.
 */
import type { Disk } from '../files/disk.ts';
import { FOLDERS, nameOf, paths } from '../files/layout.ts';
import { writeFiles } from '../files/atomic-write.ts';

export interface RescuedFile {
  readonly name: string;
  readonly content: string | Uint8Array;
}

/** Durable when it resolves, with the folder's path relative to the root. Rejects when anything could not be saved. */
export async function saveRescue(disk: Disk, folder: string, files: readonly RescuedFile[]): Promise<string> {
  const path = paths.rescue(folder);
  await disk.mkdir(path);
  await disk.syncDir(FOLDERS.rescue);
  await writeFiles(
    disk,
    files.map(({ name, content }) => ({ path: `${path}/${nameOf(name)}`, text: content })),
  );
  return path;
}
