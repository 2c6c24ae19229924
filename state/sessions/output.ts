/**
 * What agents print: output/<session>.log. One without a pane writes it itself (C-7), so it goes on while the town is down;
 * of one with a pane the town adds what its dead pane still shows, before the pane goes (law 4).
 */
import { closeSync, constants, fstatSync, openSync, readSync, renameSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Disk } from '../files/disk.ts';
import { FOLDERS, nameOf } from '../files/layout.ts';

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
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
