/**
 * The inbox of warrants. Any program may put a file there; it counts once it is bound to one life of a known session.
 * 1. A warrant that a dance holds is not pending, wherever its file still lies. The dance is durable before its file leaves the
 *    queue for held/, and closed before it goes for good: a dance whose record is lost loses none of its warrants.
 * 2. Only a life that the town itself recorded is heard: the file's own word for it counts only as far as it agrees.
 * 3. At most `maxFiles` pending warrants are held in memory; the others wait in the folder, the oldest coming first.
 */
import type { SessionRecord, Warrant } from '../../machines/protocol.ts';
import type { StatePolicy } from '../files/policy.ts';
import { saysNothing } from '../../machines/kernel/shell-safe-text.ts';
import type { Decoded } from '../files/decode.ts';
import { bind } from './binding.ts';
import { UNNAMED, type Disk, type Stat } from '../files/disk.ts';
import { FOLDERS, isRecordName, paths } from '../files/layout.ts';
import { writeFiles } from '../files/atomic-write.ts';
import { WARRANT, type WarrantFile } from './schemas.ts';
import { fingerprint } from '../files/checksum.ts';
import { eachOf, readRecord, readFolder } from '../files/record-folder.ts';
import type { RecordFile, RecordFolder, RecordFolderOptions } from '../files/record-folder.ts';

/** Tells warrants apart that share an id. */
export function warrantFingerprint({ target, requester, filedAt, reason }: Warrant): string {
  return fingerprint(JSON.stringify([target.uuid, requester, filedAt, reason]));
}

export function warrantText(warrant: Warrant): string {
  return WARRANT.text({
    id: warrant.id,
    target: warrant.target.session,
    reason: warrant.reason,
    requester: warrant.requester,
    filed_at: new Date(warrant.filedAt).toISOString(),
    incarnation: warrant.target,
    force: warrant.force,
    ...(warrant.via !== undefined && { via: warrant.via }),
  });
}

/** What is wrong with the words of a warrant; null = nothing. Lengths in characters. */
export function wordsFault({ reason, requester }: Pick<Warrant, 'reason' | 'requester'>, most: number): string | null {
  for (const [what, text] of Object.entries({ reason, requester })) {
    if (saysNothing(text)) return `its ${what} is empty`;
    if (text.length > most) return `its ${what} has ${String(text.length)} characters, the limit is ${String(most)}`;
  }
  return null;
}

export function decodeWarrant(text: string, policy: StatePolicy): Decoded<WarrantFile> {
  const decoded = WARRANT.decode(text, '');
  if (!decoded.ok) return decoded;
  const why = wordsFault(decoded.value, policy.maxChars);
  return why === null ? decoded : { ok: false, what: 'bad', why, requester: decoded.value.requester };
}

const fileOf = (path: string) => path.slice(FOLDERS.warrants.length + 1);

export interface WarrantInboxOptions extends RecordFolderOptions {
  readonly disk: Disk;
  readonly policy: StatePolicy;
  /** Whether only an operator's force may touch this session. */
  readonly isProtected: (session: string) => boolean;
  /** The record of a session; null = the town knows none of this name. */
  readonly session: (name: string) => Promise<SessionRecord | null>;
  /** The fingerprint of the warrant with this id that a dance holds. */
  readonly fingerprintOf: (id: string) => string | undefined;
  /** Whether that dance is open. */
  readonly isHearingOpen: (id: string) => boolean;
}

interface Pending {
  readonly warrant: Warrant;
  readonly mark: string;
}

export class WarrantInbox {
  readonly #options: WarrantInboxOptions;
  readonly #folder: RecordFolder<WarrantFile>;
  readonly #pending = new Map<string, Pending>();
  /** Files that were no JSON at their last reading; a program that writes in place gets one more round. */
  readonly #cut = new Map<string, string>();
  #reading: Promise<void> | null = null;

