/**
 * The store of the town: what a step changed becomes durable here before any of its orders gets out.
 * 1. A commit writes all new places, makes them durable, adds to the journal, and only then removes stale files.
 * 2. Absence of a record deletes nothing. Unchanged bytes are not written again.
 * 3. After a failed commit nothing of it is taken for saved: the next one writes all of it anew, from memory.
 * 4. A session's record that was lost under a running town is written anew from memory; its agent stays known meanwhile.
 * 5. What a dance holds is known from memory or read first; only then it is said which warrants are pending.
 */
import type { Dance, Ms, OutcomeBody, SavedRecord, SessionRecord, Warrant } from '../machines/protocol.ts';
import type { StatePolicy } from './files/policy.ts';
import { heardSince, isOpenStill, DanceIndex, numberOf } from './hearings/dances.ts';
import { codeOf } from './files/disk.ts';
import { makeFolders } from './folders.ts';
import { Journal, untoldOf, type JournalLine } from './journal.ts';
import { FOLDERS, isRecordName, paths } from './files/layout.ts';
import { StaleFiles } from './files/stale-files.ts';
import { writeFiles, type FileWrite } from './files/atomic-write.ts';
import { Quarantine, type QuarantineOptions, type Refused } from './files/quarantine.ts';
import type { AnswerFile } from './hearings/schemas.ts';
import { decodeSession, sessionText } from './sessions/records.ts';
import { noneIfLeft, readAt, readFolder } from './files/record-folder.ts';
import { recordFoldersOf, recordFile, type RecordFolders } from './records.ts';
import { Serial } from './files/serial.ts';
import { WarrantInbox } from './hearings/warrants.ts';

/** `onRefused` is called with one sentence for a person. */
export interface StoreOptions extends QuarantineOptions {
  readonly policy: StatePolicy;
  /** How far back closed dances matter to later decisions. */
  readonly heardWithinMs: Ms;
  /** Names that need an operator's force for a warrant (law 6). */
  readonly isProtected?: (session: string) => boolean;
}

export type RecordsRead = Extract<OutcomeBody, { type: 'RECORDS_READ' }>;

export class Store {
  /** The one of the town's process: what one reader left, no other writer overwrites. */
  readonly quarantine: Quarantine;
  readonly #options: StoreOptions;
  readonly #folders: RecordFolders;
  readonly #inbox: WarrantInbox;
  readonly #dances = new DanceIndex();
  readonly #journal: Journal;
  /** Text of each record's file as this process made it durable last. */
  readonly #saved = new Map<string, string>();
  readonly #stale: StaleFiles;
  readonly #serial = new Serial();
  #committing = false;
  #sessions: Map<string, SessionRecord> | null = null;
  /** No session was committed by this process yet. */
  #isUntouched = true;

  constructor(options: StoreOptions) {
    const { disk, policy } = options;
    this.#options = options;
    this.quarantine = new Quarantine({ ...options, onRefused: (one) => this.#refused(one) });
    this.#folders = recordFoldersOf(disk, this.quarantine);
    this.#stale = new StaleFiles(policy.maxFiles);
    this.#journal = new Journal({ ...options, quarantine: this.quarantine });
    this.#inbox = new WarrantInbox({
      disk,
      quarantine: this.quarantine,
      policy,
      isProtected: (name) => options.isProtected?.(name) ?? false,
      session: (name) => this.session(name),
      fingerprintOf: (id) => this.#dances.taken(id),
      isHearingOpen: (id) => this.#dances.isHearingOpen(id),
    });
  }

  /** Makes the folders and removes what crashed writers left. Rejects when the root cannot be written. */
  open(): Promise<void> {
    const { disk, policy, wall } = this.#options;
    return makeFolders(disk, wall(), policy.staleTmpMs);
  }

