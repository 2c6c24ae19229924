/**
 * A small file that another program rewrites, asked for again and again: no link is followed, nothing but a plain file of
 * this user's (or root's) is read, and a file that did not change is not read twice.
 */
import { constants } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import { faultOfOpen } from '../../state/files/ownership.ts';
import { SOURCES } from './policy.ts';

/** What a file said, as `parse` has it; null = nothing that counts. Never rejects. */
export type FileReader<T> = () => Promise<T | null>;

interface Read<T> {
  readonly stamp: string;
  readonly said: T | null;
}

/** What was put in its place since it was looked at, a link or a pipe, must neither lead elsewhere nor hold us up. */
const flag = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export function fileReader<T>(path: string, parse: (text: string) => T | null): FileReader<T> {
  let last: Read<T> | null = null;
  return async () => {
    try {
      const stat = await lstat(path);
      if (!stat.isFile() || stat.size > SOURCES.maxFileBytes || faultOfOpen(path, stat) !== null) return null;
      const { ino, size, mtimeMs, ctimeMs } = stat;
      const stamp = [ino, size, mtimeMs, ctimeMs].join(' ');
      if (last?.stamp === stamp) return last.said;
      const said = parse(await readFile(path, { encoding: 'utf8', flag }));
      // Two changes within one tick of the kernel's clock have one time.
      last = { stamp: Date.now() - ctimeMs > SOURCES.settledMs ? stamp : '', said };
      return said;
    } catch {
      return null;
    }
  };
}
