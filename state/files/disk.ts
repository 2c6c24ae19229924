/**
 * The door to the disk, and the real one. Paths are relative to the town root, with forward slashes.
 * 1. A file is created whole: exclusive, never through a link, 0600, fsynced before `write` resolves. Names are durable
 *    only after `syncDir` of their folder.
 * 2. Only regular files of ours (trusted-roots.ts) are read, and only folders of ours listed: a link, a pipe, a folder,
 *    another user's file or one that others may write is refused unopened or unread, and never blocks.
 * 3. Every call but the check of a folder's owner runs off the event loop. A failed fsync is not retried.
 * 4. Only a missing path counts as nothing. Below a closed folder, or something in its place, all is unknown (law 1):
 *    `list`, `read` and `stat` reject with `NotReadable`, whose message also says what to do.
 */
import { constants, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Ms, WallMs } from '../../machines/protocol.ts';
import { mustNotBeGasTown } from './gas-town.ts';
import { nameAnew } from './name-anew.ts';
import { SYSTEM } from './system-words.ts';
import { foreignFolder, foreignWords } from './trusted-roots.ts';

/** What stands at a path. `mark` changes whenever other bytes or another file stand there. */
export interface Stat {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly bytes: number;
  readonly changedAt: WallMs;
  /** When it was last renamed, or changed in any other way. */
  readonly movedAt: WallMs;
  /** When it was made; 0 = its file system does not keep that. */
  readonly bornAt: WallMs;
  readonly mark: string;
}

/** Must not or cannot be read: no regular file, another user's, too large, or below something that is no folder. */
export class NotReadable extends Error {
  override readonly name = 'NotReadable';
}

/** Belongs to another user, or is open to others: the machine's set-up has to change (exit code 2). */
class NotOurs extends NotReadable {
  readonly code = 'not_yours';
  readonly exit = 2;
}

/** The few file operations of the town. All reject with the system's error (`code`) unless a line says otherwise. */
export interface Disk {
  /** The folder that paths begin in, absolute; absent = a simulated one. */
  readonly root?: string;
  /** Part of every temporary name; no two processes that write at once share it. */
  readonly tag: string;
  /** Creates `path`, which must not exist, and makes its content durable. `mode`: its permissions; absent = the user's alone. */
  write(path: string, content: string | Uint8Array, mode?: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Makes the names in a folder durable. */
  syncDir(dir: string): Promise<void>;
  /** Removes a file; none there is fine. */
  remove(path: string): Promise<void>;
  /** Names in a folder of ours, sorted; a folder that is missing has none. What is no UTF-8 in a name stands as `UNNAMED`. */
  list(dir: string): Promise<string[]>;
  /**
   * Gives entries whose names are no UTF-8, which no call here could reach, names of ours that end in `.json`, and returns those.
   * `wanted` is asked with the name as `list` shows it. One that cannot be renamed stays.
   */
  nameAnew(dir: string, wanted: (shown: string) => boolean): Promise<string[]>;
  /** Text of a regular file of at most so many bytes; null = there is none. Rejects with `NotReadable` for anything else. */
  read(path: string, maxBytes: number): Promise<string | null>;
  /** Adds to a regular file, made when missing, and makes the content durable. `whole`: bytes of it that count; what is behind goes first. */
  append(path: string, text: string, whole?: number): Promise<void>;
  /** null = nothing there. Links are not followed. */
  stat(path: string): Promise<Stat | null>;
  /** Makes a folder (0700) and those above it; one of ours that exists is fine. */
  mkdir(dir: string): Promise<void>;
}

/** What Node shows for bytes of a name that are no UTF-8. */
export const UNNAMED = '\ufffd';

/** The system's word for an error (`ENOSPC`), or '' when it has none. */
export function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : '';
  return typeof code === 'string' ? code : '';
}