  /** Resolves when everything is durable. One call at a time. On rejection call again with all that is not saved yet. */
  async commit(records: readonly SavedRecord[], journal: readonly JournalLine[] = []): Promise<void> {
    if (this.#committing) throw new Error('Store.commit was called while another commit runs: wait for it first.');
    this.#committing = true;
    if (records.some(({ kind }) => kind === 'session')) this.#isUntouched = false;
    try {
      await this.#serial.run(() => this.#commit(records, journal));
    } finally {
      this.#committing = false;
    }
  }

  /** The body of RECORDS_READ: open dances, pending warrants, what was heard lately. Excludes commits while it reads. */
  readRecords(): Promise<RecordsRead> {
    return this.#serial.run(() => this.#readRecords());
  }

  /** The pending warrants, bound, oldest first. Cheap when nothing changed. */
  readWarrants(): Promise<Warrant[]> {
    return this.#inbox.read();
  }

  /** Every session that the town started or adopted, by name. What was lost is back on the disk then, if that takes it. */
  async readSessions(): Promise<SessionRecord[]> {
    const saved = [...this.#saved.keys()].filter((path) => path.startsWith(`${FOLDERS.sessions}/`));
    const records = await readFolder(this.#folders.sessions);
    // What a start finds need not be written again. Not later: a reading may be older than a commit beside it.
    if (this.#isUntouched)
      for (const { path, value, isChecksummed } of records)
        if (isChecksummed) this.#saved.set(path, sessionText(value));
    const found = new Map(records.map(({ path, value }) => [path, value]));
    const lost = saved.filter((path) => !found.has(path));
    await Promise.all(lost.map((path) => this.#mend(path)));
    const all = [...found.values(), ...lost.flatMap((path) => this.#remembered(path) ?? [])];
    this.#sessions ??= new Map(all.map((record) => [record.spec.name, record]));
    return all;
  }

  /** As `readSessions`, from memory: only the first call reads. */
  async sessionsNow(): Promise<readonly SessionRecord[]> {
    return this.#sessions === null ? this.readSessions() : [...this.#sessions.values()];
  }

  /** One session's record; null = the town knows none of this name. */
  async session(name: string): Promise<SessionRecord | null> {
    const path = paths.session(name);
    const record = await noneIfLeft(readAt(this.#folders.sessions, path));
    return record?.value ?? this.#remembered(path);
  }

  /**
   * The answer to the question with this code, given by this life or by the operator; null = none. An answer of another
   * life counts for nothing. Rejects where one stands there that the disk cannot read now (law 1).
   */
  async answerFor(code: string, uuid: string): Promise<AnswerFile | null> {
    const answer = (await noneIfLeft(readAt(this.#folders.answers, paths.answer(code)), 'newer'))?.value;
    return answer?.code === code && (answer.uuid === null || answer.uuid === uuid) ? answer : null;
  }

  /** What durable records of hearings say of lives. Reads nothing: it is told once they were read (law 1). */
  get lives(): Pick<DanceIndex, 'maybeSignalled' | 'hears' | 'endOf' | 'sparedBy'> {
    return this.#dances;
  }

  /** P-16: closed dances past their age become one line of the journal. Returns how many. */
  async compact(): Promise<number> {
    const { disk, policy, wall } = this.#options;
    const old = (await readFolder(this.#folders.completed)).filter(
      ({ value: { closedAt } }) => closedAt !== null && wall() - closedAt > policy.completedMs,
    );
    for (const one of [...old]) if (await isOpenStill(disk, one.value)) old.splice(old.indexOf(one), 1);
    if (old.length === 0) return 0;
    // Stale files must be gone for good before the record that outranks them goes.
    for (const folder of [FOLDERS.active, FOLDERS.warrants, FOLDERS.held]) await disk.syncDir(folder);
    const verdicts: Record<string, number> = {};
    for (const { value } of old) verdicts[value.verdict ?? 'failed'] = (verdicts[value.verdict ?? 'failed'] ?? 0) + 1;
    await this.#journal.append([{ at: wall(), kind: 'dances.compacted', dances: old.length, verdicts }]);
    for (const { path, value } of old) {
      await disk.remove(path);
      this.#dances.forget(value);
    }
    return old.length;
  }

  /** A file that does not count. Of a session that this process has in memory nothing is lost. */
  #refused(refused: Refused): void {
    const { file, why, movedTo } = refused;
    const isTorn = movedTo !== null && file.startsWith(`${FOLDERS.sessions}/`) && this.#saved.has(file);
    this.#options.onRefused(
      isTorn
        ? { ...refused, why: `${why.replace(/\.$/, '')}; what stood there is written anew from memory.` }
        : refused,
    );
    // Not waited for: callers may read in a turn of their own.
    if (isTorn) void this.#mend(file);
  }

  /** The next reading, or a commit of it, brings back what this did not. */
  #mend(path: string): Promise<void> {
    const text = (): string | undefined => this.#saved.get(path);
    return this.#serial
      .run(async () => this.#put([text()].flatMap((one) => (one === undefined ? [] : [{ path, text: one }]))))
      .catch(() => undefined);
  }

  /** As this process made it durable last; null = it did not. */
  #remembered(path: string): SessionRecord | null {
    const text = this.#saved.get(path);
    const decoded = text === undefined ? null : decodeSession(text, path.slice(FOLDERS.sessions.length + 1));
    return decoded?.ok === true ? decoded.value : null;
  }

  async #commit(records: readonly SavedRecord[], journal: readonly JournalLine[]): Promise<void> {
    await this.#write(records);
    for (const record of records) {
      if (record.kind === 'dance') this.#wroteDance(record.value);
      if (record.kind === 'session') this.#sessions?.set(record.id, record.value);
      if (record.kind === 'forgotten') this.#sessions?.delete(record.id);
    }
    await this.#journal.append(journal);
    await this.#stale.removeAll();
  }

  async #readRecords(): Promise<RecordsRead> {
    const { wall, heardWithinMs } = this.#options;
    const active = await readFolder(this.#folders.active);
    const completed = await readFolder(this.#folders.completed);
    for (const { value } of completed) this.#found(value);
    for (const { value } of active) this.#found(value);
    this.#dances.learned();
    await this.#stale.removeAll();
    // In both places: a crash came before the old one was left. It is left with the next commit, which tells what was not told.
    const twice = active.filter(({ value }) => this.#dances.isClosed(value.id));
    for (const { path } of twice) this.#stale.add(() => this.#options.disk.remove(path));
    const ids = new Set(twice.map(({ value }) => value.id));
    const untold = await untoldOf(
      this.#options.disk,
      completed.flatMap(({ value }) => (ids.has(value.id) ? [value] : [])),
    );
    const open = (await this.#options.disk.list(FOLDERS.active)).filter(isRecordName);
    // An unread record in its place may hold any warrant: then nothing goes back to the queue.
    await this.#inbox.sortHeld(open.every((name) => active.some((record) => record.name === name)));
    const files = [...open, ...(await this.#options.disk.list(FOLDERS.completed))];
    const dances = active.map(({ value }) => value).filter(({ id }) => !this.#dances.isClosed(id));
    const names = [...new Set(dances.map(({ target }) => target.session))];
    const covered = names.filter((name) => this.#options.isProtected?.(name) ?? false);
    return {
      type: 'RECORDS_READ',
      dances,
      ...(untold.length > 0 && { untold }),
      ...(covered.length > 0 && { protected: covered }),
      // Last, because only now it is known which warrants a dance holds.
      warrants: await this.#inbox.read(),
      heard: heardSince(
        completed.map(({ value }) => value),
        wall() - heardWithinMs,
      ),
      lastDanceMs: files.reduce((most, name) => Math.max(most, numberOf(name)), 0),
    };
  }

  async #write(records: readonly SavedRecord[]): Promise<void> {
    const files = new Map<string, string>();
    for (const { path, text } of records.map(recordFile)) {
      files.delete(path);
      if (text === null) this.#drop(path);
      else files.set(path, text);
    }
    for (const [path, text] of files) {
      if (this.#saved.get(path) === text) files.delete(path);
      else this.#saved.delete(path);
    }
    if (files.size === 0) return;
    await this.#put([...files].map(([path, text]) => ({ path, text })));
    for (const [path, text] of files) if (!path.startsWith(FOLDERS.completed)) this.#saved.set(path, text);
  }

  /** A folder in the place of a record is put away like any invalid file: it must not block the town. */
  async #put(files: readonly FileWrite[]): Promise<void> {
    const { disk } = this.#options;
    for (const { path } of files) await this.quarantine.makeWay(path);
    try {
      await writeFiles(disk, files);
    } catch (error) {
      if (codeOf(error) !== 'EISDIR') throw error;
      for (const { path } of files) {
        const stat = await disk.stat(path);
        if (stat?.kind === 'folder') await this.quarantine.move(path, stat, 'it is a folder where a record goes');
      }
      await writeFiles(disk, files);
    }
  }

  /** After everything else of the commit, unless something is written there again first. */
  #drop(path: string): void {
    this.#saved.delete(path);
    this.#stale.add(async () => {
      if (!this.#saved.has(path)) await this.#options.disk.remove(path);
    });
  }

  #wroteDance(dance: Dance): void {
    const { disk } = this.#options;
    this.#leaveQueue(dance, this.#dances.saved(dance));
    if (dance.stage !== 'closed') return;
    this.#saved.delete(paths.active(dance.id));
    this.#stale.add(() => disk.remove(paths.active(dance.id)));
    for (const { code } of dance.attempts) this.#stale.add(() => disk.remove(paths.answer(code)));
  }

  /** A dance that was read, from any process: its stale files are removed if a crash left them. */
  #found(dance: Dance): void {
    if (this.#dances.isClosed(dance.id)) return;
    this.#leaveQueue(dance, this.#dances.found(dance));
  }

  /** `fresh`: warrants that the dance did not hold before. */
  #leaveQueue({ stage, warrants }: Dance, fresh: Dance['warrants']): void {
    if (stage === 'closed') for (const warrant of warrants) this.#stale.add(() => this.#inbox.removeClosed(warrant));
    else for (const warrant of fresh) this.#stale.add(() => this.#inbox.moveToHeld(warrant));
  }
}
