/**
 * Reads record files out of a folder, and sees to the ones that cannot be read.
 * 1. Lack of resources (too many open files) is unknown: it rejects, and judges no file by it (law 1).
 * 2. A file that vanishes while it is read has moved on: it is in its next place.
 * 3. What is no regular file, is too large, or does not decode goes to quarantine; a newer version's is left alone.
 */
import { codeOf, NotReadable, wordsOf, type Disk, type Stat } from './disk.ts';
import type { Decoded } from './decode.ts';
import { folderOf, isRecordName } from './layout.ts';
import type { Quarantine } from './quarantine.ts';

const OUT_OF_RESOURCES = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EINTR']);
/** Files read at once: keeps the threads of the pool busy without a descriptor per file. */
const AT_ONCE = 16;

export interface RecordFile<T> {
  readonly name: string;
  readonly path: string;
  readonly stat: Stat;
  readonly value: T;
  readonly isChecksummed: boolean;
}

export interface RecordFolderOptions {
  readonly disk: Disk;
  readonly quarantine: Quarantine;
}

/** A folder of records of one kind. */
export interface RecordFolder<T> extends RecordFolderOptions {
  readonly folder: string;
  readonly maxBytes: number;
  readonly decode: (text: string, name: string) => Decoded<T>;
  /** True when a file that is no JSON may still be under way and is left for now; absent = none is. */
  readonly mayBeCut?: (name: string, stat: Stat) => boolean;
}

async function readText(
  { disk, quarantine }: RecordFolderOptions,
  path: string,
  stat: Stat,
  maxBytes: number,
): Promise<string | null> {
  try {
    return await disk.read(path, maxBytes);
  } catch (error) {
    if (OUT_OF_RESOURCES.has(codeOf(error))) throw error;
    const why = error instanceof NotReadable ? error.message : `it cannot be read (${wordsOf(error)})`;
    // An I/O error may pass, and moving a file that the disk cannot read does not help.
    if (codeOf(error) === 'EIO') quarantine.leave(path, stat, why);
    else await quarantine.move(path, stat, why);
    return null;
  }
}

/** One file; null = it is gone, was refused, or is left alone. */
export async function readRecord<T>(records: RecordFolder<T>, name: string): Promise<RecordFile<T> | null> {
  const path = `${records.folder}/${name}`;
  const stat = await records.disk.stat(path);
  if (stat === null || records.quarantine.wasLeft(path, stat)) return null;
  const text = await readText(records, path, stat, records.maxBytes);
  if (text === null) return null;
  const decoded = records.decode(text, name);
  if (decoded.ok) return { name, path, stat, value: decoded.value, isChecksummed: decoded.sealed };
  if (decoded.what === 'newer') records.quarantine.leave(path, stat, decoded.why, decoded.requester);
  else if (decoded.what === 'bad' || records.mayBeCut?.(name, stat) !== true) {
    await records.quarantine.move(path, stat, decoded.why, decoded.requester);
  }
  return null;
}

export function readAt<T>(records: Omit<RecordFolder<T>, 'folder'>, path: string): Promise<RecordFile<T> | null> {
  const folder = folderOf(path);
  return readRecord({ ...records, folder }, path.slice(folder.length + 1));
}

/** Works through items a few at a time and returns what came of them, in order, without the nulls. */
export async function eachOf<I, T>(items: readonly I[], work: (item: I) => Promise<T | null>): Promise<T[]> {
  const found: T[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE) {
    for (const one of await Promise.all(items.slice(start, start + AT_ONCE).map(work)))
      if (one !== null) found.push(one);
  }
  return found;
}

/** Every record file of a folder that can be trusted, by name. */
export async function readFolder<T>(records: RecordFolder<T>): Promise<RecordFile<T>[]> {
  const names = (await records.disk.list(records.folder)).filter(isRecordName);
  return eachOf(names, (name) => readRecord(records, name));
}
