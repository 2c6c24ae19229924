/**
 * One town a root: an exclusive lock of SQLite on daemon/lock.db, which the kernel releases with the process.
 * 1. The file holds nothing and is never replaced, and removed by its holder only: the lock lives in its inode.
 * 2. A process that holds the lock must not open that file by other means: closing it would release the lock.
 * 3. Roots that another kind of supervisor holds are refused by its name, as are file systems whose locks do not reach.
 */
import { access, constants, readFile, stat, statfs, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, textOf, type Disk } from '../files/disk.ts';
import { FILES } from '../files/layout.ts';
import { shellWord } from '../files/show-text.ts';
import { runningOf } from './pid-files.ts';

/** The root is not to be had. `pid`: who has it, if known. */
export class LockRefused extends Error {
  override readonly name = 'LockRefused';
  readonly pid: number | null;

  constructor(text: string, pid: number | null = null) {
    super(text);
    this.pid = pid;
  }
}

export interface LockOptions {
  /** Absolute. */
  readonly root: string;
  readonly disk: Disk;
  /** True while a process with this pid lives; throws when it is unknown. */
  readonly isAlive: (pid: number) => boolean;
  /** A daemon.pid with more bytes is none of ours. */
  readonly maxBytes: number;
}

export interface Lock {
  /** Gives the root back. A process that dies gives it back too. */
  release(): void;
}

/** Takes the root or rejects with `LockRefused`. Its folder daemon/ must be there. */
export async function takeLock(options: LockOptions): Promise<Lock> {
  await refuseNetwork(options.root);
  await mustBeOpen(join(options.root, FILES.daemonPid), constants.R_OK, 'it is unknown whether a daemon runs');
  const other = await foreignDaemon(options);
  if (other !== null) throw new LockRefused(`${other.text}: stop it, or choose another root with --root.`, other.pid);
  return lockDatabase(options);
}

/** A supervisor of another kind that lives in this root; null = none does. Rejects with `LockRefused` when it is unknown. */
export async function foreignDaemon({
  root,
  disk,
  isAlive,
  maxBytes,
}: LockOptions): Promise<{ readonly pid: number; readonly text: string } | null> {
  const said = await runningOf(disk, maxBytes).town();
  if (said.kind === 'foreign' && isAlive(said.pid))
    return { pid: said.pid, text: `Another daemon (pid ${said.pid}, from ${FILES.daemonPid}) runs on ${root}` };
  const pid = await holderOf(join(root, FILES.foreignLock), 'FLOCK');
  return pid === null ? null : { pid, text: `A Gas Town daemon (pid ${pid}) holds ${FILES.foreignLock} in ${root}` };
}

async function lockDatabase(options: LockOptions): Promise<Lock> {
  const lock = await lockFile(options, FILES.lock);
  if (lock === null) throw await refusedBy(options);
  return lock;
}

export interface FileLock extends Lock {
  /** Whether the next process that asks for the lock by that name would meet this one. */
  stands(): Promise<boolean>;
}

/** How often other processes may remove the file while it is taken; more would mean that one does so in a loop. */
const MAX_TRIES = 10;

/**
 * `file` is relative to `root`, an absolute folder. null = another process holds it. Rejects with `LockRefused`. What
 * stands in its place and is no file is left: a holder may have moved its own away.
 */
export async function lockFile(
  { root, disk }: Pick<LockOptions, 'root' | 'disk'>,
  file: string,
): Promise<FileLock | null> {
  const path = join(root, file);
  let fault: Error | null = null;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const wanted = await inodeAt(disk, file, path);
    if (wanted === null) {
      await makeEmpty(disk, file);
      continue;
    }
    await mustBeOpen(path, constants.R_OK | constants.W_OK, 'it cannot be locked');
    const lock = await lockInPlace(path).catch(asError);
    // Its holder may have removed it meanwhile, and the number of its inode may be another file's by now.
    if (lock instanceof Error) {
      fault = lock;
      continue;
    }
    if (lock === null) return null;
    const stands = async (): Promise<boolean> => (await inodeAt(disk, file, path)) === wanted;
    if (await stands()) return { ...lock, stands };
    lock.release();
  }
  if (fault !== null) throw fault;
  throw new LockRefused(`${path} is removed again and again: find out who does it.`);
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(textOf(error)));

/** null = there is none. */
async function inodeAt(disk: Disk, file: string, path: string): Promise<string | null> {
  const stat = await disk.stat(file);
  if (stat !== null && stat.kind !== 'file') {
    throw new LockRefused(`${path} is not a regular file: move it away, the town makes its own.`);
  }
  return stat?.mark.split(':', 1)[0] ?? null;
}

