/** A settings file of an agent program, which is its user's: read as it is, and replaced whole or not at all. */
import { lstatSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeFiles } from '../../state/files/atomic-write.ts';
import { realDisk, wordsOf } from '../../state/files/disk.ts';
import { orNull } from '../../state/files/or-null.ts';
import { HOOK_FILES } from './policy.ts';

export interface SettingsFile {
  /** Absolute. */
  readonly path: string;
  /** null = there is none. */
  readonly text: string | null;
  /** Why it is not changed, as the end of a sentence; null = it may be. */
  readonly fault: string | null;
}

const OWNER_WRITES = 0o200;
const PERMISSIONS = 0o777;

/** Paths of its user are absolute. */
const DISK = realDisk('/', performance.timeOrigin);
const below = (path: string): string => path.slice(1);

/** Never rejects: what cannot be read is a fault. */
export async function readSettings(path: string): Promise<SettingsFile> {
  const stat = orNull(() => lstatSync(path, { throwIfNoEntry: false }));
  if (stat?.isSymbolicLink() === true) {
    const target = orNull(() => readlinkSync(path)) ?? 'another file';
    return { path, text: null, fault: `it is a symbolic link to ${target}` };
  }
  try {
    const text = await DISK.read(below(path), HOOK_FILES.maxBytes);
    const isClosed = stat !== undefined && stat !== null && (stat.mode & OWNER_WRITES) === 0;
    return { path, text, fault: isClosed ? 'it is read-only' : null };
  } catch (error) {
    return { path, text: null, fault: wordsOf(error) };
  }
}

/** `text` null = the file goes. False = another program changed it since it was read, and nothing was written. */
export async function replaceSettings({ path, text: before }: SettingsFile, text: string | null): Promise<boolean> {
  await DISK.mkdir(below(dirname(path)));
  const mode = orNull(() => lstatSync(path).mode & PERMISSIONS) ?? HOOK_FILES.mode;
  const now = await readSettings(path);
  if (now.fault !== null || now.text !== before) return false;
  if (text === null) await DISK.remove(below(path));
  else await writeFiles(DISK, [{ path: below(path), text, mode }]);
  return true;
}
