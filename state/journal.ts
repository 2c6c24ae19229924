/**
 * What happened, one JSON line a fact or decision: journal/<date>.jsonl, in parts when a day is loud.
 * 1. Lines are durable when `append` resolves. A crash tears at most the last line; the next one starts anew.
 * 2. Bounded by days and bytes: the oldest parts go first, never the one being written.
 * 3. It is for people and reports; nothing is decided by it.
 * 4. What is no file in the place of a part goes to quarantine. Where it cannot be moved, and where a part is closed to the town or open
 *    to others, the lines go into the next part.
 * 5. What a failed call wrote is cut off before the next one, so that no line stands there twice.
 */
import type { Dance, WallMs } from '../machines/protocol.ts';
import { escapeInvisible } from '../machines/kernel/visible-text.ts';
import type { StatePolicy } from './files/policy.ts';
import { unreadable, wordsOf, type Disk } from './files/disk.ts';
import { FOLDERS } from './files/layout.ts';
import type { Quarantine } from './files/quarantine.ts';
import { Serial } from './files/serial.ts';
import { orNull } from './files/or-null.ts';

/** One line. Further fields are the line's own. */
export interface JournalLine {
  readonly at: WallMs;
  /** What happened, in past tense: `dance.closed`. */
  readonly kind: string;
  readonly [more: string]: unknown;
}

interface Part {
  readonly name: string;
  readonly day: string;
  readonly number: number;
}

const PART = /^(\d{4}-\d{2}-\d{2})(?:\.(\d+))?\.jsonl$/;

const dayOf = (wall: WallMs) => new Date(wall).toISOString().slice(0, 'YYYY-MM-DD'.length);
const nameOfPart = (day: string, number: number) => (number === 0 ? `${day}.jsonl` : `${day}.${String(number)}.jsonl`);

async function partsOf(disk: Pick<Disk, 'list'>): Promise<Part[]> {
  return (await disk.list(FOLDERS.journal))
    .flatMap((name) => {
      const [, day, number] = PART.exec(name) ?? [];
      return day === undefined ? [] : [{ name, day, number: Number(number ?? 0) }];
    })
    .sort((a, b) => (a.day === b.day ? a.number - b.number : a.day < b.day ? -1 : 1));
}

/** Of a file of it, in wall ms. */
export const startOfDay = (name: string): WallMs => Date.parse(name.slice(0, 'YYYY-MM-DD'.length));

/** The names of its files, oldest first. */
export const partNames = async (disk: Pick<Disk, 'list'>): Promise<readonly string[]> =>
  (await partsOf(disk)).map(({ name }) => name);

export interface JournalOptions {
  readonly disk: Disk;
  readonly quarantine: Quarantine;
  readonly policy: Pick<StatePolicy, 'journalDays' | 'journalBytes'>;
}

/** The writer. One per root: the town process. */
export class Journal {
  readonly #options: JournalOptions;
  #part: Part | null = null;
  #bytes = 0;
  /** The part may end within a line. */
  #torn = false;
  /** Where a call failed: what is behind these bytes was never acknowledged. */
  #failed: { readonly path: string; readonly whole: number } | null = null;
  readonly #turns = new Serial();

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  /** Adds lines; calls are done one after the other. Rejects when they may not be durable: then add them again. */
  append(lines: readonly JournalLine[]): Promise<void> {
    const [first] = lines;
    if (first === undefined) return Promise.resolve();
    return this.#turns.run(() => this.#append(first.at, lines));
  }

  async #append(at: WallMs, lines: readonly JournalLine[]): Promise<void> {
    const { disk } = this.#options;
    // People read it with `cat` too: what is invisible is escaped, and nothing is lost.
    const text = lines
      .map((line) => `${escapeInvisible(JSON.stringify({ ...line, at: new Date(line.at).toISOString() }))}\n`)
      .join('');
    await this.#cut();
    const isNew = await this.#turnTo(dayOf(at));
    const part = this.#part;
    if (part === null) throw new Error('The journal has no part to write to.');
    const path = `${FOLDERS.journal}/${part.name}`;
    const added = this.#torn ? `\n${text}` : text;
    try {
      await disk.append(path, added);
      if (isNew) await disk.syncDir(FOLDERS.journal);
    } catch (error) {
      this.#part = null;
      if (await this.#passOver(path, error)) return this.#append(at, lines);
      this.#failed = { path, whole: this.#bytes };
      throw error;
    }
    this.#torn = false;
    this.#bytes += Buffer.byteLength(added);
  }

