/** Whether a program is there that a command names, looked for as the system does when it starts one. */
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { orNull } from '../../state/files/or-null.ts';

/** What the C library takes where a process has no PATH. */
const NO_PATH = '/bin:/usr/bin';

/** False = not there, or not to be run: both end a start. A folder without it makes no error, which costs more than the look. */
function isProgram(path: string): boolean {
  const isRun = orNull(() => {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
    accessSync(path, constants.X_OK);
    return true;
  });
  return isRun ?? false;
}

/** The file that a command means in this folder by this PATH (null = there is none); null = it cannot be run. */
export function programAt(program: string, dir: string, path: string | null): string | null {
  if (program.includes('/')) return isProgram(resolve(dir, program)) ? resolve(dir, program) : null;
  return (
    foldersOf(dir, path)
      .map((folder) => resolve(folder, program))
      .find(isProgram) ?? null
  );
}

const foldersOf = (dir: string, path: string | null): readonly string[] =>
  (path ?? NO_PATH).split(':').map((folder) => resolve(dir, folder));

/**
 * Why it cannot be run in this folder by this PATH (null = there is none), as a sentence that says where it was looked for;
 * null = it can. A name with a slash is a path, relative ones from the folder on; so are the PATH's own.
 */
export function missingProgram(program: string, dir: string, path: string | null): string | null {
  if (programAt(program, dir, path) !== null) return null;
  const name = JSON.stringify(program);
  if (program.includes('/')) {
    return `there is no program ${name}: ${resolve(dir, program)} is not there, or cannot be run`;
  }
  const folders = foldersOf(dir, path);
  return `there is no program ${name} in the PATH that it would have (${[...new Set(folders)].join(':')}); give its whole path`;
}
