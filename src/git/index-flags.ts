/**
 * Whether any file of an index bears a flag that hides it from git's own comparison (assume-unchanged, skip-worktree). Read off the
 * index itself, whose format is fixed (gitformat-index): to ask git takes a process for each worktree at each look.
 */
import { readFile, stat } from 'node:fs/promises';
import { absentIs } from '../../state/files/disk.ts';
import { GIT } from './policy.ts';

const SIGNATURE = 'DIRC';
const HEADER = 12;
/** Times, device, inode, mode, owner and size stand before the object's name. */
const BEFORE_NAME = 40;
const FLAG_BYTES = 2;
const ASSUMED_UNCHANGED = 0x8000;
const IS_EXTENDED = 0x4000;
const NAME_LENGTH = 0x0fff;
/** In the further flags, which only an extended entry has. */
const SKIPPED = 0x4000;

/** By how many bytes a hash has: SHA-1, SHA-256. */
export type HashBytes = 20 | 32;

/** null = it is not known: no whole index, a very large one, of a version that is not read here, or shared with another one. */
export async function hasHiddenFlag(file: string, hashBytes: HashBytes): Promise<boolean | null> {
  const found = await absentIs(null, stat(file));
  // Nothing was ever added.
  if (found === null) return false;
  if (found.size > GIT.maxIndexBytes) return null;
  const bytes = await readFile(file);
  try {
    return flagIn(bytes, hashBytes);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Throws RangeError where it ends too early. */
export function flagIn(bytes: Buffer, hashBytes: HashBytes): boolean | null {
  const version = bytes.readUInt32BE(4);
  if (bytes.toString('latin1', 0, 4) !== SIGNATURE || version < 2 || version > 4) return null;
  let at = HEADER;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const flags = bytes.readUInt16BE(at + BEFORE_NAME + hashBytes);
    if ((flags & ASSUMED_UNCHANGED) !== 0) return true;
    const isExtended = (flags & IS_EXTENDED) !== 0;
    if (isExtended && (bytes.readUInt16BE(at + BEFORE_NAME + hashBytes + FLAG_BYTES) & SKIPPED) !== 0) return true;
    const name = at + BEFORE_NAME + hashBytes + FLAG_BYTES * (isExtended ? 2 : 1);
    at = version === 4 ? endOfShortened(bytes, name) : endOfPadded(bytes, { at, name, flags });
  }
  return isWhole(bytes, at, hashBytes) ? false : null;
}

/** Versions 2 and 3: one to eight NULs behind the name make the entry a multiple of eight. */
function endOfPadded(bytes: Buffer, { at, name, flags }: Readonly<Record<'at' | 'name' | 'flags', number>>): number {
  const known = flags & NAME_LENGTH;
  const end = known < NAME_LENGTH ? name + known : endOfText(bytes, name);
  return at + (Math.floor((end - at) / 8) + 1) * 8;
}

/** Version 4: how much of the name before it goes, then the rest of the name and a NUL. */
function endOfShortened(bytes: Buffer, name: number): number {
  let at = name;
  while ((bytes.readUInt8(at) & 0x80) !== 0) at += 1;
  return endOfText(bytes, at + 1) + 1;
}

function endOfText(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(0, from);
  if (end < 0) throw new RangeError('a name without an end');
  return end;
}

/** `link`: most of its entries stand in another index. `sdir`: folders stand for the files in them. */
const OF_OTHERS: readonly string[] = ['link', 'sdir'];

/** Extensions and a hash of all follow, to the last byte. */
function isWhole(bytes: Buffer, from: number, hashBytes: HashBytes): boolean {
  let at = from;
  while (at < bytes.length - hashBytes) {
    if (OF_OTHERS.includes(bytes.toString('latin1', at, at + 4))) return false;
    at += 8 + bytes.readUInt32BE(at + 4);
  }
  return at === bytes.length - hashBytes;
}