/** Why a thing cannot be read as it stands, beginning small; null = the error is another one, which may pass. */
export function unreadable(error: unknown): string | null {
  if (error instanceof NotReadable) return error.message;
  return codeOf(error) === 'EACCES' ? 'it may not be read (permission denied)' : null;
}

/** The text of a file, which says nothing (null) where it is missing or cannot be read as it stands: a link, a pipe, a flood, closed to us. */
export async function readIfReadable(disk: Pick<Disk, 'read'>, path: string, maxBytes: number): Promise<string | null> {
  try {
    return await disk.read(path, maxBytes);
  } catch (error) {
    if (unreadable(error) !== null) return null;
    throw error;
  }
}

/** An error in one line; the system's own in words, with the path. */
export function textOf(error: unknown): string {
  const words = wordsOf(error);
  const isNamed = error instanceof Error && 'path' in error && words !== error.message;
  return isNamed ? `${words}: ${String(error.path)}` : words;
}

/** As `textOf`, for callers that name the path themselves. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [words] = ('errno' in error && SYSTEM[codeOf(error)]) || [];
  return words === undefined ? error.message : `${words}, ${codeOf(error)}`;
}

const { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

async function using<T>(path: string, flags: number, work: (file: fs.FileHandle) => Promise<T>): Promise<T> {
  const file = await fs.open(path, flags, FILE_MODE);
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

/** What `work` gives; `value` where the system says that nothing is there. */
export async function absentIs<T>(value: T, work: Promise<T>, codes = ['ENOENT', 'ENOTDIR']): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (codes.includes(codeOf(error))) return value;
    throw error;
  }
}

/** What on the way to a path is no folder; null = all that is there is one. */
async function noFolderIn(root: string, path: string): Promise<string | null> {
  const at = join(root, path);
  const isFolder = await fs.stat(at).then(
    (stat) => stat.isDirectory(),
    () => null,
  );
  if (isFolder === true) return null;
  const itself = await absentIs(null, fs.lstat(at));
  // Another process made it between the two looks.
  if (itself?.isDirectory() === true) return null;
  // A link that leads nowhere is there too.
  if (isFolder === false || itself !== null) return relative(root, at) || root;
  return at === root ? null : noFolderIn(root, dirname(path));
}

/** A missing folder gives `value`; any other error says why the folder could not be looked into (invariant 4). */
async function missingIs<T>(value: T, root: string, folder: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error))) throw error;
    const obstacle = await noFolderIn(root, folder);
    if (obstacle !== null) throw new NotReadable(`${obstacle} is no folder; move it away`, { cause: error });
    return value;
  }
}

/** Throws for a folder in which others could put, or have put, another file in the place of ours. */
function mustBeOurs(folder: string): void {
  const why = foreignFolder(folder);
  if (why !== null) throw new NotOurs(why);
}

async function namesIn(root: string, folder: string): Promise<string[]> {
  mustBeOurs(join(root, folder));
  try {
    return (await missingIs<string[]>([], root, folder, fs.readdir(join(root, folder)))).sort();
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error;
    throw new NotReadable(`${folder} may not be read (permission denied); see to its permissions`, { cause: error });
  }
}

function statOf(stat: Stats): Stat {
  const kind = stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : stat.isSymbolicLink() ? 'link' : 'other';
  return {
    kind,
    bytes: stat.size,
    changedAt: stat.mtimeMs,
    movedAt: stat.ctimeMs,
    bornAt: stat.birthtimeMs,
    // Records on disk hold it: another form of it would change what they say.
    mark: [stat.ino, stat.size, stat.mtimeMs].join(':'),
  };
}

async function onlyFile(path: string, file: fs.FileHandle): Promise<Stats> {
  const stat = await file.stat();
  const why = stat.isFile() ? foreignWords(path, stat) : 'it is not a regular file';
  if (why !== null) throw new NotReadable(why);
  return stat;
}

