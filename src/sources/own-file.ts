/**
 * A small file that another program rewrites, read again and again: no link is followed, nothing but a plain file of
 * this user's (or root's) is read, and an unchanged file is not read twice.
 * Every call that leads to the file by its path is asynchronous, since a home over a network may hang. What is asked of
 * the open file afterwards is not: the file system has just answered, and a thread per call costs more than the call.
 */
import { closeSync, constants, fstatSync, lstat, open, readSync, type Stats } from 'node:fs';
import { promisify } from 'node:util';
import { faultOfOpen } from '../../state/files/ownership.ts';
import { SOURCES } from './policy.ts';

/** The file's content, as `parse` has it; null = nothing that counts. Never rejects. */
export type FileReader<T> = () => Promise<T | null>;

interface Content<T> {
  readonly stamp: string;
  readonly parsed: T | null;
}

/** A link or a pipe that replaced the file since the look at it must neither lead elsewhere nor block. */
const flag = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const statAt = promisify<string, Stats>(lstat);
const openAt = promisify<string, number, number>(open);

const isOwnPlainFile = (path: string, stat: Stats): boolean =>
  stat.isFile() && stat.size <= SOURCES.maxFileBytes && faultOfOpen(path, stat) === null;

export function fileReader<T>(path: string, parse: (text: string) => T | null): FileReader<T> {
  let last: Content<T> | null = null;
  return async () => {
    try {
      const seen = await statAt(path);
      if (!isOwnPlainFile(path, seen)) return null;
      if (last?.stamp === stampOf(seen)) return last.parsed;
      const { stat, text } = contentOf(path, await openAt(path, flag));
      const parsed = text === null ? null : parse(text);
      // Two changes within one tick of the kernel's clock have one time.
      last = { stamp: Date.now() - stat.ctimeMs > SOURCES.settledMs ? stampOf(stat) : '', parsed };
      return parsed;
    } catch {
      return null;
    }
  };
}

const stampOf = ({ ino, size, mtimeMs, ctimeMs }: Stats): string => `${ino} ${size} ${mtimeMs} ${ctimeMs}`;

/** Closes `file`. The text is null for a file that is not ours, or whose size changes meanwhile. */
function contentOf(path: string, file: number): { readonly stat: Stats; readonly text: string | null } {
  try {
    const stat = fstatSync(file);
    if (!isOwnPlainFile(path, stat)) return { stat, text: null };
    const bytes = Buffer.allocUnsafe(stat.size + 1);
    const count = readSync(file, bytes, 0, bytes.length, 0);
    return { stat, text: count === stat.size ? bytes.toString('utf8', 0, count) : null };
  } finally {
    closeSync(file);
  }
}
