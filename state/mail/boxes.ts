/**
 * The names in the boxes of one mailbox, as one look finds them. A large box is not listed again while it stands as it stood:
 * `mail/<address>/index.json` says how many messages were in it, and which were the newest.
 * 1. The index is a cache. It counts for a box while the folder's mark (inode, size, time of change) is the one in the index, and
 *    only a listing that began long after that change is written down (the "racy" rule of git's index). So it may be lost, torn or
 *    old, and any program may move letters in and out.
 * 2. What cannot be written is left out: the next look lists again.
 */
import type { WallMs } from '../../machines/protocol.ts';
import { z } from 'zod';
import { writeFiles } from '../files/atomic-write.ts';
import { readIfReadable, type Disk } from '../files/disk.ts';
import { isRecordName } from '../files/layout.ts';
import { eachOf } from '../files/record-folder.ts';
import { recordKind } from '../files/record-kind.ts';
import { MAIL_INDEX } from './policy.ts';

/** Boxes of messages that are not archived. */
export const WAITING = ['new', 'cur', 'later', 'aside'] as const;
/** In the order in which messages move. */
export const BOXES = [...WAITING, 'archive'] as const;
/** `later`: over its sender's budget, so that the reader takes it another hour. `aside`: of no kind that its reader knows. */
export type Box = (typeof BOXES)[number];

/** `newest`: names of the newest letters and of the newest notices; of a small box all. */
interface Tally {
  readonly count: number;
  readonly newest: readonly string[];
}
/** `mark`: of the folder while it holds these; null = it may change without another mark. */
type Look = Tally & { readonly mark: string | null };

const tally = z.strictObject({ mark: z.string(), count: z.int().min(0), newest: z.array(z.string()).readonly() });
const INDEX = recordKind('mail-index', {
  shape: z.strictObject({ boxes: z.partialRecord(z.enum(BOXES), tally) }),
});

export interface Named {
  readonly box: Box;
  readonly name: string;
}

/** `town mail send` names letters so; all else are notices, which the town names by what they are about. */
export const isLetter = (name: string): boolean => name.startsWith('m-');

const TIME = /\d{12,14}/;
/** The time in an id that a program gave, such as `m-1763905393123-6f2c9ab1`; null = it holds none. */
export const timeIn = (name: string): number | null => {
  const [time] = TIME.exec(name) ?? [];
  return time === undefined ? null : Number(time);
};

export class Boxes {
  readonly #disk: Disk;
  readonly #root: string;
  readonly #now: WallMs | null;
  readonly #names = new Map<Box, Promise<string[]>>();
  #tallies: Promise<Readonly<Record<Box, Tally>>> | null = null;

  /** `now` null = no index is read or written. */
  constructor(disk: Disk, root: string, now: WallMs | null) {
    this.#disk = disk;
    this.#root = root;
    this.#now = now;
  }

  /** Names of the files of a box, listed once; a box that is not there has none. */
  names(box: Box): Promise<string[]> {
    const names = this.#names.get(box) ?? this.#disk.list(this.#folder(box)).then((all) => all.filter(isRecordName));
    this.#names.set(box, names);
    return names;
  }

  /** Of each box. */
  tallies(): Promise<Readonly<Record<Box, Tally>>> {
    this.#tallies ??= this.#look();
    return this.#tallies;
  }

  /** The first `limit` of these, the oldest or the newest first. */
  async inOrder(all: readonly Named[], limit: number, from: 'oldest' | 'newest'): Promise<Named[]> {
    const dated = all.map(({ box, name }) => ({ box, name, at: timeIn(name) }));
    const undated = dated.filter(({ at }) => at === null).slice(0, MAIL_INDEX.stats);
    if (all.length > limit)
      await eachOf(undated, async (one) => {
        one.at = (await this.#disk.stat(`${this.#folder(one.box)}/${one.name}`))?.changedAt ?? null;
        return null;
      });
    const sign = from === 'newest' ? -1 : 1;
    return dated.sort((a, b) => sign * ((a.at ?? 0) - (b.at ?? 0) || (a.name < b.name ? -1 : 1))).slice(0, limit);
  }

  async #look(): Promise<Readonly<Record<Box, Tally>>> {
    const known = this.#now === null ? {} : await this.#readIndex();
    const looks: readonly (readonly [Box, Look])[] = await Promise.all(
      BOXES.map(async (box) => [box, await this.#lookInto(box, known[box])] as const),
    );
    const kept = looks.filter(([, { mark }]) => mark !== null);
    if (kept.some(([box, { mark }]) => known[box]?.mark !== mark)) await this.#writeIndex(Object.fromEntries(kept));
    return Object.fromEntries(looks) as Record<Box, Look>;
  }

  async #lookInto(box: Box, known: Look | undefined): Promise<Look> {
    // Before the listing, so that what comes meanwhile shows in another mark.
    const stat = this.#now === null ? null : await this.#disk.stat(this.#folder(box));
    if (known !== undefined && known.mark === stat?.mark) return known;
    const names = await this.names(box);
    const count = names.length;
    if (stat === null || this.#now === null || count <= MAIL_INDEX.least) return { mark: null, count, newest: names };
    const [letters, notices] = [names.filter(isLetter), names.filter((name) => !isLetter(name))];
    const newest: string[] = [];
    for (const kind of [letters, notices]) {
      const named = kind.map((name) => ({ box, name }));
      for (const { name } of await this.inOrder(named, MAIL_INDEX.newest, 'newest')) newest.push(name);
    }
    const isSettled = Math.abs(this.#now - stat.changedAt) >= MAIL_INDEX.settledMs;
    return { mark: isSettled ? stat.mark : null, count, newest };
  }

  async #readIndex(): Promise<Partial<Record<Box, Look>>> {
    const text = await readIfReadable(this.#disk, this.#index, INDEX.maxBytes);
    const decoded = text === null ? null : INDEX.decode(text, this.#index);
    return decoded?.ok === true ? decoded.value.boxes : {};
  }

  async #writeIndex(boxes: Partial<Record<Box, Tally & { readonly mark: string }>>): Promise<void> {
    // Invariant 2: a full or a read-only disk stops no look.
    await writeFiles(this.#disk, [{ path: this.#index, text: INDEX.text({ boxes }) }]).catch(() => undefined);
  }

  get #index(): string {
    return `${this.#root}/index.json`;
  }

  #folder(box: Box): string {
    return `${this.#root}/${box}`;
  }
}
