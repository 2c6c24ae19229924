/** A disk without room for a worktree, as a refusal that names the file system and what is left there. */
import { realpath, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { sizeText } from '../../machines/kernel/span.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { textOf } from '../../state/files/disk.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
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

/** Worktrees that found no room, by place and commit. */
const hadNoRoom = new Set<string>();

/** Throws the refusal where a worktree that found no room would find none again. So no further try fills the disk up to its last byte. */
export async function refuseStillNoRoom(at: Case, making: Required<Making>): Promise<void> {
  const key = keyOf(at, making);
  if (!hadNoRoom.has(key)) return;
  const left = await leastOf([dirname(dirOf(at, making))]);
  const needed = await neededFor(at, making.base, left.block);
  if (needed > left.bytes) throw refusal(making, needed, left);
  hadNoRoom.delete(key);
}

const keyOf = (at: Case, making: Making): string => `${dirname(dirOf(at, making))}\0${making.base ?? ''}`;

/** The error as a refusal, if it comes from a disk that is full; else null. */
export async function noRoomIn(at: Case, making: Making, error: unknown): Promise<Failure | null> {
  const why = textOf(error).replaceAll('\n', ' ');
  if ((!FULL.test(why) && !UNWRITTEN.test(why)) || REMOTES.test(why)) return null;
  const least = await leastOf([dirname(dirOf(at, making)), at.yard.root, at.rig.commonDir, tmpdir()]);
  const needed = making.base === undefined ? null : await neededFor(at, making.base, least.block).catch(() => null);
  if (!FULL.test(why) && (needed === null || needed <= least.bytes)) return null;
  hadNoRoom.add(keyOf(at, making));
  return refusal(making, needed, least);
}

function refusal(making: Making, needed: number | null, least: Left): Failure {
  const size = needed === null ? '' : `, which takes ${sizeText(needed)}`;
  const space = least.isOutOfFiles ? 'no file more' : sizeText(least.bytes);
  const text = `no room for the worktree of ${making.rig}/${making.name}${size}: ${least.on} has ${space} left; free some space there`;
  return new Failure(EXIT.failed, NO_ROOM, text);
}

/** The file system with the least left, among those of folders that are there. */
async function leastOf(folders: readonly string[]): Promise<Left> {
  const all = await Promise.all(folders.map((folder) => leftAt(folder).catch(() => [])));
  const [least = { on: '/', bytes: 0, block: 1, isOutOfFiles: false }] = all
    .flat()
    .toSorted((one, other) => Number(other.isOutOfFiles) - Number(one.isOutOfFiles) || one.bytes - other.bytes);
  return least;
}

async function leftAt(folder: string): Promise<Left> {
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
