/**
 * The records of rigs, rigs/<rig>.json, and of polecats, polecats/<rig>.<name>.json. Commands write them, with the town
 * up or down; each change of a rig holds its lock. An unreadable record may stand for something: it is never
 * overwritten.
 */
import { addressOf, sessionOf, type KnownAgents, type PolecatName } from '../../machines/rigs/names.ts';
import type { PolecatRecord, RigRecord } from '../../machines/rigs/records.ts';
import { textOf, type Disk } from '../files/disk.ts';
import { FOLDERS, isRecordName, paths } from '../files/layout.ts';
import type { RecordKind, RecordsIn } from '../files/record-kind.ts';
import { readStrictly } from '../files/strict-read.ts';
import { writeFiles, type FileWrite } from '../files/atomic-write.ts';
import { lockFile, type Lock } from '../process/lock.ts';
import { forgetNotes } from '../patrols/notes.ts';
import { POLECATS, polecatPlace, RIGS } from './schemas.ts';

/** Records that were read, and a sentence for each that could not be. */
export interface ReadRecords<T> {
  readonly found: readonly T[];
  readonly unreadable: readonly string[];
}

export interface RigRecordsOptions {
  readonly disk: Disk;
  /** The time by the disk's clock, for frequent callers: what was read is kept while its folder is unchanged. */
  readonly wall?: () => number;
}

/** All polecats, as they were read, or are being read, while their folder had this mark. */
interface Kept {
  readonly mark: string;
  readonly all: Promise<ReadRecords<PolecatRecord>>;
}

/** A folder that changed so short a time before may have changed again within the same tick of its clock. */
const SETTLED_MS = 100;

/** No name of a rig or a polecat has a dot in it, and none is too long to name a file. */
const POLECAT_FILE = /^([^.=]+)\.([^.]+)\.json$/;

export class RigRecords {
  readonly #options: RigRecordsOptions;
  #kept: Kept | null = null;

  constructor(options: RigRecordsOptions) {
    this.#options = options;
  }

  /** null = there is none. Rejects with `NotReadable` where there is one that does not count. */
  rig(name: string): Promise<RigRecord | null> {
    return this.#read(RIGS.place(name), RIGS);
  }

  polecat(name: PolecatName): Promise<PolecatRecord | null> {
    return this.#read(polecatPlace(name), POLECATS);
  }

  /** By name. */
  rigs(): Promise<ReadRecords<RigRecord>> {
    return this.#readAll(RIGS);
  }

  async polecats(): Promise<ReadRecords<PolecatRecord>> {
    const { disk, wall } = this.#options;
    const folder = wall === undefined ? null : await disk.stat(FOLDERS.polecats);
    if (folder !== null && this.#kept?.mark === folder.mark) return this.#kept.all;
    const isSettled = folder !== null && wall !== undefined && wall() - folder.changedAt > SETTLED_MS;
    const all = this.#readAll(POLECATS);
    this.#kept = isSettled ? { mark: folder.mark, all } : null;
    return all.catch((error: unknown) => {
      this.#kept = null;
      throw error;
    });
  }

  /** Those of one rig; the records of others are not opened, unless all are kept. */
  async polecatsOf(rig: string): Promise<ReadRecords<PolecatRecord>> {
    const isOne = (one: PolecatRecord): boolean => one.rig === rig;
    if (this.#options.wall !== undefined) {
      const all = await this.polecats();
      return { ...all, found: all.found.filter(isOne) };
    }
    // A name that is too long for a file is hashed, and tells nothing of its rig.
    const all = await this.#readAll(POLECATS, (name) => /^=/.test(name) || name.startsWith(`${rig}.`));
    return { ...all, found: all.found.filter(isOne) };
  }

  /** Which polecats are on record, by the names of their files: of 10,000 none is opened. An invalid record may stand for one too. */
  async polecatNames(): Promise<PolecatName[]> {
    const files = (await this.#options.disk.list(FOLDERS.polecats)).filter(isRecordName);
    return files.flatMap((file) => {
      const [, rig, name] = POLECAT_FILE.exec(file) ?? [];
      return rig === undefined || name === undefined ? [] : [{ rig, name }];
    });
  }

  /** Who can be named: rigs that were added, and polecats on record. */
  async agents(): Promise<Pick<KnownAgents, 'rigs' | 'polecats'>> {
    return { rigs: (await this.rigs()).found.map(({ name }) => name), polecats: await this.polecatNames() };
  }

  /** Durable when it resolves. */
  saveRig(record: RigRecord): Promise<void> {
    return this.#write(RIGS.fileOf(record));
  }

  savePolecat(record: PolecatRecord): Promise<void> {
    return this.#write(POLECATS.fileOf(record));
  }

  async removeRig(name: string): Promise<void> {
    await this.#options.disk.remove(RIGS.place(name));
    await this.#options.disk.syncDir(FOLDERS.rigs);
  }

  /** What its agent is told, which finds it by $TOWN_PROMPT_FILE. Durable when it resolves. */
  async savePrompt(name: PolecatName, text: string): Promise<void> {
    const { disk } = this.#options;
    await disk.mkdir(FOLDERS.patrols);
    await writeFiles(disk, [{ path: paths.prompt(sessionOf(name)), text }]);
  }

  async removePolecat(name: PolecatName): Promise<void> {
    await this.#options.disk.remove(paths.prompt(sessionOf(name)));
    await this.#options.disk.remove(polecatPlace(name));
    await this.#options.disk.syncDir(FOLDERS.polecats);
    await forgetNotes(this.#options.disk, addressOf(name));
  }

  /** Only the holder may change anything of this rig; null = another process holds it. `root` is absolute. */
  async lock(root: string, rig: string): Promise<Lock | null> {
    await this.#options.disk.mkdir(FOLDERS.rigs);
    return lockFile({ root, disk: this.#options.disk }, paths.rigLock(rig));
  }

  async #write(file: FileWrite): Promise<void> {
    const { disk } = this.#options;
    for (const folder of [FOLDERS.rigs, FOLDERS.polecats]) await disk.mkdir(folder);
    await disk.syncDir('.');
    await writeFiles(disk, [file]);
  }

  #read<T>(path: string, kind: RecordKind<T>): Promise<T | null> {
    return readStrictly(this.#options.disk, path, kind);
  }

  async #readAll<T>(records: RecordsIn<T>, isWanted: (name: string) => boolean = () => true): Promise<ReadRecords<T>> {
    const found: T[] = [];
    const unreadable: string[] = [];
    for (const name of (await this.#options.disk.list(records.folder)).filter(
      (one) => isRecordName(one) && isWanted(one),
    )) {
      const one = await this.#read(`${records.folder}/${name}`, records).catch((error: unknown) => {
        unreadable.push(textOf(error));
        return null;
      });
      if (one !== null) found.push(one);
    }
    return { found, unreadable };
  }
}
