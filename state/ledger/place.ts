/**
 * The ledger's place on the disk: its folder, its lock file, which file stands there, and the way out for a damaged one.
 * All by name: no descriptor of the ledger's file is opened here, since closing it would give up SQLite's locks.
 */
import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, renameSync, writeFileSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncPath } from './backups.ts';
import { codeOf } from '../files/disk.ts';
import { FILES, FOLDERS } from '../files/layout.ts';
import { foreignWords } from '../files/trusted-roots.ts';
import { LedgerFault } from './fault.ts';
import { SwapLock } from './swap-lock.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const OTHERS = 0o077;
/** The file and what SQLite keeps beside it: they belong together. */
const PARTS = ['', '-wal', '-shm'] as const;

export interface Place {
  /** Absolute, as is the ledger's file in it. */
  readonly root: string;
  readonly path: string;
  readonly wall: () => number;
  /** Tells writers apart. */
  readonly tag: string;
}

export const statOf = (path: string): Stats | null => lstatSync(path, { throwIfNoEntry: false }) ?? null;

/** Which file stands there; null = none. Throws LedgerFault for what is no plain file of ours. */
export function inodeOf(path: string): string | null {
  const stat = statOf(path);
  if (stat === null) return null;
  const why = stat.isFile() ? foreignWords(path, stat) : 'it is no regular file';
  if (why === null) return `${stat.dev}:${stat.ino}`;
  throw new LedgerFault('ledger_foreign', `${path} is not to be trusted (${why}): move it away`);
}

function makeUnlessThere(make: () => void): void {
  try {
    make();
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Makes the folder and the lock in it, where they are missing. Throws LedgerFault. */
export function makePlace(path: string): SwapLock {
  const folder = dirname(path);
  makeUnlessThere(() => mkdirSync(folder, { mode: FOLDER_MODE }));
  const stat = lstatSync(folder);
  if (!stat.isDirectory()) throw new LedgerFault('ledger_foreign', `${folder} is no folder: move it away`);
  if ((stat.mode & OTHERS) !== 0) chmodSync(folder, FOLDER_MODE);
  const lock = join(folder, 'lock.db');
  makeUnlessThere(() => closeSync(openSync(lock, 'wx', FILE_MODE)));
  return new SwapLock(lock);
}

/** An empty file for SQLite, which would make one with the rights of the umask. */
export function makeEmpty(path: string): void {
  closeSync(openSync(path, 'wx', FILE_MODE));
  syncPath(dirname(path));
}

/** The file and what belongs to it, into quarantine with the reason; where it is then, relative to the root; null = nothing was there. */
export function moveAway({ root, path, wall, tag }: Place, why: string): string | null {
  const parts = PARTS.filter((part) => statOf(`${path}${part}`) !== null);
  if (parts.length === 0) return null;
  const movedTo = `${FOLDERS.quarantine}/${wall()}-${tag}-ledger-town.db`;
  mkdirSync(join(root, FOLDERS.quarantine), { recursive: true, mode: FOLDER_MODE });
  const at = new Date(wall()).toISOString();
  const reason = { schema: 'quarantined/1', file: FILES.ledger, why, requester: null, at };
  writeFileSync(join(root, `${movedTo}.why`), `${JSON.stringify(reason)}\n`, { mode: FILE_MODE });
  for (const part of parts) renameSync(`${path}${part}`, join(root, `${movedTo}${part}`));
  [join(root, FOLDERS.quarantine), dirname(path)].forEach(syncPath);
  return movedTo;
}
