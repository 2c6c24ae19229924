/**
 * Mail as files (C-16): mail/<address>/{new,cur,archive}/<id>.json. Usable while the town is down, by any number of writers.
 * 1. `send` is idempotent by id: a message is in one of the three folders once, wherever it has moved to.
 * 2. A message moves by rename; nothing is ever deleted here.
 */
import type { WallMs } from '../../machines/protocol.ts';
import { z } from 'zod';
import { showText } from '../files/show-text.ts';
import { absentIs } from '../files/disk.ts';
import { FOLDERS, isRecordName, nameOf } from '../files/layout.ts';
import { writeFiles } from '../files/atomic-write.ts';
import { recordKind } from '../files/record-kind.ts';
import { readRecord, readFolder, type RecordFolder, type RecordFolderOptions } from '../files/record-folder.ts';

/** Refusal of a call. `exit` is the exit code for the command line. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
  readonly code: 'unknown_address' | 'unknown_message';
  readonly exit: 1 | 2;

  constructor(code: 'unknown_address' | 'unknown_message', text: string) {
    super(text);
    this.code = code;
    this.exit = code === 'unknown_address' ? 2 : 1;
  }
}

/** It is printed to be typed again: signs that nobody sees stand in no id. */
const ID = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u;

const mailFile = z.strictObject({
  id: z.string().regex(ID, 'expected an id without signs that cannot be seen'),
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
const MAIL = recordKind('mail', { shape: mailFile });

export type Message = z.infer<typeof mailFile>;
export type Box = 'new' | 'cur' | 'archive';
export type Received = Message & { readonly box: Box };

/** Who can be written to besides the fixed addresses. */
export interface Correspondents {
  readonly rigs: readonly string[];
  /** Sessions of the town, by name: each has a mailbox of its own. */
  readonly sessions: readonly string[];
  /** Addresses of polecats by their sessions' names: those two are one mailbox. */
  readonly polecats?: ReadonlyMap<string, string>;
}

const FIXED = ['mayor', 'overseer', 'deacon'];
/** What it gives; `absent` where the box or the letter is not there. */
const unlessAbsent = <T>(done: Promise<T>, absent: T): Promise<T> => absentIs(absent, done, ['ENOENT']);

const RIG_OFFICES = ['witness', 'refinery'];
/** The session of an agent that holds such an office, as the seeds name it. */
const OFFICE_SESSION = new RegExp(`^gt-(.+)-(${RIG_OFFICES.join('|')})$`);
/** What may stand behind `rig.` in town.toml. */
const RIG = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** The box that messages are delivered to. */
export const NEW_MAIL = 'new';
const BOXES: readonly Box[] = [NEW_MAIL, 'cur', 'archive'];
const WORD = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * The one spelling of an address: no trailing slash, `<rig>/<n>` as `<rig>/polecats/<n>`, the session of a rig's agent as the
 * address of it. Throws MailRefused for an
 * address that nobody has.
 */
export function addressOf(text: string, known: Correspondents): string {
  const { rigs, sessions } = known;
  const plain = text.replace(/\/$/, '');
  const ofRig = agentOf(plain, known);
  if (ofRig !== null) return ofRig;
  if (FIXED.includes(plain) || sessions.includes(plain)) return plain;
  const words = plain.split('/');
  const [first = '', second = '', third] = words;
  if (words.every((word) => WORD.test(word))) {
    if (first === 'channel' && words.length === 2) return plain;
    if (rigs.includes(first) && words.length === 2 && second !== 'polecats') {
      return RIG_OFFICES.includes(second) ? plain : `${first}/polecats/${second}`;
    }
    if (rigs.includes(first) && words.length === 3 && second === 'polecats' && third !== undefined) return plain;
  }
  throw new MailRefused('unknown_address', nobodyHas(text, words, rigs));
}

/** The address of a rig's agent by its session; null = it is none. */
function agentOf(session: string, { rigs, polecats }: Correspondents): string | null {
  const [, rig = '', office = ''] = OFFICE_SESSION.exec(session) ?? [];
  return polecats?.get(session) ?? (rigs.includes(rig) ? `${rig}/${office}` : null);
}

function nobodyHas(text: string, [rig = '', office = '', more]: readonly string[], rigs: readonly string[]): string {
  const known = [
    ...FIXED,
    'channel/<name>',
    ...[...new Set(rigs)].map((one) => `${one}/witness|refinery|<polecat>`),
  ].join(', ');
  const lacksRig = more === undefined && RIG_OFFICES.includes(office) && RIG.test(rig);
  const mend = lacksRig
    ? ` For ${showText(text)} add the rig: town rig add ${rig} --repo PATH, or write [rig.${rig}] into town.toml.`
    : '';
  return `Nobody has the address ${showText(text)}; known are ${known} and sessions by name.${mend}`;
}

/** One mailbox. `address` as `addressOf` gives it. */
export class Mailbox {
  readonly #options: RecordFolderOptions;
  readonly #maxBytes: number;
  readonly #root: string;
  readonly #address: string;

  constructor(options: RecordFolderOptions, maxBytes: number, address: string) {
    this.#options = options;
    this.#maxBytes = maxBytes;
    this.#address = address;
    // `+` stands in no encoded word, so two addresses never share a folder.
    this.#root = `${FOLDERS.mail}/${address.split('/').map(nameOf).join('+')}`;
  }

  /** Durable when it resolves. False = a message of this id is there already, as durable. */
  async send(message: Omit<Message, 'to' | 'sent_at'> & { readonly sentAt: WallMs }): Promise<boolean> {
    const { disk } = this.#options;
    const { sentAt, ...rest } = message;
    // The town names a letter by what it is about, which others named.
    const id = ID.test(message.id) ? message.id : nameOf(message.id);
    let home: Box | null = null;
    for (const box of BOXES) {
      await disk.mkdir(`${this.#root}/${box}`);
      if ((await disk.stat(this.#path(box, id))) !== null) home ??= box;
    }
    // One that is there may be of a try that failed before its name was durable.
    const folders = [FOLDERS.mail, this.#root, ...(home === null ? [] : [`${this.#root}/${home}`])];
    for (const folder of folders) await disk.syncDir(folder);
    if (home !== null) return false;
    const text = MAIL.text({ ...rest, id, to: this.#address, sent_at: new Date(sentAt).toISOString() });
    await writeFiles(disk, [{ path: this.#path(NEW_MAIL, id), text }]);
    return true;
  }

  /** Unread (`new`) and read messages, oldest first. Archived ones with `archived`. */
  async inbox({ archived = false } = {}): Promise<Received[]> {
    const found = new Map<string, Received>();
    // In the order in which messages move, so that none is missed.
    for (const box of archived ? BOXES : BOXES.slice(0, 2)) {
      for (const { value } of await readFolder(this.#records(box))) found.set(value.id, { ...value, box });
    }
    return [...found.values()].sort((a, b) => a.sent_at.localeCompare(b.sent_at) || a.id.localeCompare(b.id));
  }

  /** Ids of unread and read messages by the names of their files: nothing is opened. */
  async names(): Promise<string[]> {
    const folders = ([NEW_MAIL, 'cur'] as const).map((box) => this.#records(box).folder);
    const listed = folders.map((folder) => unlessAbsent(this.#options.disk.list(folder), []));
    const files = (await Promise.all(listed)).flat().filter(isRecordName);
    return files.map((file) => file.slice(0, -'.json'.length));
  }

  /** How many wait unread; null = that cannot be told: what stands there is no mailbox, or a message in it cannot be read. */
  async unread(): Promise<number | null> {
    const records = this.#records(NEW_MAIL);
    const names = async (): Promise<string[]> => (await this.#options.disk.list(records.folder)).filter(isRecordName);
    try {
      const before = await names();
      const found = (await readFolder(records)).map(({ name }) => name);
      const left = (await names()).filter((name) => before.includes(name) && !found.includes(name));
      return left.length === 0 ? found.length : null;
    } catch {
      return null; // Whatever kept it from being told: unknown is a value here (law 1).
    }
  }

  /** One message; a new one counts as read from then on. Throws MailRefused. */
  read(id: string): Promise<Received> {
    return this.#moveTo('cur', id, ['new']);
  }

  /** Puts a message away. Throws MailRefused. */
  archive(id: string): Promise<Received> {
    return this.#moveTo('archive', id, ['new', 'cur']);
  }

  /** Puts these away together; what is not there any more, somebody else put away. */
  async archiveAll(ids: readonly string[]): Promise<void> {
    const { disk } = this.#options;
    if (ids.length === 0) return;
    await disk.mkdir(`${this.#root}/archive`);
    for (const id of ids)
      for (const box of [NEW_MAIL, 'cur'] as const)
        await unlessAbsent(disk.rename(this.#path(box, id), this.#path('archive', id)), undefined);
    // Where it is before where it was: nothing is ever in neither.
    for (const box of ['archive', 'cur', NEW_MAIL]) await unlessAbsent(disk.syncDir(`${this.#root}/${box}`), undefined);
  }

  async #moveTo(to: Box, id: string, from: readonly Box[]): Promise<Received> {
    const { disk } = this.#options;
    for (const box of BOXES) {
      const record = await readRecord(this.#records(box), `${nameOf(id)}.json`);
      if (record === null) continue;
      if (!from.includes(box)) return { ...record.value, box };
      // Whoever put it there need not have made the other boxes.
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

  #records(box: Box): RecordFolder<Message> {
    return { ...this.#options, ...MAIL, folder: `${this.#root}/${box}`, maxBytes: this.#maxBytes };
  }
}
