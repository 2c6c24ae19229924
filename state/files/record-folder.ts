/**
 * Reads record files out of a folder, and sees to the ones that cannot be read.
 * 1. Lack of resources (too many open files) is unknown: it rejects, and judges no file by it (law 1).
 * 2. A file that vanishes while it is read has moved on: it is in its next place.
 * 3. What is no regular file, is too large, or does not decode goes to quarantine; a newer version's is left alone.
 * 4. What is left alone may still count: `readAt` rejects then, so that no caller takes it for none and overwrites it.
 */
import { codeOf, NotReadable, wordsOf, type Disk, type Stat } from './disk.ts';
import type { Decoded } from './decode.ts';
import { folderOf, isRecordName } from './layout.ts';
import type { LeftBehind, Quarantine } from './quarantine.ts';

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

/** A record stands there that this process cannot read, and which may count: for a newer version, or at another time. */
export class LeftAlone extends NotReadable {
  readonly is: LeftBehind['is'];

  constructor(path: string, { is, why }: LeftBehind) {
    super(`${path} cannot be read: ${why}; mend it or move it away`);
    this.is = is;
  }
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
    if (codeOf(error) === 'EIO') quarantine.leave(path, stat, { is: 'unread', why });
    else await quarantine.move(path, stat, why);
    return null;
  }
}

/** What stands there, by this look; null = it does not count, which was told, or it is left alone. */
async function lookAt<T>(
  records: RecordFolder<T>,
  name: string,
  { path, stat }: Pick<RecordFile<T>, 'path' | 'stat'>,
): Promise<RecordFile<T> | null> {
  if (records.quarantine.wasLeft(path, stat)) return null;
  const text = await readText(records, path, stat, records.maxBytes);
  if (text === null) return null;
  const decoded = records.decode(text, name);
  if (decoded.ok) {
    records.quarantine.counts(path);
    return { name, path, stat, value: decoded.value, isChecksummed: decoded.isChecksummed };
  }
  const { what, why, requester } = decoded;
  if (what === 'newer') records.quarantine.leave(path, stat, { is: what, why }, requester);
  else if (what === 'bad' || records.mayBeCut?.(name, stat) !== true)
    await records.quarantine.move(path, stat, why, requester);
  return null;
}

/** One file; null = it is gone, was refused, or is left alone. */
export async function readRecord<T>(records: RecordFolder<T>, name: string): Promise<RecordFile<T> | null> {
  const path = `${records.folder}/${name}`;
  const stat = await records.disk.stat(path);
  return stat && lookAt(records, name, { path, stat });
}

/** One file; null = there is none that counts. Rejects with `LeftAlone` where one may count that cannot be read. */
export async function readAt<T>(records: Omit<RecordFolder<T>, 'folder'>, path: string): Promise<RecordFile<T> | null> {
  const folder = folderOf(path);
  const stat = await records.disk.stat(path);
  if (stat === null) return null;
  const found = await lookAt({ ...records, folder }, path.slice(folder.length + 1), { path, stat });
  const left = found === null ? records.quarantine.mayCount(path, stat) : null;
  if (left !== null) throw new LeftAlone(path, left);
  return found;
}

/** For readers who do without: null also where it is left alone, or for this reason alone. They write nothing there, or `makeWay` first. */
export async function noneIfLeft<T>(reading: Promise<T>, only?: LeftAlone['is']): Promise<T | null> {
  return reading.catch((error: unknown) => {
    if (error instanceof LeftAlone && (only ?? error.is) === error.is) return null;
    throw error;
  });
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