async function lockInPlace(path: string): Promise<Lock | null> {
  try {
    return await tryLock(path);
  } catch (error) {
    if (resultOf(error) === SQLITE_BUSY) return null;
    if (resultOf(error) !== SQLITE_NOTADB) throw error;
    // SQLite looks at the lock before it looks into the file, so the lock is free. Emptied in place the file keeps its
    // inode for other processes about to lock it.
    await truncate(path);
    return tryLock(path);
  }
}

/** Looked at, not opened: closing it would give up a lock that this process holds. */
async function mustBeOpen(path: string, mode: number, so: string): Promise<void> {
  try {
    await access(path, mode);
  } catch (error) {
    if (codeOf(error) !== 'EACCES') return; // A missing file is made, and opening it reports every other error.
    throw new LockRefused(`${path} is closed to this user (permission denied), so ${so}: see to its permissions.`);
  }
}

/** With the rights of everything else here; SQLite would take the umask's. */
async function makeEmpty(disk: Disk, path: string): Promise<void> {
  try {
    await disk.write(path, '');
  } catch (error) {
    // Another start was first: it makes no difference who made it.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

const SQLITE_BUSY = 5;
const SQLITE_NOTADB = 26;
/** SQLite's extended results carry more in the higher bits. */
const PRIMARY = 0xff;

function resultOf(error: unknown): number | null {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & PRIMARY
    : null;
}

/** Kept reachable: a collected connection would close its file and with it give up the lock. */
const held = new Set<object>();

async function tryLock(path: string): Promise<Lock> {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw error;
  }
  held.add(database);
  return {
    release: () => {
      if (held.delete(database)) database.close();
    },
  };
}

/** One guard a root, by the same means; null = another guard has it. Rejects with `LockRefused` too. */
export function takeGuardLock(options: Pick<LockOptions, 'root' | 'disk'>): Promise<Lock | null> {
  return lockFile(options, FILES.guardLock);
}

async function refusedBy({ root, disk, maxBytes }: LockOptions): Promise<LockRefused> {
  const said = await runningOf(disk, maxBytes).town();
  // There is no record if daemon.pid was removed under the town.
  const pid = said.kind === 'town' ? said.town.pid : await lockHolder(root).catch(() => null);
  const who = pid === null ? 'A town' : `A town (pid ${pid})`;
  const next = `see \`town status --root ${shellWord(root)}\`, and \`town down --root ${shellWord(root)}\` to end it`;
  return new LockRefused(`${who} runs on ${root} already: ${next}.`, pid);
}

/** Types of file systems, as statfs gives them, whose locks may not reach other hosts. */
const NETWORK: Readonly<Record<number, string>> = {
  0x6969: 'NFS',
  0x517b: 'SMB',
  0xfe534d42: 'SMB',
  0xff534d42: 'CIFS',
  0x5346414f: 'AFS',
  0x00c36400: 'Ceph',
  0x0bd00bd0: 'Lustre',
};

async function refuseNetwork(root: string): Promise<void> {
  const { type } = await statfs(root);
  const name = process.platform === 'linux' ? NETWORK[type >>> 0] : undefined;
  if (name === undefined) return;
  throw new LockRefused(`${root} is on a network file system (${name}), where a lock is none: choose a local --root.`);
}

const MINOR_BITS = 8;
const MAJOR_MASK = 0xfff;
const MINOR_LOW = 0xff;
const MINOR_HIGH_SHIFT = 12;

/** `maj:min:ino`, as /proc/locks writes a file. */
function lockName(dev: number, ino: number): string {
  const major = Math.floor(dev / 2 ** MINOR_BITS) & MAJOR_MASK;
  const minor = (dev & MINOR_LOW) | (Math.floor(dev / 2 ** MINOR_HIGH_SHIFT) & ~MINOR_LOW);
  const hex = (value: number) => value.toString(16).padStart(2, '0');
  return `${hex(major)}:${hex(minor)}:${ino}`;
}

/** Pid of the town that holds the root; null = none does, or this system does not list locks. Opens nothing. */
export function lockHolder(root: string): Promise<number | null> {
  return holderOf(join(root, FILES.lock), 'POSIX');
}

/** Whether this process is known to hold the root by the lock file that stands there now. */
export const holdsRoot = async (root: string): Promise<boolean> => (await lockHolder(root)) === process.pid;

/** Pid of the process that holds a lock of this kind on a file; null = none does, or this system does not list locks. */
export async function holderOf(path: string, wantedKind: 'FLOCK' | 'POSIX'): Promise<number | null> {
  try {
    const { dev, ino } = await stat(path);
    const wanted = lockName(dev, ino);
    for (const row of (await readFile('/proc/locks', 'utf8')).split('\n')) {
      // A row with `->` is a process that waits for the lock.
      const [, kind, , , pid, file] = row.trim().split(/\s+/);
      if (kind === wantedKind && file === wanted) return Number(pid);
    }
    return null;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw new LockRefused(
      `${path} cannot be looked at (${textOf(error)}), so it is unknown whether a daemon holds it.`,
    );
  }
}
