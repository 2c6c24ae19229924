/**
 * Plain files opened synchronously, for callers that cannot wait for `Disk`. A pipe in such a place never blocks, a
 * folder is an ordinary error, and another user's file is refused (trusted-roots.ts). Links are followed: a person may
 * want a link to a plain file.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { codeOf, NotReadable } from './disk.ts';
import { foreignWords } from './trusted-roots.ts';

const { O_APPEND, O_CREAT, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;
const PRIVATE_FILE = 0o600;

/** What opening says of a thing that is no plain file of ours; all else is the system's trouble, in its own words. */
const FAULTS: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder where a file goes',
  ENXIO: 'it is a pipe or a socket where a file goes',
  ENOENT: 'it is a link that leads nowhere',
  ELOOP: 'it is a link that leads nowhere',
  EACCES: 'it may not be read and written (permission denied)',
};

function opened(path: string, flags: number): number {
  const fd = openSync(path, flags | O_NONBLOCK, PRIVATE_FILE);
  const stat = fstatSync(fd);
  const why = stat.isFile() ? foreignWords(path, stat) : 'it is no plain file';
  if (why === null) return fd;
  closeSync(fd);
  throw new NotReadable(why);
}

/** Its text. Throws the system's error, also for a file that is not there; and for a thing that is no plain file. */
export function readPlain(path: string): string {
  const fd = opened(path, O_RDONLY);
  try {
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

/** A descriptor to add to it, made when missing. Throws as `readPlain` does. */
export const appendPlain = (path: string): number => opened(path, O_RDWR | O_APPEND | O_CREAT);

/** Makes it when it is missing. Why nothing can be added to what stands there, beginning small; null = it can. */
export const makePlain = (path: string): string | null => faultIn(() => appendPlain(path));

/** As `makePlain` says it, of what stands there already; null where nothing does. */
export const faultOf = (path: string): string | null =>
  lstatSync(path, { throwIfNoEntry: false }) === undefined ? null : faultIn(() => opened(path, O_RDWR | O_APPEND));

function faultIn(open: () => number): string | null {
  try {
    closeSync(open());
    return null;
  } catch (error) {
    if (error instanceof NotReadable) return error.message;
    const code = codeOf(error);
    return FAULTS[code] ?? `it cannot be opened (${code})`;
  }
}
