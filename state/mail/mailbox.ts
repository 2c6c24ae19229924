/**
 * Mail as files (C-16): mail/<address>/{new,cur,later,aside,archive}/<id>.json. Usable while the town is down, by any number of
 * writers.
 * 1. `send` is idempotent by id: a message is in one of these folders once, wherever it has moved to.
 * 2. A message moves by rename; nothing is deleted here. What lies in an archive goes with age (`old-letters.ts`).
 * 3. `later` and `aside` keep a flood away from its reader: what exceeds a sender's budget, and what the reader cannot handle. They
 *    are counted by their names alone.
 */
import type { WallMs } from '../../machines/protocol.ts';
import { z } from 'zod';
import { showText } from '../files/show-text.ts';
import { MailRefused } from './addresses.ts';
import { Boxes, BOXES, isLetter, WAITING, type Box, type Named } from './boxes.ts';
import { MAIL_INDEX } from './policy.ts';
import { absentIs } from '../files/disk.ts';
import { NEW_MAIL, FOLDERS, isRecordName, nameOf } from '../files/layout.ts';
import { writeFiles } from '../files/atomic-write.ts';
import { STATE } from '../files/policy.ts';
import { recordKind } from '../files/record-kind.ts';
import { eachOf, readRecord, readFolder, type RecordFolder, type RecordFolderOptions } from '../files/record-folder.ts';

const UNSEEN_SIGN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
/**
 * Those of its signs up to U+FFFF, first and last code points. This pattern is published in a JSON Schema, and not every program that reads
 * one knows `\p`, or signs beyond U+FFFF in a class.
 */
const UNSEEN = `0-1f 7f-9f ad 600-605 61c 6dd 70f 890-891 8e2 180e 200b-200f 2028-202e 2060-2064 2066-206f feff fff9-fffb`;
const inPattern = (hex: string): string => `\\u${hex.padStart(4, '0')}`;
const ID = new RegExp(`^[^${UNSEEN.replaceAll(/[\da-f]+/g, inPattern).replaceAll(' ', '')}]+$`);
const isId = (id: string): boolean => id !== '' && !UNSEEN_SIGN.test(id);
const UNSEEN_IN_ID = 'expected an id without signs that cannot be seen';

const mailFile = z.strictObject({
  /** It is printed to be typed again. */
  id: z.string().regex(ID, UNSEEN_IN_ID).refine(isId, UNSEEN_IN_ID),
  from: z.string().min(1),
  to: z.string().min(1),
  subject: z.string(),
  body: z.string(),
  sent_at: z.iso.datetime({ offset: true, error: 'expected a time like 2026-01-31T12:00:00Z' }),
  via: z.enum(['operator', 'agent', 'town']),
  urgent: z.boolean(),
  needs_response: z.boolean(),
  /** The life of the agent that wrote it: a clock that steps tells no life from another. */
  incarnation: z.string().min(1).optional(),
});
export const MAIL = recordKind('mail', { shape: mailFile, maxBytes: STATE.maxRecordBytes });

export type Message = z.infer<typeof mailFile>;
export type Received = Message & { readonly box: Box };

/** What it gives; `absent` where the box or the letter is not there. */
const unlessAbsent = <T>(done: Promise<T>, absent: T): Promise<T> => absentIs(absent, done, ['ENOENT']);

/** Which messages of a page: `limit` of them. */
interface PageWanted {
  readonly limit: number;
  readonly from: 'oldest' | 'newest';
  /** Only these; absent = all. */
  readonly of?: 'letters' | 'notices' | ((name: string) => boolean);
}

const fits = ({ of = () => true }: PageWanted): ((name: string) => boolean) =>
  typeof of === 'function' ? of : (name) => isLetter(name) === (of === 'letters');

export const inOrder = (all: readonly Received[]): Received[] =>
  all.toSorted((a, b) => a.sent_at.localeCompare(b.sent_at) || a.id.localeCompare(b.id));

/** `+` stands in no encoded word, so two addresses never share a folder. */
export const folderOf = (address: string): string => `${FOLDERS.mail}/${address.split('/').map(nameOf).join('+')}`;

/** One mailbox. `address` as `addressOf` gives it. */
export class Mailbox {
  readonly #options: RecordFolderOptions;
  readonly #root: string;
  readonly #address: string;
  /** null = each call looks anew. */
  #still: Boxes | null = null;

  constructor(options: RecordFolderOptions, address: string) {
    this.#options = options;
    this.#address = address;
    this.#root = folderOf(address);
  }

