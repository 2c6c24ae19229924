/**
 * The notices that channels have to deliver: a file for each, with the receipt of each channel that has it. Any process of a root
 * adds one; only the channels' process changes or moves one.
 * 1. A notice of the same id is added once, also after it was delivered.
 * 2. A receipt is durable before the next message goes out on that channel.
 * 3. What has all its receipts is moved to another folder, where `town report` counts it until it is old.
 */
import type { Told } from '../../machines/alerts/slots.ts';
import { CHANNELS } from '../../machines/channels/policy.ts';
import type { WallMs } from '../../machines/protocol.ts';
import { writeFiles } from '../files/atomic-write.ts';
import { readIfReadable, type Disk } from '../files/disk.ts';
import { FOLDERS, isRecordName } from '../files/layout.ts';
import { Serial } from '../files/serial.ts';
import { restoredAt } from '../process/restored.ts';

export interface Receipt {
  /** ISO. */
  readonly at: string;
  /** What the server said, or why it was given up. */
  readonly said: string;
  readonly isDelivered: boolean;
}

/** Why a channel did not take a notice yet. */
export type Failure = Omit<Receipt, 'isDelivered'>;

export interface Spooled {
  readonly id: string;
  /** ISO. */
  readonly at: string;
  readonly notice: Told;
  readonly receipts: Readonly<Record<string, Receipt>>;
  /** By channel, the last that was kept; absent = none. */
  readonly failures?: Readonly<Record<string, Failure>> | undefined;
}

const SCHEMA = 'spooled/1';
const ID_DIGITS = 12;
const pathOf = (id: string): string => `${FOLDERS.spool}/${id}.json`;
const sentPathOf = (id: string): string => `${FOLDERS.sent}/${id}.json`;

function spooledIn(text: string | null): Spooled | null {
  try {
    const { schema, ...read } = JSON.parse(text ?? 'null') as Spooled & { readonly schema: unknown };
    const { id, at, notice, receipts, failures } = read;
    const isNotice = typeof notice.kind === 'string' && typeof notice.text === 'string';
    const isWhole = typeof id === 'string' && !Number.isNaN(Date.parse(at)) && typeof receipts === 'object';
    return schema === SCHEMA && isNotice && isWhole
      ? { id, at, notice, receipts, ...(failures && { failures }) }
      : null;
  } catch {
    return null; // It is no file of ours: no notice is read from it, and it stays.
  }
}

