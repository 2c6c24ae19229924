/**
 * A new worktree, which its repository has at once and whole. `git worktree add` notes it first and gives its HEAD a commit afterwards:
 * each git that looks at all refs meanwhile fails ("bad object worktrees/nux/HEAD"), also the fetch of an agent next door. So git notes it
 * in a folder of ours, and the note is copied. git passes over a note without the file `gitdir`, which comes last.
 */
import { cp, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isThere } from './files.ts';

const FOLDER = 'worktrees';
const PLACE = 'gitdir';
/** git throws away a note without a place, unless it is locked. */
const LOCK = 'locked';

/** Makes the folder where git notes new worktrees; the others stay known there, so that no branch is checked out twice. */
export async function makeNotes(own: string, commonDir: string): Promise<void> {
  const [from, to] = [join(commonDir, FOLDER), join(own, FOLDER)];
  await mkdir(to);
  const names = (await isThere(from)) ? await readdir(from) : [];
  await Promise.all(names.map((name) => symlink(join(from, name), join(to, name))));
}

/** Brings what git noted there into the repository. */
export async function takeNotes(own: string, commonDir: string): Promise<void> {
  for (const entry of await readdir(join(own, FOLDER), { withFileTypes: true }))
    if (entry.isDirectory()) await bring(join(own, FOLDER, entry.name), await freeFolder(commonDir, entry.name));
}

async function bring(from: string, to: string): Promise<void> {
  await writeFile(join(to, LOCK), 'Townwatch makes it\n');
  for (const name of await readdir(from))
    if (name !== PLACE && name !== LOCK) await cp(join(from, name), join(to, name), { recursive: true });
  await cp(join(from, PLACE), join(to, `${PLACE}.town`));
  await rename(join(to, `${PLACE}.town`), join(to, PLACE));
  await rm(join(to, LOCK));
}

/** Makes it. Another process may have taken the name that git chose. */
async function freeFolder(commonDir: string, name: string): Promise<string> {
  await mkdir(join(commonDir, FOLDER), { recursive: true });
  for (let nth = 0; ; nth += 1) {
    const path = join(commonDir, FOLDER, nth === 0 ? name : `${name}${String(nth)}`);
    try {
      await mkdir(path);
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