  constructor(options: WarrantInboxOptions) {
    this.#options = options;
    this.#folder = {
      disk: options.disk,
      quarantine: options.quarantine,
      folder: FOLDERS.warrants,
      maxBytes: WARRANT.maxBytes,
      decode: (text) => decodeWarrant(text, options.policy),
      mayBeCut: (name, stat) => {
        if (this.#cut.get(name) === stat.mark) return false;
        this.#cut.set(name, stat.mark);
        return true;
      },
    };
  }

  /** The pending warrants, oldest first. Costs one listing when nothing changed; calls at once share one reading. */
  async read(): Promise<Warrant[]> {
    this.#reading ??= this.#readNew().finally(() => {
      this.#reading = null;
    });
    await this.#reading;
    return [...this.#pending.values()]
      .map(({ warrant }) => warrant)
      .filter((warrant) => {
        const held = this.#options.fingerprintOf(warrant.id);
        return held === undefined || held !== warrantFingerprint(warrant);
      })
      .sort((a, b) => a.filedAt - b.filedAt || (a.id < b.id ? -1 : 1));
  }

  async #readNew(): Promise<void> {
    const { disk, quarantine } = this.#options;
    const names = (await disk.list(FOLDERS.warrants)).filter(isRecordName);
    if (names.some((name) => name.includes(UNNAMED))) await this.#putUnnamedAway();
    const there = new Set(names);
    for (const map of [this.#pending, this.#cut]) for (const name of map.keys()) if (!there.has(name)) map.delete(name);
    quarantine.onlyThese(FOLDERS.warrants, there);
    const fresh = await this.#oldest(names.filter((name) => !this.#pending.has(name)));
    const records = await eachOf(fresh, (name) => readRecord(this.#folder, name));
    // One after the other, the ones in their own place first: two files may claim one id.
    const isHome = ({ path, value: { id } }: RecordFile<WarrantFile>) => id !== undefined && paths.warrant(id) === path;
    for (const record of records.filter(isHome)) await this.#takeUp(record);
    for (const record of records.filter((other) => !isHome(other))) await this.#takeUp(record);
  }

  /** A file whose name is unreadable can neither be read nor taken back. */
  async #putUnnamedAway(): Promise<void> {
    const { disk, quarantine } = this.#options;
    for (const name of await disk.nameAnew(FOLDERS.warrants, isRecordName)) {
      const path = `${FOLDERS.warrants}/${name}`;
      const stat = await disk.stat(path);
      if (stat !== null) await quarantine.move(path, stat, 'its name was no UTF-8');
    }
  }

  /** An open dance holds this warrant, durably: its file leaves the queue. */
  async moveToHeld(warrant: Warrant): Promise<void> {
    const { disk } = this.#options;
    if (await this.#dropPending(warrant)) await disk.rename(paths.warrant(warrant.id), paths.held(warrant.id));
  }

  /** The dance that held this warrant is closed, durably: its file goes. */
  async removeClosed(warrant: Warrant): Promise<void> {
    const { disk } = this.#options;
    if (await this.#dropPending(warrant)) await disk.remove(paths.warrant(warrant.id));
    await disk.remove(paths.held(warrant.id));
  }

  /** True when its file lies in the queue, and no other one took its name meanwhile. */
  async #dropPending(warrant: Warrant): Promise<boolean> {
    const path = paths.warrant(warrant.id);
    const name = fileOf(path);
    const known = this.#pending.get(name);
    this.#pending.delete(name);
    const stat = await this.#options.disk.stat(path);
    if (stat === null) return false;
    return known === undefined ? this.#isFileOf(path, warrant) : known.mark === stat.mark;
  }

  /**
   * Sees to held/ once it is known which dances there are: what a closed one left goes, and what none holds was held by one
   * whose record is lost. With `giveBack` that returns to the queue, to be heard from the first question on.
   */
  async sortHeld(giveBack: boolean): Promise<void> {
    const { disk, fingerprintOf, isHearingOpen } = this.#options;
    const folder = { ...this.#folder, folder: FOLDERS.held, mayBeCut: () => false };
    for (const { name, path, value } of await readFolder(folder)) {
      const id = value.id ?? name.slice(0, -'.json'.length);
      if (fingerprintOf(id) === undefined && giveBack) await this.#giveBack(path, name);
      else if (fingerprintOf(id) !== undefined && !isHearingOpen(id)) await disk.remove(path);
    }
  }

  async #giveBack(path: string, name: string): Promise<void> {
    const { disk } = this.#options;
    const home = `${FOLDERS.warrants}/${name}`;
    const isFree = (await disk.stat(home)) === null;
    await disk.rename(path, isFree ? home : `${FOLDERS.warrants}/${disk.tag}-${name}`);
    for (const folder of [FOLDERS.warrants, FOLDERS.held]) await disk.syncDir(folder);
  }

  async #oldest(names: readonly string[]): Promise<readonly string[]> {
    const room = Math.max(0, this.#options.policy.maxFiles - this.#pending.size);
    if (names.length <= room || room === 0) return names.slice(0, room);
    const { disk, quarantine } = this.#options;
    const aged = await eachOf(names, async (name) => {
      const path = `${FOLDERS.warrants}/${name}`;
      const stat = await disk.stat(path);
      // What is left alone must not stand in the way of what counts.
      return stat === null || quarantine.wasLeft(path, stat) ? null : { name, at: stat.changedAt };
    });
    aged.sort((a, b) => a.at - b.at);
    return aged.slice(0, room).map(({ name }) => name);
  }

  async #takeUp(record: RecordFile<WarrantFile>): Promise<void> {
    const { quarantine, session, isProtected, fingerprintOf } = this.#options;
    const bound = bind(record, await session(record.value.target), isProtected(record.value.target));
    if ('why' in bound) {
      await quarantine.move(record.path, record.stat, bound.why, record.value.requester);
      return;
    }
    const alike = warrantFingerprint(bound.warrant);
    const warrant = await this.#withFreeId(bound.warrant, record.path, alike);
    const path = paths.warrant(warrant.id);
    const name = fileOf(path);
    // A crash came between writing the new place and leaving the old one.
    const leftover = fingerprintOf(warrant.id) === alike || (path !== record.path && this.#pending.has(name));
    if (!leftover) {
      const stat = record.isChecksummed && path === record.path ? record.stat : await this.#write(path, warrant);
      this.#pending.set(name, { warrant, mark: stat.mark });
    }
    if (leftover || path !== record.path) await this.#removeIfSame(record);
  }

  /** If another warrant has the id, it is extended: a request is never swallowed by a namesake. */
  async #withFreeId(warrant: Warrant, path: string, alike: string): Promise<Warrant> {
    const held = this.#options.fingerprintOf(warrant.id);
    if (held === alike) return warrant;
    const target = paths.warrant(warrant.id);
    if (held === undefined) {
      if (target === path) return warrant;
      const pending = this.#pending.get(fileOf(target));
      const free = pending
        ? warrantFingerprint(pending.warrant) === alike
        : (await this.#options.disk.stat(target)) === null;
      if (free) return warrant;
    }
    return { ...warrant, id: `${warrant.id}-${alike}` };
  }

  async #write(path: string, warrant: Warrant): Promise<Stat> {
    const { disk } = this.#options;
    await writeFiles(disk, [{ path, text: warrantText(warrant) }]);
    const stat = await disk.stat(path);
    if (stat === null) throw new Error(`${path} was removed by another program right after it was written.`);
    return stat;
  }

  async #removeIfSame(record: RecordFile<WarrantFile>): Promise<void> {
    const { disk } = this.#options;
    const stat = await disk.stat(record.path);
    if (stat?.mark === record.stat.mark) await disk.remove(record.path);
  }

  async #isFileOf(path: string, warrant: Warrant): Promise<boolean> {
    const text = await this.#options.disk.read(path, WARRANT.maxBytes);
    const decoded = text === null ? null : decodeWarrant(text, this.#options.policy);
    if (decoded?.ok !== true) return false;
    const { incarnation, requester, filed_at: filedAt = '', reason } = decoded.value;
    const target = incarnation ?? warrant.target;
    return (
      warrantFingerprint({ ...warrant, target, requester, reason, filedAt: Date.parse(filedAt) }) ===
      warrantFingerprint(warrant)
    );
  }
}
