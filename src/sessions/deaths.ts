/**
 * Reads `<root>/daemon/deaths.log`, to which tmux itself adds a line per death: `<server pid> <pane> s<status>
 * g<signal>`.
 * 1. A line is reported once, when it is complete; lines written while the town was down are reported at the start, which empties the
 *    file, so that no later start reports them again.
 * 2. A death is news, no proof: its reader looks. A lost line is found by the scan.
 * 3. A file that became shorter is read from its beginning.
 */
import { createReadStream, watch, type FSWatcher } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Ms } from '../../machines/protocol.ts';
import type { Announce } from '../ports/ports.ts';
import { exitOf } from '../tmux/panes.ts';

export interface DeathWatchOptions {
  /** Path of deaths.log; its folder exists. */
  readonly path: string;
  readonly announce: Announce;
  /** The net under the file system's notices. */
  readonly pollMs: Ms;
  /** A file larger than this is emptied at the start, even if its last line has no end. */
  readonly maxBytes: number;
  /** Makes the file empty. Only state/ writes under the root. */
  readonly empty: () => Promise<void>;
  /** Told once per episode when the file cannot be read; null = it can again. */
  readonly trouble?: (why: string | null) => void;
}

export interface DeathWatch {
  close(): void;
}

const LINE = /^(\d+) (%\d+) s(\d*) g(\w*)$/;

/** Resolves when every line of the file is reported. Never rejects: `trouble` gets read errors. */
export async function watchDeaths(options: DeathWatchOptions): Promise<DeathWatch> {
  const reader = new DeathReader(options);
  await reader.read();
  if (reader.isRead || reader.size > options.maxBytes) await reader.shorten();
  let watcher: FSWatcher | null = null;
  try {
    watcher = watch(dirname(options.path), (_event, name) => {
      if (name === null || name === basename(options.path)) void reader.read();
    });
    watcher.on('error', () => undefined); // The poll goes on.
  } catch {
    // No watches left on this machine: deaths are reported at the pace of the poll.
  }
  const poll = setInterval(() => void reader.read(), options.pollMs);
  return {
    close: () => {
      clearInterval(poll);
      watcher?.close();
      reader.close();
    },
  };
}

async function readPart(path: string, start: number, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of createReadStream(path, { start, end: start + most - 1 })) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

class DeathReader {
  size = 0;
  readonly #options: DeathWatchOptions;
  #offset = 0;
  #turn = Promise.resolve();
  /** A reading waits for the one that is under way. */
  #isWanted = false;
  #closed = false;
  #troubled = false;

  constructor(options: DeathWatchOptions) {
    this.#options = options;
  }

  /** It has lines, and all of them are reported. */
  get isRead(): boolean {
    return this.size > 0 && this.#offset === this.size;
  }

  close(): void {
    this.#closed = true;
  }

  /** One reading at a time; a call meanwhile is made up for. */
  read(): Promise<void> {
    if (this.#isWanted) return this.#turn;
    this.#isWanted = true;
    this.#turn = this.#turn.then(() => {
      this.#isWanted = false;
      return this.#guarded(() => this.#tellNew());
    });
    return this.#turn;
  }

  async shorten(): Promise<void> {
    await this.#guarded(async () => {
      await this.#options.empty();
      this.#offset = 0;
    });
  }

  async #guarded(act: () => Promise<void>): Promise<void> {
    try {
      await act();
      if (this.#troubled) this.#options.trouble?.(null);
      this.#troubled = false;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return; // No agent has died yet.
      const why = `${this.#options.path} cannot be read (${String(error)}); deaths are found by the scan`;
      if (!this.#troubled) this.#options.trouble?.(why);
      this.#troubled = true;
    }
  }

  async #tellNew(): Promise<void> {
    const { path, maxBytes } = this.#options;
    if (this.#closed) return;
    this.size = (await stat(path)).size;
    if (this.size < this.#offset) this.#offset = 0;
    const most = Math.min(this.size - this.#offset, maxBytes);
    const bytes = most === 0 ? Buffer.alloc(0) : await readPart(path, this.#offset, most);
    // What has no end within the size of a whole file is no line of ours and is passed over.
    const end = bytes.lastIndexOf('\n') + 1 || (bytes.length === maxBytes ? bytes.length : 0);
    this.#offset += end;
    for (const line of bytes.toString('utf8', 0, end).split('\n')) this.#tell(line);
    if (end > 0 && this.#offset < this.size) await this.#tellNew();
  }

  #tell(line: string): void {
    const [, server, paneId, status, signal] = LINE.exec(line) ?? [];
    if (paneId === undefined || this.#closed) return;
    const exit = exitOf(status ?? '', signal ?? '') ?? { kind: 'unknown' as const };
    this.#options.announce({ type: 'SESSION_DIED', server: Number(server), paneId, exit });
  }
}
