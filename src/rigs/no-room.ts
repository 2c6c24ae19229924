/** A disk without room for a worktree, as a refusal that names the file system and what is left there. */
import { realpath, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { sizeText } from '../../machines/kernel/span.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { textOf } from '../../state/files/disk.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { isThere } from '../git/files.ts';
import { dirOf } from './place.ts';
import { withGit } from './repository.ts';
import type { Case } from './yard.ts';

/** What the system and git say where a disk, or this user's share of it, is full … */
const FULL = /no space left on device|disk quota exceeded|disk is full/i;
/** … and what git says of a file that it could not write, by any cause. */
const UNWRITTEN = /unable to write file/i;

/** The remote's own disk is not ours to name. */
const REMOTES = /(?:^|[\s:])remote: /;

/** The code of the refusal: each further try fails too, until a person makes room. */
export const NO_ROOM = 'no_room';

/** A worktree that is to be made. */
type Making = Pick<PolecatRecord, 'rig' | 'name'> & Partial<Pick<PolecatRecord, 'base'>>;

interface Left {
  /** Where the file system is mounted. */
  readonly on: string;
  readonly bytes: number;
  /** Bytes that are given out at once. */
  readonly block: number;
  /** It has bytes left, and no place for one more file. */
  readonly isOutOfFiles: boolean;
}

/** Worktrees that found no room, by place and commit: the most bytes that were free there before such a try. */
const hadNoRoom = new Map<string, number>();

/**
 * Makes a worktree. Throws the refusal where there is no room; where there was none and no more is free since, it does so before a try, which
 * would fill the disk up to its last byte. With more room it tries: what the worktree takes is an estimate (a sparse one takes less).
 */
export async function makeWhereRoom(at: Case, making: Required<Making>, make: () => Promise<void>): Promise<void> {
  const folder = dirname(dirOf(at, making));
  const key = `${folder}\0${making.base}`;
  const left = await leftAt(folder).catch(() => null);
  if (left !== null && left.bytes <= (hadNoRoom.get(key) ?? -1)) {
    const needed = await neededFor(at, making.base, left.block).catch(() => 0);
    if (needed > left.bytes) throw refusal(making, needed, left);
  }
  try {
    await make();
  } catch (error) {
    const full = await fullDisk(at, making, error);
    if (full === null) throw error;
    // Of another disk that is full nothing here tells when there is room again.
    if (left?.on === full.least.on) hadNoRoom.set(key, left.bytes);
    throw refusal(making, full.needed, full.least);
  }
  hadNoRoom.delete(key);
}

/** The error as a refusal, if it comes from a disk that is full; else null. */
export async function noRoomIn(at: Case, making: Making, error: unknown): Promise<Failure | null> {
  const full = await fullDisk(at, making, error);
  return full && refusal(making, full.needed, full.least);
}

interface Full {
  /** Bytes; null = unknown. */
  readonly needed: number | null;
  readonly least: Left;
}

async function fullDisk(at: Case, making: Making, error: unknown): Promise<Full | null> {
  const why = textOf(error).replaceAll('\n', ' ');
  if ((!FULL.test(why) && !UNWRITTEN.test(why)) || REMOTES.test(why)) return null;
  const least = await leastOf([dirname(dirOf(at, making)), at.yard.root, at.rig.commonDir, tmpdir()]);
  const needed = making.base === undefined ? null : await neededFor(at, making.base, least.block).catch(() => null);
  if (!FULL.test(why) && (needed === null || needed <= least.bytes)) return null;
  return { needed, least };
}

function refusal(making: Making, needed: number | null, least: Left): Failure {
  const size = needed === null ? '' : `, which takes ${sizeText(needed)}`;
  const space = least.isOutOfFiles ? 'no file more' : sizeText(least.bytes);
  const text = `no room for the worktree of ${making.rig}/${making.name}${size}: ${least.on} has ${space} left; free some space there`;
  return new Failure(EXIT.failed, NO_ROOM, text);
}

/** The file system with the least left, among those of these folders. */
async function leastOf(folders: readonly string[]): Promise<Left> {
  const all = await Promise.all(folders.map((folder) => leftAt(folder).catch(() => [])));
  const [least = { on: '/', bytes: 0, block: 1, isOutOfFiles: false }] = all
    .flat()
    .toSorted((one, other) => Number(other.isOutOfFiles) - Number(one.isOutOfFiles) || one.bytes - other.bytes);
  return least;
}

/** Of a folder that is not there: where it would be made. */
async function leftAt(folder: string): Promise<Left> {
  if (!(await isThere(folder)) && folder !== '/') return leftAt(dirname(folder));
  const { bavail, bsize, files, ffree } = await statfs(folder);
  // Some file systems count no files at all.
  return { on: await mountOf(folder), bytes: bavail * bsize, block: bsize, isOutOfFiles: files > 0 && ffree === 0 };
}

async function mountOf(folder: string): Promise<string> {
  const path = await realpath(folder);
  const { dev } = await stat(path);
  let at = path;
  while (at !== '/' && (await stat(dirname(at))).dev === dev) at = dirname(at);
  return at;
}

/** Bytes that all files of a commit take. */
async function neededFor({ rig }: Case, commit: string, block: number): Promise<number> {
  const files = await withGit(rig, ({ repo }) => repo.run(['ls-tree', '-r', '-l', '-z', '--full-tree', commit]));
  // mode, type, object, size, and the name after a tab; of a submodule the size is a dash.
  const sizes = files.split('\0').map((line) => Number(/^\S+ \S+ \S+ +(\d+)\t/.exec(line)?.[1] ?? 0));
  return sizes.reduce((sum, size) => sum + Math.ceil(size / block) * block, 0);
}
