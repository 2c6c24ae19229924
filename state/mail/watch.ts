/**
 * Letters in the mailboxes of a root that their readers leave unread or unanswered (M-7). It only looks, and moves none.
 * 1. A letter is opened once, and a box that did not change is not listed again: a look at a quiet town is a few calls of the system.
 * 2. Of a large mailbox the newest `MAIL_INDEX.newest` unread and as many read letters count: a reader who keeps more reads none.
 * 3. An address that no session and no office reads is not watched: no one could end its alert.
 */
import type { WaitingLetter, WallMs } from '../../machines/protocol.ts';
import { isPolecat, sessionOfAgent } from '../../machines/rigs/names.ts';
import { Boxes, BOXES, isLetter, timeIn, type Box, type Named } from './boxes.ts';
import { FOLDERS } from '../files/layout.ts';
import { eachOf, readRecord, type RecordFolderOptions } from '../files/record-folder.ts';
import { folderOf, MAIL, type Message } from './mailbox.ts';
import { MAIL_INDEX } from './policy.ts';

export type MailWatchOptions = RecordFolderOptions;

/** What is kept of a letter that may wait. */
type Head = Pick<Message, 'id' | 'from' | 'to' | 'subject' | 'urgent' | 'needs_response'> & { readonly sentAt: WallMs };
/** A mailbox as the last look found it. `mark` null = it may change without another mark. */
interface Known {
  readonly mark: string | null;
  readonly names: readonly Named[];
  readonly heads: ReadonlyMap<string, Head | null>;
}

/** The letters in a sender's mailbox from after `since`. */
interface Answers {
  readonly mark: string | null;
  readonly since: WallMs;
  /** Names of files that were read. */
  readonly seen: ReadonlySet<string>;
  /** When each address wrote last. */
  readonly wroteAt: ReadonlyMap<string, WallMs>;
}

/** Who reads mail. */
export interface Readers {
  readonly sessions: readonly { readonly name: string; readonly tags: readonly string[] }[];
  /** Its mailbox is the monitor's, which alerts of what lies there. */
  readonly orchestratorTag: string;
}

/** The person's: each letter there rings at once, and is a question until it was read. */
const PERSON = 'overseer';
const WATCHED = ['new', 'cur'] as const;

const headOf = ({ id, from, to, subject, urgent, needs_response, sent_at }: Message): Head | null =>
  urgent || needs_response ? { id, from, to, subject, urgent, needs_response, sentAt: Date.parse(sent_at) } : null;

/** A reader may write its address with a slash at its end. */
const plain = (address: string): string => address.replace(/\/$/, '');

/** null = an office of a rig, the Deacon, or an address of many. */
function sessionOf(address: string): string | null {
  if (isPolecat(address)) return sessionOfAgent(address);
  return address.includes('/') || address === 'deacon' ? null : address;
}

/** Addresses from which an answer to a letter to this address comes; none = it has no reader. */
function readersOf(address: string, { sessions, orchestratorTag }: Readers): readonly string[] {
  const [kind, tag = ''] = address.split('/');
  if (kind === 'channel' || address === PERSON || address === `tag/${orchestratorTag}`) return [];
  if (kind === 'tag') return sessions.filter(({ tags }) => tags.includes(tag)).map(({ name }) => name);
  const session = sessionOf(address);
  return session === null || sessions.some(({ name }) => name === session) ? [address] : [];
}

export class MailWatch {
  readonly #options: MailWatchOptions;
  #known = new Map<string, Known>();
  /** By the sender's address. */
  #answers = new Map<string, Answers>();

  constructor(options: MailWatchOptions) {
    this.#options = options;
  }

