/**
 * The inbox of warrants. Any program may put a file there; it counts once it is bound to one life of a known session.
 * 1. A warrant that a dance holds is not pending, wherever its file still lies; the dance is durable before the file goes.
 * 2. Only a life that the town itself recorded is accused: the file's own word for it counts only as far as it agrees.
 * 3. At most `mostFiles` pending warrants are held in memory; the others wait in the folder, the oldest coming first.
 */
import type { Incarnation, SessionRecord, Warrant } from '../machines/protocol.ts';
import type { StatePolicy } from '../machines/policy.ts';
import { saysNothing } from '../machines/words.ts';
import { decode, shown, type Decoded } from './decode.ts';
import { UNNAMED, type Disk, type Stat } from './disk.ts';
import { FOLDERS, isRecordName, paths } from './layout.ts';
import { put } from './paper.ts';
import { warrantFile, type WarrantFile } from './schemas.ts';
import { fingerprint, seal } from './seal.ts';
import { eachOf, readLeaf, type Leaf, type Shelf, type ShelfOptions } from './shelf.ts';

/** Tells warrants apart that share an id. */
export function likeness({ target, requester, filedAt, reason }: Warrant): string {
  return fingerprint(JSON.stringify([target.uuid, requester, filedAt, reason]));
}

/** The text of a bound warrant's file. */
export function warrantText(warrant: Warrant): string {
  return seal({
    schema: 'warrant/1',
    id: warrant.id,
    target: warrant.target.session,
    reason: warrant.reason,
    requester: warrant.requester,
    filed_at: new Date(warrant.filedAt).toISOString(),
    incarnation: warrant.target,
    force: warrant.force,
  } satisfies WarrantFile);
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
  const decoded = decode(text, 'warrant', warrantFile, true);
  if (!decoded.ok) return decoded;
  const why = wordsFault(decoded.value, policy.mostWords);
  return why === null ? decoded : { ok: false, what: 'bad', why, requester: decoded.value.requester };
}

type Bound = { readonly warrant: Warrant } | { readonly why: string };

/** Binds a file to one life of its target. `session` is the target's record, null when the town has none. */
function bind(leaf: Leaf<WarrantFile>, session: SessionRecord | null, isProtected: boolean): Bound {
  const { value: file, stat, name } = leaf;
  if (isProtected && !isForced(leaf)) return { why: `the session ${shown(file.target)} is protected` };
  const target = lifeOf(leaf, session);
  if (typeof target === 'string') return { why: target };
  const filedAt = file.filed_at === undefined ? Math.floor(stat.changedAt) : Date.parse(file.filed_at);
  return {
    warrant: {
      id: file.id ?? name.slice(0, -'.json'.length),
      target,
      reason: file.reason,
      requester: file.requester,
      filedAt,
      force: isForced(leaf),
    },
  };
}

/** Without our sum any program may have written the word; a hearing costs nothing but time. */
function isForced({ value, sealed }: Leaf<WarrantFile>): boolean {
  return sealed && value.force === true && value.via !== 'agent';
}

function lifeOf({ value, stat, sealed }: Leaf<WarrantFile>, session: SessionRecord | null): Incarnation | string {
  const named = value.incarnation;
  if (named !== undefined && named.session !== value.target) {
    return `it names the session ${shown(value.target)}, but a life of ${shown(named.session)}`;
  }
  const current = session?.incarnation ?? null;
  if (named !== undefined) {
    if (current?.uuid === named.uuid) return current;
    return sealed
      ? named
      : `it names the life ${shown(named.uuid)}, which is not the present one of ${shown(value.target)}`;
  }
  if (session === null) {
    return `the town knows no session ${shown(value.target)} (see \`town session list\`; \`town session adopt\` makes one known)`;
  }
  if (current === null) return `the session ${shown(value.target)} has not lived yet`;
  // Law 3: it was written about an earlier life. The file's own time is the kernel's, unlike the one inside.
  if (session.startedAt !== null && stat.changedAt < session.startedAt) {
    return `it was filed before the present life of ${shown(value.target)} began; file it again if it still holds`;
  }
  return current;
}

const fileOf = (path: string) => path.slice(FOLDERS.warrants.length + 1);

export interface InboxOptions extends ShelfOptions {
  readonly disk: Disk;
  readonly policy: StatePolicy;
  readonly isProtected: (session: string) => boolean;
  /** The record of a session; null = the town knows none of this name. */
  readonly session: (name: string) => Promise<SessionRecord | null>;
  /** The likeness of the warrant with this id that a dance holds. */
  readonly taken: (id: string) => string | undefined;
}

interface Pending {
  readonly warrant: Warrant;
  readonly mark: string;
}

export class Inbox {
  readonly #options: InboxOptions;
  readonly #shelf: Shelf<WarrantFile>;
  readonly #pending = new Map<string, Pending>();
  /** Files that were no JSON at their last reading; a program that writes in place gets one more round. */
  readonly #cut = new Map<string, string>();
  #reading: Promise<void> | null = null;

