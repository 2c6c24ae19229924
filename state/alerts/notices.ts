/**
 * What is told to a person's command, by cause: daemon/notices.json, changed by one process at a time under a lock that the kernel
 * frees. The guard reads it too, so no library checks its shape: a file that is none of ours counts as empty.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Slot, Slots } from '../../machines/alerts/slots.ts';
import { writeFiles } from '../files/atomic-write.ts';
import { readIfReadable, type Disk } from '../files/disk.ts';
import { FILES, FOLDERS } from '../files/layout.ts';
import { Serial } from '../files/serial.ts';
import { lockFile, type Lock } from '../process/lock.ts';

/** More than the slots of all causes of a town together. */
const MAX_BYTES = 4_194_304;
/** A change takes milliseconds: a hundred of them wait for each other here. */
const LOCK_MS = 5_000;
const LOCK_EVERY_MS = 10;

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function isSlot(value: unknown): value is Slot {
  if (typeof value !== 'object' || value === null) return false;
  const {
    until,
    windowMs,
    longestMs,
    came,
    told,
    failed,
    texts,
    letters = [],
    gravest,
    later,
  } = value as Record<keyof Slot, unknown>;
  const areNumbers = [until, windowMs, longestMs, came, told, failed].every(isNumber);
  return areNumbers && areWords(texts) && areWords(letters) && isNotice(gravest) && isLater(later);
}

function isLater(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value !== 'object' || value === null) return false;
  const { from, texts, gravest } = value as Record<keyof NonNullable<Slot['later']>, unknown>;
  return isNumber(from) && areWords(texts) && isNotice(gravest);
}

const areWords = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string');

const isNotice = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && 'kind' in value && 'text' in value && typeof value.text === 'string');

function slotsIn(text: string | null): Slots {
  try {
    const { slots } = JSON.parse(text ?? '{}') as { slots?: object };
    return Object.fromEntries(Object.entries(slots ?? {}).filter((entry): entry is [string, Slot] => isSlot(entry[1])));
  } catch {
    return {}; // What is no JSON says of no cause that it was told.
  }
}

export class NoticeSlots {
  readonly #root: string;
  readonly #disk: Disk;
  readonly #serial = new Serial();

  /** `root` is absolute. */
  constructor(root: string, disk: Disk) {
    this.#root = root;
    this.#disk = disk;
  }

  /** Looks only. */
  async read(): Promise<Slots> {
    return slotsIn(await readIfReadable(this.#disk, FILES.notices, MAX_BYTES));
  }

  /** Durable when it resolves; rejects where that cannot be. */
  change<T extends { readonly slots: Slots }>(work: (slots: Slots) => T): Promise<T> {
    return this.#serial.run(async () => {
      const lock = await this.#lock();
      try {
        const before = await this.read();
        const done = work(before);
        const text = `${JSON.stringify({ schema: 'notices/1', slots: done.slots })}\n`;
        if (done.slots !== before) await writeFiles(this.#disk, [{ path: FILES.notices, text }]);
        return done;
      } finally {
        lock.release();
      }
    });
  }

  async #lock(): Promise<Lock> {
    await this.#disk.mkdir(FOLDERS.daemon);
    for (let left = LOCK_MS; left > 0; left -= LOCK_EVERY_MS) {
      const lock = await lockFile({ root: this.#root, disk: this.#disk }, FILES.noticesLock);
      if (lock !== null) return lock;
      await pause(LOCK_EVERY_MS);
    }
    throw new Error(`${FILES.noticesLock} is held by another process`);
  }
}