  /** Those that are urgent and not read, and those that need a response and have none. Rejects when the disk cannot tell. */
  async look(now: WallMs, readers: Readers): Promise<WaitingLetter[]> {
    const open = await this.#flagged(now);
    const since = new Map<string, WallMs>();
    for (const { from, needs_response, sentAt } of open)
      if (needs_response) since.set(plain(from), Math.min(sentAt, since.get(plain(from)) ?? Infinity));
    const answers = new Map<string, Answers>();
    for (const [sender, at] of since) answers.set(sender, await this.#answersTo(sender, at, now));
    this.#answers = answers;
    return open.flatMap((one) => {
      const by = readersOf(one.to, readers);
      const wroteAt = answers.get(plain(one.from))?.wroteAt;
      const isAnswered = by.some((reader) => (wroteAt?.get(reader) ?? -Infinity) > one.sentAt);
      const isUrgentUnread = one.urgent && one.box === 'new';
      const isUnanswered = one.needs_response && !isAnswered;
      const isWaiting = by.length > 0 && (isUrgentUnread || isUnanswered);
      return isWaiting ? [waitingOf(one, { isUrgentUnread, isUnanswered })] : [];
    });
  }

  /** Letters, read or not, that are urgent or need a response. */
  async #flagged(now: WallMs): Promise<(Head & { readonly box: Box })[]> {
    const known = new Map<string, Known>();
    for (const folder of await this.#options.disk.list(FOLDERS.mail)) {
      const root = `${FOLDERS.mail}/${folder}`;
      const found = await this.#lookInto(root, now);
      if (found !== null) known.set(root, found);
    }
    this.#known = known;
    return [...known.values()].flatMap(({ names, heads }) =>
      names.flatMap(({ box, name }) => {
        const head = heads.get(name) ?? null;
        return head === null ? [] : [{ ...head, box }];
      }),
    );
  }

  /** null = it is no mailbox. */
  async #lookInto(root: string, now: WallMs): Promise<Known | null> {
    const { disk } = this.#options;
    if ((await disk.stat(root))?.kind !== 'folder') return null;
    const mark = await this.#markOf(root, WATCHED, now);
    const before = this.#known.get(root);
    if (before !== undefined && mark !== null && before.mark === mark) return before;
    const boxes = new Boxes(disk, root, null);
    const newest = await Promise.all(
      WATCHED.map(async (box) => {
        const all = (await boxes.names(box)).map((name) => ({ box, name }));
        return boxes.inOrder(all, MAIL_INDEX.newest, 'newest');
      }),
    );
    const names = newest.flat();
    const heads = await eachOf(names, async ({ box, name }) => {
      const known = before?.heads.get(name);
      if (known !== undefined) return [name, known] as const;
      const message = await this.#read(root, { box, name });
      return message && ([name, headOf(message)] as const);
    });
    return { mark, names, heads: new Map(heads) };
  }

  async #answersTo(sender: string, from: WallMs, now: WallMs): Promise<Answers> {
    const root = folderOf(sender);
    const mark = await this.#markOf(root, BOXES, now);
    const before = this.#answers.get(sender);
    const since = Math.min(from, before?.since ?? Infinity);
    if (before !== undefined && before.since === since && mark !== null && before.mark === mark) return before;
    const boxes = new Boxes(this.#options.disk, root, null);
    const isNew = (name: string): boolean =>
      isLetter(name) && (timeIn(name) ?? -Infinity) > since && before?.seen.has(name) !== true;
    const all = await Promise.all(
      BOXES.map(async (box) => (await boxes.names(box)).filter(isNew).map((name) => ({ box, name }))),
    );
    const seen = new Set(before?.seen);
    const wroteAt = new Map(before?.wroteAt);
    await eachOf(all.flat(), async (one) => {
      const message = await this.#read(root, one);
      if (message === null) return null;
      seen.add(one.name);
      const address = plain(message.from);
      wroteAt.set(address, Math.max(wroteAt.get(address) ?? -Infinity, Date.parse(message.sent_at)));
      return null;
    });
    return { mark, since, seen, wroteAt };
  }

  /** How the boxes of a mailbox stand; null = they may change without another mark. */
  async #markOf(root: string, boxes: readonly Box[], now: WallMs): Promise<string | null> {
    const stats = await Promise.all(boxes.map((box) => this.#options.disk.stat(`${root}/${box}`)));
    const isSettled = stats.every((one) => now - (one?.changedAt ?? 0) >= MAIL_INDEX.settledMs);
    return isSettled ? stats.map((one) => one?.mark ?? '').join(' ') : null;
  }

  async #read(root: string, { box, name }: Named): Promise<Message | null> {
    const record = await readRecord({ ...this.#options, ...MAIL, folder: `${root}/${box}` }, name);
    return record && record.value;
  }
}

const waitingOf = (
  { id, from, to: address, subject, sentAt }: Head,
  is: Pick<WaitingLetter, 'isUrgentUnread' | 'isUnanswered'>,
): WaitingLetter => ({ address, session: sessionOf(address), id, from, subject, sentAt, ...is });
