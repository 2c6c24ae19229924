/** Files as git leaves them: their text, and whether they are there. */
import { constants, readFileSync } from 'node:fs';
import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { absentIs } from '../../state/files/disk.ts';
import { hasAnswered } from '../../state/files/patient-file.ts';
import { GitFailed } from './failure.ts';
import { GIT } from './policy.ts';

/** null = there is no such file. A pipe in its place, which may never have a writer, is not opened. */
export async function textOf(file: string): Promise<string | null> {
  const found = await absentIs(null, stat(file));
  if (found === null) return null;
  if (!found.isFile()) throw new GitFailed(`${file} is no file`);
  const isAtHand = hasAnswered(found.dev, file) && found.size <= GIT.maxAtHandBytes;
  // A pipe that took its place meanwhile has an end at once.
  const how = { encoding: 'utf8', flag: constants.O_RDONLY | constants.O_NONBLOCK } as const;
  const read = async (): Promise<string> => (isAtHand ? readFileSync(file, how) : readFile(file, how));
  return absentIs(null, read());
}

export async function isThere(path: string): Promise<boolean> {
  return absentIs(
    false,
    lstat(path).then(() => true),
  );
}

/** Names in a folder; none where it is not there. One question for many names costs what `isThere` costs for one. */
export async function entriesOf(folder: string): Promise<ReadonlySet<string>> {
  return new Set(await absentIs([], readdir(folder)));
}
