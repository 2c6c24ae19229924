/**
 * Files that another program writes meanwhile: a small one that is read again and again, but not twice unchanged, and the
 * end of one that grows. No link is followed, and nothing but a plain file of this user's (or root's) is read.
 * Every call that leads to the file by its path is a patient one (patient-file.ts), since a home over a network may hang. What
 * is asked of the open file afterwards is not: the file system has just answered, and a thread per call costs more than the call.
 */
import { closeSync, constants, fstatSync, readSync, type Stats } from 'node:fs';
import { faultOfOpen } from './ownership.ts';
import { patientFile } from './patient-file.ts';

/** The file's content, as `parse` has it; null = nothing that counts. Never rejects. */
export type FileReader<T> = () => Promise<T | null>;

export interface FileLimits {
  /** A larger file is not read. */
  readonly maxFileBytes: number;
  /** A file that changed this long before it was read shows each later change by its time. */
  readonly settledMs: number;
}

interface Content<T> {
  readonly stamp: string;
  readonly parsed: T | null;
}

/** A link or a pipe that replaced the file since the look at it must neither lead elsewhere nor block. */
const flag = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export function fileReader<T>(path: string, limits: FileLimits, parse: (text: string) => T | null): FileReader<T> {
  const { settledMs, maxFileBytes } = limits;
  const isOurs = (stat: Stats): boolean =>
    stat.isFile() && stat.size <= maxFileBytes && faultOfOpen(path, stat) === null;
  const file = patientFile(path);
  let last: Content<T> | null = null;
  return async () => {
    try {
      const seen = await file.stat();
      if (seen === null || !isOurs(seen)) return null;
      if (last?.stamp === stampOf(seen)) return last.parsed;
      const { stat, text } = contentOf(await file.open(flag), isOurs);
      const parsed = text === null ? null : parse(text);
      // Two changes within one tick of the kernel's clock have one time.
      last = { stamp: Date.now() - stat.ctimeMs > settledMs ? stampOf(stat) : '', parsed };
      return parsed;
    } catch {
      return null;
    }
  };
}

const stampOf = ({ ino, size, mtimeMs, ctimeMs }: Stats): string => `${ino} ${size} ${mtimeMs} ${ctimeMs}`;

/** Closes `file`. The text is null for a file that is not ours, or whose size changes meanwhile. */
function contentOf(
  file: number,
  isOurs: (stat: Stats) => boolean,
): { readonly stat: Stats; readonly text: string | null } {
  try {
    const stat = fstatSync(file);
    if (!isOurs(stat)) return { stat, text: null };
    const bytes = Buffer.allocUnsafe(stat.size + 1);
    const count = readSync(file, bytes, 0, bytes.length, 0);
    return { stat, text: count === stat.size ? bytes.toString('utf8', 0, count) : null };
  } finally {
    closeSync(file);
  }
}

/** The last bytes of a file that grows, as text that may begin within a character; null = there is none of ours. Never rejects. */
export async function readTail(path: string, maxBytes: number): Promise<string | null> {
  const isOurs = (stat: Stats): boolean => stat.isFile() && faultOfOpen(path, stat) === null;
  const place = patientFile(path);
  try {
    const seen = await place.stat();
    if (seen === null || !isOurs(seen)) return null;
    const file = await place.open(flag);
    try {
      const stat = fstatSync(file);
      if (!isOurs(stat)) return null;
      const bytes = Buffer.allocUnsafe(Math.min(stat.size, maxBytes));
      const count = readSync(file, bytes, 0, bytes.length, stat.size - bytes.length);
      return bytes.toString('utf8', 0, count);
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}
