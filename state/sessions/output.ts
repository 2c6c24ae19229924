/**
 * What agents print: output/<session>.log. One without a pane writes it itself (C-7), so it goes on while the town is down;
 * of one with a pane the town adds what its dead pane still shows, before the pane goes (law 4).
 * An agent holds its file open for as long as it runs. So a file that has grown large is copied and emptied, not renamed: the
 * agent appends, and goes on at the new end. What it writes between the last read and the cut, microseconds, is lost.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Disk } from '../files/disk.ts';
import { FOLDERS, nameOf } from '../files/layout.ts';

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;
const PRIVATE_FILE = 0o600;

/** Relative to the root. */
export const outputPath = (session: string): string => `${FOLDERS.output}/${nameOf(session)}.log`;
/** A file that has grown large makes way; one before it is kept. */
const olderOf = (path: string): string => `${path}.1`;

/** Both, the older one first, relative to the root. */
export const keptPaths = (session: string): readonly string[] => [olderOf(outputPath(session)), outputPath(session)];

/** Between two lives, for a reader of both. */
export const startedAgain = (session: string): string => `--- ${session} started again`;

export interface OutputOptions {
  readonly maxBytes: number;
  /** It is not its first life. */
  readonly again: boolean;
}

/** A descriptor for appending, to be given to the agent and closed. */
export function openOutput(
  root: string,
  session: string,
  { maxBytes, again }: OutputOptions,
): { readonly fd: number; close(): void } {
  const path = join(root, outputPath(session));
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat !== undefined && stat.size > maxBytes) renameSync(path, olderOf(path));
  // A pipe in its place is refused: it may have no reader.
  const fd = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, PRIVATE_FILE);
  // The last one may have ended within a line.
  if (again) writeSync(fd, `\n${startedAgain(session)}\n`);
  return { fd, close: () => closeSync(fd) };
}

/** Bytes that are copied at once. */
const PIECE = 1_048_576;

/**
 * Cuts the output of an agent that runs without a pane, once it is larger than `maxBytes`; its end stands in the older file then.
 * False = it is not that large. Throws where it cannot be copied, and then leaves it as it is.
 */
export function cutOutput(root: string, session: string, maxBytes: number): boolean {
  const path = join(root, outputPath(session));
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= maxBytes) return false;
  const fd = openSync(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  try {
    const { size } = fstatSync(fd);
    const older = olderOf(path);
    // It makes way in any case, and on a full disk it makes room.
    rmSync(older, { force: true });
    const copy = openSync(older, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, PRIVATE_FILE);
    try {
      const from = Math.max(0, size - maxBytes);
      copyFrom(fd, { from, to: size + maxBytes }, copy);
    } finally {
      closeSync(copy);
    }
    ftruncateSync(fd);
    return true;
  } finally {
    closeSync(fd);
  }
}

/** What stands there, and what comes meanwhile; an agent that writes faster than this reads ends it no later than at `to`. */
function copyFrom(fd: number, { from, to }: { readonly from: number; readonly to: number }, copy: number): void {
  const piece = Buffer.alloc(PIECE);
  for (let at = from; at < to;) {
    const bytes = readSync(fd, piece, 0, PIECE, at);
    if (bytes === 0) return;
    for (let written = 0; written < bytes;) written += writeSync(copy, piece, written, bytes - written);
    at += bytes;
  }
}

/** The end of what the last life of an agent without a pane wrote, as rows; none = it wrote nothing. Throws where it cannot be read. */
export function lastRows(root: string, session: string, maxBytes: number): readonly string[] {
  const fd = openSync(join(root, outputPath(session)), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const { size } = fstatSync(fd);
    const end = Buffer.alloc(Math.min(size, maxBytes));
    const bytes = readSync(fd, end, 0, end.length, size - end.length);
    const rows = end.toString('utf8', 0, bytes).split(/\r?\n/);
    // What stands above is of an earlier life.
    return rows.slice(rows.lastIndexOf(startedAgain(session)) + 1);
  } finally {
    closeSync(fd);
  }
}

/** Adds `text` under a heading of its own, of a longer one its end. Durable when it resolves; rejects when it is not kept. */
export async function addOutput(
  disk: Disk,
  session: string,
  { heading, text }: { readonly heading: string; readonly text: string },
  maxBytes: number,
): Promise<void> {
  const path = outputPath(session);
  const stat = await disk.stat(path);
  if (stat?.kind === 'file' && stat.bytes > maxBytes) await disk.rename(path, olderOf(path));
  const bytes = Buffer.from(text);
  const kept = bytes.length > maxBytes ? `…${bytes.toString('utf8', bytes.length - maxBytes)}` : text;
  await disk.append(path, `--- ${heading}\n${kept.replace(/\n*$/, '\n')}`);
  await disk.syncDir(FOLDERS.output);
}
