/** Files as git leaves them: their text, and whether they are there. */
import { lstat, readFile, stat } from 'node:fs/promises';
import { absentIs } from '../../state/files/disk.ts';
import { GitFailed } from './failure.ts';

/** null = there is no such file. A pipe in its place, which may never have a writer, is not opened. */
export async function textOf(file: string): Promise<string | null> {
  const found = await absentIs(null, stat(file));
  if (found === null) return null;
  if (!found.isFile()) throw new GitFailed(`${file} is no file`);
  return absentIs(null, readFile(file, 'utf8'));
}

export async function isThere(path: string): Promise<boolean> {
  return absentIs(
    false,
    lstat(path).then(() => true),
  );
}
