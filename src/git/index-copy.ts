/** A copy of an index to work on, so that the repository's own stays as it is. */
import { copyFile, stat, utimes } from 'node:fs/promises';
import { absentIs } from '../../state/files/disk.ts';

/** The copy keeps the time of the original: git tells by it which files may have changed within the same second. False = there is none. */
export const copyIndex = (from: string, to: string): Promise<boolean> =>
  absentIs<boolean>(false, copied(from, to), ['ENOENT']);

async function copied(from: string, to: string): Promise<true> {
  const { atime, mtimeMs } = await stat(from);
  await copyFile(from, to);
  await utimes(to, atime, Math.floor(mtimeMs / 1000));
  return true;
}
