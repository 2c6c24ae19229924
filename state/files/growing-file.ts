/**
 * The lines of a file that another program appends to, each read once: this owns how far it was read.
 * 1. A file with nothing new costs one look at its size and time. One that grew is read from where its last whole line ended.
 * 2. A line without its end is left until it has one. A line that is longer than a slice is passed over.
 * 3. A file that shrank, was replaced, or holds other words before that place begins anew.
 * 4. As in changing-file.ts: nothing but a plain file of this user's (or root's), and no link, is read.
 */
import { closeSync, constants, fstatSync, readSync, type Stats } from 'node:fs';
import { faultOfOpen } from './ownership.ts';
import { patientFile } from './patient-file.ts';

/** `unread`: there is no such file, or it is not ours. `same`: nothing new. `more`: not read to its end yet. `end`: read to its end. */
export type Growth = 'unread' | 'same' | 'more' | 'end';

export interface GrowingFile {
  /** Reads one slice at most. Never rejects; may take for ever, as the look at a file may. */
  read(): Promise<Growth>;
  /** All bytes that were read so far. */
  readonly bytesRead: number;
}

export interface Lines {
  /** Without its line break; its bytes are others after the call. */
  readonly line: (bytes: Buffer) => void;
  /** All lines until now are void: the file is another one. */
  readonly anew: () => void;
}

const flag = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Bytes before the place where reading goes on: another file, or a changed one, has others there. */
const MARK_BYTES = 64;
const BREAK = 0x0a;
const NONE = Buffer.alloc(0);
const START = { offset: 0, mark: NONE, ino: 0, stamp: '', isSkipping: false };

/** One for all: a slice is read and taken apart at once, and gigabytes of buffers would be kept for a while. */
let buffer = NONE;
function bufferOf(bytes: number): Buffer {
  if (buffer.length < bytes) buffer = Buffer.allocUnsafeSlow(bytes);
  return buffer;
}

const stampOf = ({ ino, size, mtimeMs, ctimeMs }: Stats): string => `${ino} ${size} ${mtimeMs} ${ctimeMs}`;

/** `sliceBytes`: of one read, and of the longest line. */
export function growingFile(path: string, sliceBytes: number, { line, anew }: Lines): GrowingFile {
  const place = patientFile(path);
  let at = START;
  let bytesRead = 0;
  const isOurs = (stat: Stats): boolean => stat.isFile() && faultOfOpen(path, stat) === null;
  const begin = (ino: number): void => {
    if (at.offset > 0) anew();
    at = { ...START, ino };
  };
  const slice = (file: number, stat: Stats): Growth => {
    if (at.ino !== stat.ino || stat.size < at.offset || !isMarked(file, at)) begin(stat.ino);
    const bytes = bufferOf(sliceBytes);
    const wanted = Math.min(stat.size - at.offset, sliceBytes);
    const read = bytes.subarray(0, readSync(file, bytes, 0, wanted, at.offset));
    bytesRead += read.length;
    const isAll = at.offset + read.length >= stat.size;
    const last = read.lastIndexOf(BREAK);
    const isLong = last < 0 && read.length === sliceBytes;
    const taken = read.subarray(0, isLong ? read.length : last + 1);
    at.isSkipping = linesOf(taken, at.isSkipping, line) || isLong;
    const mark = Buffer.concat([at.mark, taken.subarray(-MARK_BYTES)]).subarray(-MARK_BYTES);
    at = { ...at, offset: at.offset + taken.length, mark, stamp: isAll ? stampOf(stat) : '' };
    return isAll ? 'end' : 'more';
  };
  return {
    get bytesRead() {
      return bytesRead;
    },
    read: async () => {
      try {
        const seen = await place.stat();
        if (seen === null || !isOurs(seen)) return 'unread';
        if (at.stamp === stampOf(seen)) return 'same';
        const file = await place.open(flag);
        try {
          const stat = fstatSync(file);
          return isOurs(stat) ? slice(file, stat) : 'unread';
        } finally {
          closeSync(file);
        }
      } catch {
        return 'unread';
      }
    },
  };
}

function isMarked(file: number, { offset, mark }: { readonly offset: number; readonly mark: Buffer }): boolean {
  const now = Buffer.allocUnsafe(mark.length);
  return readSync(file, now, 0, now.length, offset - mark.length) === mark.length && now.equals(mark);
}

/** Whether the end of a line that is passed over is still to come. */
function linesOf(bytes: Buffer, isSkipping: boolean, line: (bytes: Buffer) => void): boolean {
  let isCut = isSkipping;
  let from = 0;
  for (let end = bytes.indexOf(BREAK); end >= 0; end = bytes.indexOf(BREAK, from)) {
    if (!isCut && end > from) line(bytes.subarray(from, end));
    isCut = false;
    from = end + 1;
  }
  return isCut;
}