/** Reads to its end as that is then: a file that grows meanwhile is not cut. */
async function readWhole(path: string, file: fs.FileHandle, maxBytes: number): Promise<string> {
  const { size } = await onlyFile(path, file);
  if (size > maxBytes) throw new NotReadable(`it has ${String(size)} bytes, the limit is ${String(maxBytes)}`);
  let buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (let got = -1; got !== 0; length += got) {
    if (length > maxBytes) throw new NotReadable(`it grew over the limit of ${String(maxBytes)} bytes as it was read`);
    if (length === buffer.length) buffer = Buffer.concat([buffer], length * 2);
    got = (await file.read(buffer, length, buffer.length - length, null)).bytesRead;
  }
  return buffer.toString('utf8', 0, length);
}

async function readText(path: string, maxBytes: number): Promise<string> {
  try {
    return await using(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, (file) => readWhole(path, file, maxBytes));
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ELOOP') throw new NotReadable('it is a symbolic link', { cause: error });
    if (code === 'ENXIO') throw new NotReadable('it is not a regular file', { cause: error });
    throw error;
  }
}

async function mustBeFolder(path: string): Promise<void> {
  const isFolder = (await absentIs<Stats | null>(null, fs.stat(path)))?.isDirectory() ?? false;
  if (!isFolder) throw Object.assign(new Error(`${path} is no folder`), { code: 'ENOTDIR' });
}

/** With those above it. Not Node's own `recursive`: where a file system makes no folders (/proc) that never ends. */
async function makeFolder(path: string): Promise<void> {
  const make = () => fs.mkdir(path, FOLDER_MODE);
  try {
    await make();
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return mustBeFolder(path);
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    try {
      await make();
    } catch (again) {
      if (codeOf(again) !== 'EEXIST') throw again;
      await mustBeFolder(path); // Another process made it meanwhile.
    }
  }
}

/** The real disk below `root`. `startedAt` tells processes apart whose pid is the same. */
export function realDisk(root: string, startedAt: Ms): Disk {
  const at = (path: string) => join(root, path);
  const tag = `${String(process.pid)}-${Math.floor(startedAt).toString(36)}`;
  /** Most of what is asked for and missing is so in a folder that is there. */
  const within = <T>(path: string, work: Promise<T>): Promise<T | null> =>
    missingIs<T | null>(null, root, dirname(path), absentIs<T | null>(null, work, ['ENOENT']));
  let renamed = 0;
  let mayWrite = false;
  /** Asked once a process: a town goes on where the mark of Gas Town came after it. */
  const writing = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!mayWrite) mustNotBeGasTown(root);
    mayWrite = true;
    return work();
  };
  return {
    root,
    tag,
    write: (path, content, mode) =>
      writing(() =>
        using(at(path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, async (file) => {
          if (mode !== undefined) await file.chmod(mode);
          await file.writeFile(content);
          await file.sync();
        }),
      ),
    rename: (from, to) => writing(() => fs.rename(at(from), at(to))),
    syncDir: (dir) => using(at(dir), O_RDONLY | O_DIRECTORY, (folder) => folder.sync()),
    remove: (path) => writing(() => absentIs(undefined, fs.unlink(at(path)))),
    list: (dir) => namesIn(root, dir),
    nameAnew: (dir, wanted) => nameAnew(at(dir), wanted, () => `not-utf8-${tag}-${String((renamed += 1))}.json`),
    read: (path, maxBytes) => within<string>(path, readText(at(path), maxBytes)),
    append: (path, text, whole) =>
      writing(() =>
        using(at(path), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, async (file) => {
          const { size } = await onlyFile(at(path), file);
          if (whole !== undefined && size > whole) await file.truncate(whole);
          await file.writeFile(text);
          await file.datasync();
        }),
      ),
    stat: async (path) => {
      const stat = await within<Stats>(path, fs.lstat(at(path)));
      return stat && statOf(stat);
    },
    mkdir: (dir) =>
      writing(async () => {
        await makeFolder(at(dir));
        mustBeOurs(at(dir));
      }),
  };
}