export class Spool {
  readonly #disk: Disk;
  readonly #serial = new Serial();

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** Durable when it resolves. `of`: the same words once more are the same notice. */
  async add(notice: Told, of: string, now: WallMs): Promise<void> {
    const at = typeof notice['at'] === 'string' ? notice['at'] : new Date(now).toISOString();
    const { createHash } = process.getBuiltinModule('node:crypto');
    const hash = createHash('sha256')
      .update(JSON.stringify([of, at, notice.text]))
      .digest('hex');
    const id = `${String(Date.parse(at) || now)}-${hash.slice(0, ID_DIGITS)}`;
    await this.#disk.mkdir(FOLDERS.spool);
    const isThere = await Promise.all([pathOf(id), sentPathOf(id)].map((path) => this.#disk.stat(path)));
    if (isThere.every((stat) => stat === null)) await this.#put({ id, at, notice, receipts: {} });
  }

  /** The oldest first; without what came back from a copy, while a person has not said yet that it goes out. */
  async waiting(): Promise<Spooled[]> {
    const since = await restoredAt(this.#disk);
    const all = await this.#in(FOLDERS.spool);
    return since === null ? all : all.filter(({ at }) => Date.parse(at) >= since);
  }

  /** What was moved away, and what some channel has already. `since`: without what is older. */
  async sent(since: WallMs = 0): Promise<Spooled[]> {
    return [...(await this.#in(FOLDERS.sent, since)), ...(await this.#in(FOLDERS.spool))];
  }

  /** Whether a notice of this kind was delivered since then, or still waits. */
  async isSaid(kind: string, since: WallMs): Promise<boolean> {
    return (await this.sent(since)).some(({ at, notice, receipts }) => {
      const all = Object.values(receipts);
      return (
        notice.kind === kind && Date.parse(at) >= since && (all.length === 0 || all.some((one) => one.isDelivered))
      );
    });
  }

  /** How many messages channels delivered in this time, and how many notices these told; one that told of many is one message. */
  async messages(since: WallMs, until: WallMs): Promise<{ readonly count: number; readonly notices: number }> {
    const delivered = (await this.sent()).flatMap(({ receipts, notice: { together } }) =>
      Object.entries(receipts).flatMap(([channel, { at, isDelivered }]) => {
        const wall = Date.parse(at);
        const notices = typeof together === 'number' ? together : 1;
        return isDelivered && wall >= since && wall <= until ? [{ message: `${channel} ${at}`, notices }] : [];
      }),
    );
    const notices = delivered.reduce((sum, one) => sum + one.notices, 0);
    return { count: new Set(delivered.map(({ message }) => message)).size, notices };
  }

  /** Durable when it resolves. */
  receive(id: string, channel: string, receipt: Receipt): Promise<void> {
    return this.#serial.run(async () => {
      const one = await this.#read(pathOf(id));
      if (one !== null) await this.#put({ ...one, receipts: { ...one.receipts, [channel]: receipt } });
    });
  }

  /** Durable when it resolves. It goes on waiting. */
  fail(id: string, channel: string, failure: Failure): Promise<void> {
    return this.#serial.run(async () => {
      const one = await this.#read(pathOf(id));
      if (one !== null) await this.#put({ ...one, failures: { ...one.failures, [channel]: failure } });
    });
  }

  /** Without a receipt it was for no channel, and is forgotten. */
  finish({ id }: Spooled): Promise<void> {
    return this.#serial.run(async () => {
      const one = await this.#read(pathOf(id));
      if (one === null) return;
      if (Object.keys(one.receipts).length === 0) return this.#disk.remove(pathOf(id));
      await this.#disk.mkdir(FOLDERS.sent);
      await this.#disk.rename(pathOf(id), sentPathOf(id));
      await this.#disk.syncDir(FOLDERS.sent);
    });
  }

  /** A message that a person sent by hand, which never waited. Durable when it resolves. */
  async addSent(id: string, notice: Told, channel: string, receipt: Receipt): Promise<void> {
    await this.#disk.mkdir(FOLDERS.sent);
    const { at } = receipt;
    await this.#write(sentPathOf(id), { id, at, notice, receipts: { [channel]: receipt } });
  }

  async forget(before: WallMs): Promise<void> {
    for (const name of (await this.#disk.list(FOLDERS.sent)).filter(isRecordName))
      if (Number.parseInt(name, 10) < before) await this.#disk.remove(`${FOLDERS.sent}/${name}`);
  }

  /** An id begins with the time of its notice. */
  async #in(folder: string, since: WallMs = 0): Promise<Spooled[]> {
    const all = (await this.#disk.list(folder)).filter(isRecordName);
    const names = all.filter((name) => Number.parseInt(name, 10) >= since);
    const read = await Promise.all(names.map((name) => this.#read(`${folder}/${name}`)));
    return read.filter((one) => one !== null).toSorted((one, other) => one.at.localeCompare(other.at));
  }

  async #read(path: string): Promise<Spooled | null> {
    return spooledIn(await readIfReadable(this.#disk, path, CHANNELS.maxFileBytes));
  }

  #put(one: Spooled): Promise<void> {
    return this.#write(pathOf(one.id), one);
  }

  #write(path: string, one: Spooled): Promise<void> {
    return writeFiles(this.#disk, [{ path, text: `${JSON.stringify({ schema: SCHEMA, ...one })}\n` }]);
  }
}