  /** As it stands now, for one reader that only looks: each folder is looked at once, and a large one listed only if it changed. */
  still(now: WallMs): Mailbox {
    const view = new Mailbox(this.#options, this.#address);
    view.#still = new Boxes(this.#options.disk, this.#root, now);
    return view;
  }

  /** Durable when it resolves. False = a message of this id is there already, as durable. `before` runs before a new one is written. */
  async send(
    message: Omit<Message, 'to' | 'sent_at'> & { readonly sentAt: WallMs },
    before?: () => Promise<void>,
  ): Promise<boolean> {
    const { disk } = this.#options;
    const { sentAt, ...rest } = message;
    // The town names a letter by what it is about, which others named.
    const id = isId(message.id) ? message.id : nameOf(message.id);
    let home: Box | null = null;
    for (const box of BOXES) {
      await disk.mkdir(`${this.#root}/${box}`);
      if ((await disk.stat(this.#path(box, id))) !== null) home ??= box;
    }
    // One that is there may be of a try that failed before its name was durable.
    const folders = [FOLDERS.mail, this.#root, ...(home === null ? [] : [`${this.#root}/${home}`])];
    for (const folder of folders) await disk.syncDir(folder);
    if (home !== null) return false;
    await before?.();
    const text = MAIL.text({ ...rest, id, to: this.#address, sent_at: new Date(sentAt).toISOString() });
    await writeFiles(disk, [{ path: this.#path(NEW_MAIL, id), text }]);
    return true;
  }

  /** Unread (`new`) and read messages, oldest first. Those of every box with `archived`. */
  async inbox({ archived = false } = {}): Promise<Received[]> {
    const found = new Map<string, Received>();
    // In the order in which messages move, so that none is missed.
    for (const box of archived ? BOXES : BOXES.slice(0, 2)) {
      for (const { value } of await readFolder(this.#records(box))) found.set(value.id, { ...value, box });
    }
    return inOrder([...found.values()]);
  }

  /** The oldest or the newest of these boxes, at most `limit`, oldest first: of 100,000 only so many files are opened. */
  async page(boxes: readonly Box[], wanted: PageWanted): Promise<Received[]> {
    const look = this.#look();
    const { limit, from, of } = wanted;
    const isIndexed = from === 'newest' && limit <= MAIL_INDEX.newest && typeof of !== 'function';
    const all: Named[] = [];
    for (const box of boxes) {
      const names = isIndexed ? (await look.tallies())[box].newest : await look.names(box);
      for (const name of names.filter(fits(wanted))) all.push({ box, name });
    }
    const read = await eachOf(await look.inOrder(all, limit, from), async ({ box, name }) => {
      const record = await readRecord(this.#records(box), name);
      return record && { ...record.value, box };
    });
    return inOrder(read);
  }

  /** How many messages each box holds, by the names of their files: nothing is opened. */
  async counts(): Promise<Readonly<Record<Box, number>>> {
    const tallies = await this.#look().tallies();
    return Object.fromEntries(BOXES.map((box) => [box, tallies[box].count])) as Record<Box, number>;
  }

  /** Ids of unread and read messages by the names of their files: nothing is opened. */
  async names(boxes: readonly Box[] = [NEW_MAIL, 'cur']): Promise<string[]> {
    const look = this.#look();
    const listed = await Promise.all(boxes.map((box) => look.names(box)));
    return listed.flat().map((file) => file.slice(0, -'.json'.length));
  }

  /** How many wait unread; null = unknown: what stands there is no mailbox, or a message in it cannot be read. */
  async unread(): Promise<number | null> {
    const records = this.#records(NEW_MAIL);
    const names = async (): Promise<string[]> => (await this.#options.disk.list(records.folder)).filter(isRecordName);
    try {
      const before = await names();
      const found = (await readFolder(records)).map(({ name }) => name);
      const left = (await names()).filter((name) => before.includes(name) && !found.includes(name));
      return left.length === 0 ? found.length : null;
    } catch {
      return null; // Any error: unknown is a value here (law 1).
    }
  }

  /** One message; a new one counts as read from then on. Throws MailRefused. */
  read(id: string): Promise<Received> {
    return this.#moveTo('cur', id, ['new']);
  }

  /** Puts a message away. Throws MailRefused. */
  archive(id: string): Promise<Received> {
    return this.#moveTo('archive', id, WAITING);
  }

  /** Archives these together; a missing one was archived by another caller. */
  archiveAll(ids: readonly string[]): Promise<void> {
    return this.#moveAll(ids, WAITING, 'archive');
  }

  /** Keeps these away from the reader, who has looked at them. */
  shelve(ids: readonly string[], to: 'later' | 'aside'): Promise<void> {
    return this.#moveAll(ids, [NEW_MAIL, 'cur', 'later'], to);
  }

  async #moveAll(ids: readonly string[], from: readonly Box[], to: Box): Promise<void> {
    const { disk } = this.#options;
    if (ids.length === 0) return;
    await disk.mkdir(`${this.#root}/${to}`);
    for (const id of ids)
      for (const box of from)
        if (box !== to) await unlessAbsent(disk.rename(this.#path(box, id), this.#path(to, id)), undefined);
    // Where it is before where it was: nothing is ever in neither.
    for (const box of [to, ...from.toReversed()]) await unlessAbsent(disk.syncDir(`${this.#root}/${box}`), undefined);
  }

  async #moveTo(to: Box, id: string, from: readonly Box[]): Promise<Received> {
    const { disk } = this.#options;
    for (const box of BOXES) {
      const record = await readRecord(this.#records(box), `${nameOf(id)}.json`);
      if (record === null) continue;
      if (!from.includes(box)) return { ...record.value, box };
      // The writer of the letter need not have made the other boxes.
      await disk.mkdir(`${this.#root}/${to}`);
      await disk.rename(record.path, this.#path(to, id));
      await disk.syncDir(`${this.#root}/${to}`);
      await disk.syncDir(`${this.#root}/${box}`);
      return { ...record.value, box: to };
    }
    const box = this.#address === 'overseer' ? 'town mail inbox' : `town mail inbox --for ${this.#address}`;
    throw new MailRefused(
      'unknown_message',
      `There is no message ${showText(id)} for ${this.#address}; see \`${box} --all\`.`,
    );
  }

  #path(box: Box, id: string): string {
    return `${this.#root}/${box}/${nameOf(id)}.json`;
  }

  #look(): Boxes {
    return this.#still ?? new Boxes(this.#options.disk, this.#root, null);
  }

  #records(box: Box): RecordFolder<Message> {
    return { ...this.#options, ...MAIL, folder: `${this.#root}/${box}` };
  }
}