  constructor(options: InboxOptions) {
    this.#options = options;
    this.#shelf = {
      disk: options.disk,
      quarantine: options.quarantine,
      folder: FOLDERS.warrants,
      mostBytes: options.policy.mostRecordBytes,
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
    this.#reading ??= this.#takeIn().finally(() => {
      this.#reading = null;
    });
    await this.#reading;
    return [...this.#pending.values()]
      .map(({ warrant }) => warrant)
      .filter((warrant) => {
        const held = this.#options.taken(warrant.id);
        return held === undefined || held !== likeness(warrant);
      })
      .sort((a, b) => a.filedAt - b.filedAt || (a.id < b.id ? -1 : 1));
  }

  async #takeIn(): Promise<void> {
    const { disk, quarantine } = this.#options;
    const names = (await disk.list(FOLDERS.warrants)).filter(isRecordName);
    if (names.some((name) => name.includes(UNNAMED))) await this.#putUnnamedAway();
    const there = new Set(names);
    for (const map of [this.#pending, this.#cut]) for (const name of map.keys()) if (!there.has(name)) map.delete(name);
    quarantine.onlyThese(FOLDERS.warrants, there);
    const fresh = await this.#oldest(names.filter((name) => !this.#pending.has(name)));
    const leaves = await eachOf(fresh, (name) => readLeaf(this.#shelf, name));
    // One after the other, the ones in their own place first: two files may claim one id.
    const isHome = ({ path, value: { id } }: Leaf<WarrantFile>) => id !== undefined && paths.warrant(id) === path;
    for (const leaf of leaves.filter(isHome)) await this.#take(leaf);
    for (const leaf of leaves.filter((other) => !isHome(other))) await this.#take(leaf);
  }

  /** A file that nobody can name can be neither read nor taken back. */
  async #putUnnamedAway(): Promise<void> {
    const { disk, quarantine } = this.#options;
    for (const name of await disk.nameAnew(FOLDERS.warrants, isRecordName)) {
      const path = `${FOLDERS.warrants}/${name}`;
      const stat = await disk.stat(path);
      if (stat !== null) await quarantine.move(path, stat, 'its name was no UTF-8');
    }
  }

  /** A dance holds this warrant, durably: its file goes, unless another one took its name meanwhile. */
  async settle(warrant: Warrant): Promise<void> {
    const { disk } = this.#options;
    const path = paths.warrant(warrant.id);
    const name = fileOf(path);
    const known = this.#pending.get(name);
    this.#pending.delete(name);
    const stat = await disk.stat(path);
    if (stat === null) return;
    const same = known === undefined ? await this.#isFileOf(path, warrant) : known.mark === stat.mark;
    if (same) await disk.remove(path);
  }

  async #oldest(names: readonly string[]): Promise<readonly string[]> {
    const room = Math.max(0, this.#options.policy.mostFiles - this.#pending.size);
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

  async #take(leaf: Leaf<WarrantFile>): Promise<void> {
    const { quarantine, session, isProtected, taken } = this.#options;
    const bound = bind(leaf, await session(leaf.value.target), isProtected(leaf.value.target));
    if ('why' in bound) {
      await quarantine.move(leaf.path, leaf.stat, bound.why, leaf.value.requester);
      return;
    }
    const alike = likeness(bound.warrant);
    const warrant = await this.#named(bound.warrant, leaf.path, alike);
    const path = paths.warrant(warrant.id);
    const name = fileOf(path);
    // A crash came between writing the new place and leaving the old one.
    const leftover = taken(warrant.id) === alike || (path !== leaf.path && this.#pending.has(name));
    if (!leftover) {
      const stat = leaf.sealed && path === leaf.path ? leaf.stat : await this.#write(path, warrant);
      this.#pending.set(name, { warrant, mark: stat.mark });
    }
    if (leftover || path !== leaf.path) await this.#removeIfSame(leaf);
  }

  /** An id that some other warrant has is extended: nobody's request is swallowed by a namesake. */
  async #named(warrant: Warrant, path: string, alike: string): Promise<Warrant> {
    const held = this.#options.taken(warrant.id);
    if (held === alike) return warrant;
    const target = paths.warrant(warrant.id);
    if (held === undefined) {
      if (target === path) return warrant;
      const pending = this.#pending.get(fileOf(target));
      const free = pending ? likeness(pending.warrant) === alike : (await this.#options.disk.stat(target)) === null;
      if (free) return warrant;
    }
    return { ...warrant, id: `${warrant.id}-${alike}` };
  }

  async #write(path: string, warrant: Warrant): Promise<Stat> {
    const { disk } = this.#options;
    await put(disk, [{ path, text: warrantText(warrant) }]);
    const stat = await disk.stat(path);
    if (stat === null) throw new Error(`${path} was removed by another program right after it was written.`);
    return stat;
  }

  async #removeIfSame(leaf: Leaf<WarrantFile>): Promise<void> {
    const { disk } = this.#options;
    const stat = await disk.stat(leaf.path);
    if (stat?.mark === leaf.stat.mark) await disk.remove(leaf.path);
  }

  async #isFileOf(path: string, warrant: Warrant): Promise<boolean> {
    const text = await this.#options.disk.read(path, this.#options.policy.mostRecordBytes);
    const decoded = text === null ? null : decodeWarrant(text, this.#options.policy);
    if (decoded?.ok !== true) return false;
    const { incarnation, requester, filed_at: filedAt = '', reason } = decoded.value;
    const target = incarnation ?? warrant.target;
    return likeness({ ...warrant, target, requester, reason, filedAt: Date.parse(filedAt) }) === likeness(warrant);
  }
}
