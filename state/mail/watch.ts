/**
 * Letters in the mailboxes of a root that their readers may leave lying (M-7). It only looks, and moves none.
 * 1. A letter is opened once, and a box that did not change is not listed again: a look at a quiet town is a few calls of the system.
 * 2. Of a large box the newest `MAIL_INDEX.newest` letters count: who keeps more of them reads none.
 */
import type { WaitingLetter, WallMs } from '../../machines/protocol.ts';
import { isPolecat, sessionOfAgent } from '../../machines/rigs/names.ts';
import { Boxes, BOXES, timeIn, type Named } from './boxes.ts';
import { FOLDERS } from '../files/layout.ts';
import { eachOf, readRecord, type RecordFolderOptions } from '../files/record-folder.ts';
import { MAIL, Mailbox, type Message } from './mailbox.ts';
import { MAIL_INDEX } from './policy.ts';

export interface MailWatchOptions extends RecordFolderOptions {
  readonly maxBytes: number;
}

/** What is kept of a letter that may wait. */
type Head = Pick<Message, 'id' | 'from' | 'to' | 'subject' | 'urgent' | 'needs_response'> & { readonly sentAt: WallMs };
/** A mailbox as the last look found it. `mark` null = it may change without another mark. */
interface Known {
  readonly mark: string | null;
  readonly names: readonly Named[];
  readonly heads: ReadonlyMap<string, Head | null>;
}

/** The person's: each letter there rings at once, and is a question until it was read. */
const PERSON = 'overseer';
const WATCHED = ['new', 'cur'] as const;

const headOf = ({ id, from, to, subject, urgent, needs_response, sent_at }: Message): Head | null =>
  urgent || needs_response ? { id, from, to, subject, urgent, needs_response, sentAt: Date.parse(sent_at) } : null;

/** A reader may write its address with a slash at its end. */
const plain = (address: string): string => address.replace(/\/$/, '');

function sessionOf(address: string): string | null {
  if (isPolecat(address)) return sessionOfAgent(address);
  return address.includes('/') || address === 'deacon' ? null : address;
}

export class MailWatch {
  readonly #options: MailWatchOptions;
  #known = new Map<string, Known>();
  /** Letters that were answered stay so, by mailbox and id. */
  #answered = new Set<string>();

  constructor(options: MailWatchOptions) {
    this.#options = options;
  }

  /** Those that are urgent and not read, and those that need a response and have none. Rejects when the disk cannot tell. */
  async look(now: WallMs): Promise<WaitingLetter[]> {
    const known = new Map<string, Known>();
    const answered = new Set<string>();
    const letters: WaitingLetter[] = [];
    for (const folder of await this.#options.disk.list(FOLDERS.mail)) {
      const root = `${FOLDERS.mail}/${folder}`;
      const found = await this.#lookInto(root, now);
      if (found === null) continue;
      known.set(root, found);
      for (const { box, name } of found.names) {
        const head = found.heads.get(name) ?? null;
        if (head === null || head.to === PERSON) continue;
        const key = `${root}/${head.id}`;
        const isAnswered = head.needs_response && (this.#answered.has(key) || (await this.#hasAnswer(head)));
        if (isAnswered) answered.add(key);
        const isUrgentUnread = head.urgent && box === 'new';
        const isUnanswered = head.needs_response && !isAnswered;
        if (isUrgentUnread || isUnanswered) letters.push(waitingOf(head, { isUrgentUnread, isUnanswered }));
      }
    }
    this.#known = known;
    this.#answered = answered;
    return letters;
  }

  /** null = it is no mailbox. */
  async #lookInto(root: string, now: WallMs): Promise<Known | null> {
    const { disk } = this.#options;
    if ((await disk.stat(root))?.kind !== 'folder') return null;
    const stats = await Promise.all(WATCHED.map((box) => disk.stat(`${root}/${box}`)));
    const isSettled = stats.every((one) => now - (one?.changedAt ?? 0) >= MAIL_INDEX.settledMs);
    const mark = isSettled ? stats.map((one) => one?.mark ?? '').join(' ') : null;
    const before = this.#known.get(root);
    if (before !== undefined && mark !== null && before.mark === mark) return before;
    const boxes = new Boxes(disk, root, null);
    const all = await Promise.all(WATCHED.map(async (box) => (await boxes.names(box)).map((name) => ({ box, name }))));
    const names = await boxes.inOrder(all.flat(), MAIL_INDEX.newest, 'newest');
    const heads = await eachOf(names, async ({ box, name }) => {
      const known = before?.heads.get(name);
      if (known !== undefined) return [name, known] as const;
      const { maxBytes } = this.#options;
      const read = await readRecord({ ...this.#options, ...MAIL, folder: `${root}/${box}`, maxBytes }, name);
      return read && ([name, headOf(read.value)] as const);
    });
    return { mark, names, heads: new Map(heads) };
  }

  /** Whether its reader has written to its sender since. */
  async #hasAnswer({ from, to, sentAt }: Head): Promise<boolean> {
    const box = new Mailbox(this.#options, this.#options.maxBytes, plain(from));
    const isLater = (name: string): boolean => (timeIn(name) ?? -Infinity) > sentAt;
    const later = await box.page(BOXES, { limit: MAIL_INDEX.newest, from: 'newest', of: isLater });
    return later.some((one) => plain(one.from) === to);
  }
}

const waitingOf = (
  { id, from, to: address, subject, sentAt }: Head,
  is: Pick<WaitingLetter, 'isUrgentUnread' | 'isUnanswered'>,
): WaitingLetter => ({ address, session: sessionOf(address), id, from, subject, sentAt, ...is });