  /** Whether the next part takes the lines: this one is closed to the town, or open to others. A person is told once. */
  async #passOver(path: string, error: unknown): Promise<boolean> {
    const why = unreadable(error);
    const stat = why === null ? null : await this.#options.disk.stat(path);
    if (why === null || stat?.kind !== 'file') return false;
    this.#options.quarantine.leave(path, stat, { is: 'stuck', why: `${why}; the journal goes on in its next part` });
    return true;
  }

  async #cut(): Promise<void> {
    const { disk } = this.#options;
    if (this.#failed === null) return;
    const { path, whole } = this.#failed;
    const stat = await disk.stat(path);
    if (stat?.kind === 'file' && stat.bytes > whole) {
      await disk.append(path, '', whole).catch((error: unknown) => {
        if (unreadable(error) === null) throw error;
      });
    }
    this.#failed = null;
  }

  /** True when the part that lines go to now may not be on the disk yet. */
  async #turnTo(day: string): Promise<boolean> {
    const { policy, disk } = this.#options;
    const most = Math.ceil(policy.journalBytes / policy.journalDays);
    const current = this.#part;
    // A day before the part's own comes from a clock that was put back; the part goes on, so that order is kept.
    if (current !== null && current.day >= day && this.#bytes < most) return false;
    const last = (await partsOf(disk)).at(-1);
    let part = last !== undefined && last.day >= day ? last : { name: nameOfPart(day, 0), day, number: 0 };
    let bytes = await this.#bytesOf(part);
    while (bytes === null || bytes >= most) {
      part = { name: nameOfPart(part.day, part.number + 1), day: part.day, number: part.number + 1 };
      bytes = await this.#bytesOf(part);
    }
    await this.#prune(part);
    [this.#part, this.#bytes, this.#torn] = [part, bytes, bytes > 0];
    return true;
  }

  /** null = something else stands there, and stays. */
  async #bytesOf({ name }: Part): Promise<number | null> {
    const { disk, quarantine } = this.#options;
    const path = `${FOLDERS.journal}/${name}`;
    const stat = await disk.stat(path);
    if (stat === null) return 0;
    if (quarantine.wasLeft(path, stat)) return null;
    if (stat.kind === 'file') return stat.bytes;
    await quarantine.move(path, stat, 'it is no file where the journal goes');
    return (await disk.stat(path)) === null ? 0 : null;
  }

  async #prune(writing: Part): Promise<void> {
    const { disk, policy } = this.#options;
    const parts = (await partsOf(disk)).filter(({ name }) => name !== writing.name);
    const days = [...new Set([...parts.map(({ day }) => day), writing.day])].sort();
    const kept = new Set(days.slice(-policy.journalDays));
    // Room for the part that is written now.
    let room = policy.journalBytes - Math.ceil(policy.journalBytes / policy.journalDays);
    for (const part of parts.reverse()) {
      const bytes = await this.#bytesOf(part);
      room -= bytes ?? 0;
      const isOver = room < 0 || !kept.has(part.day);
      if (bytes !== null && isOver) await disk.remove(`${FOLDERS.journal}/${part.name}`);
    }
  }
}

/** A line as it was written; `at` is ISO. */
export type WrittenLine = Readonly<Record<string, unknown>> & { readonly at: string; readonly kind: string };

export interface JournalFilter {
  /** Lines about this session only. */
  readonly session?: string;
  readonly since?: WallMs;
  /** Rows with this text only; the others are not taken apart. */
  readonly holding?: string;
  /** Told of each part that cannot be read, in one sentence, and the rest is read; without it such a part rejects. */
  readonly onUnreadable?: (sentence: string) => void;
}

/** null = none: one that a crash tore was never acknowledged. */
export function lineOf(text: string): WrittenLine | null {
  const value = orNull((): unknown => JSON.parse(text));
  if (typeof value !== 'object' || value === null || !('at' in value) || !('kind' in value)) return null;
  const { at, kind } = value;
  return typeof at === 'string' && typeof kind === 'string' ? { ...value, at, kind } : null;
}

/** Reads the journal, oldest first; also while the town writes. Torn lines are left out. */
export async function* readJournal(disk: Disk, filter: JournalFilter = {}): AsyncGenerator<WrittenLine> {
  const { session, since, holding = '', onUnreadable } = filter;
  for (const { name, day } of await partsOf(disk)) {
    // The part before may hold the first lines of `since`'s day, when the clock was put back.
    if (since !== undefined && day < dayOf(since)) continue;
    const path = `${FOLDERS.journal}/${name}`;
    const bytes = (await disk.stat(path))?.bytes ?? 0;
    let text: string | null;
    try {
      // It may grow while it is read.
      text = await disk.read(path, bytes * 2 + 1_048_576);
    } catch (error) {
      const sentence = `${path} cannot be read (${wordsOf(error)})`;
      if (onUnreadable === undefined) throw new Error(`${sentence}.`, { cause: error });
      onUnreadable(`${sentence}; its lines are missing here`);
      continue;
    }
    const rows = (text ?? '').split('\n').filter((row) => row.includes(holding));
    for (const row of rows) {
      const line = row === '' ? null : lineOf(row);
      if (line === null || (session !== undefined && line['session'] !== session)) continue;
      if (since === undefined || Date.parse(line.at) >= since) yield line;
    }
  }
}

/** Which of these closed dances it does not tell the end of. Where it cannot be read, all: twice told is better than never. */
export async function untoldOf(disk: Disk, dances: readonly Dance[]): Promise<readonly Dance[]> {
  if (dances.length === 0) return dances;
  const told = new Set<unknown>();
  const since = Math.min(...dances.map(({ openedAt }) => openedAt));
  try {
    for await (const { kind, dance } of readJournal(disk, { since })) if (kind === 'dance.closed') told.add(dance);
  } catch {
    return dances;
  }
  return dances.filter(({ id }) => !told.has(id));
}
