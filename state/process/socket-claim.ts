/**
 * One town a tmux socket, also while no server listens there. Beside the socket, where each process that reaches it
 * finds them by any of its names, stand `<socket>.town-lock`, an exclusive lock like the root's, and `<socket>.town`,
 * which says whose it is.
 * 1. The lock decides; the kernel frees it with the process. Between two lives of a town its guard keeps the socket for
 *    it, while that guard lives and the town was not ordered to stop: the note alone says so much.
 * 2. Both files go with an orderly end, under the lock. A lock file that was swept away is made anew by its
 *    holder.
 */
import { basename, dirname, isAbsolute } from 'node:path';
import type { Proc } from '../../machines/protocol.ts';
import { realDisk, textOf, type Disk } from '../files/disk.ts';
import { orNull } from '../files/or-null.ts';
import { realPath } from '../files/ownership.ts';
import { holderOf, lockFile, LockRefused, type FileLock } from './lock.ts';
import { writeFiles } from '../files/atomic-write.ts';
import { procOf, runningOf, who } from './pid-files.ts';
import { withChecksum, withoutChecksum } from '../files/checksum.ts';

const MAX_BYTES = 65_536;
/** A root is printed. */
const CONTROL = /[\0-\x1f\x7f]/;

/**
 * The holder of a socket. `root` null = its process's root is unknown. `pid` null = its guard is about to start it
 * again.
 */
export interface Holder {
  readonly root: string | null;
  readonly pid: number | null;
  readonly guardPid: number | null;
}

type Taken =
  | { readonly kind: 'ours' }
  /** `by` null = the holder has not written its note yet, or only looked. */
  | { readonly kind: 'held'; readonly by: Holder | null };

interface ClaimOptions {
  /** Absolute, and the same for all names of one socket. */
  readonly path: string;
  /** Throws when it is unknown. */
  readonly alive: (proc: Proc) => boolean;
}

interface Note {
  readonly root: string;
  readonly town: Proc;
}

export class SocketClaim {
  readonly #options: ClaimOptions;
  readonly #folder: string;
  readonly #disk: Disk;
  readonly #lockName: string;
  readonly #noteName: string;
  #lock: FileLock | null = null;

  constructor(options: ClaimOptions) {
    this.#options = options;
    this.#folder = dirname(options.path);
    this.#disk = realDisk(this.#folder, performance.now());
    this.#lockName = `${basename(options.path)}.town-lock`;
    this.#noteName = `${basename(options.path)}.town`;
  }

  /** Takes the socket, or keeps it. Rejects with one sentence if it cannot be locked at all. */
  async take(own: Note): Promise<Taken> {
    if (this.#lock !== null) {
      if (await this.#lock.stands()) return { kind: 'ours' };
      this.#lock.release();
      this.#lock = null;
    }
    // Before the lock is touched, so that a returning town does not meet a process that only looks.
    const waiting = await this.#waiting(own.root);
    if (waiting !== null) return { kind: 'held', by: (await this.holder()) ?? waiting };
    const lock = await this.#lockIt();
    if (lock === null) return { kind: 'held', by: await this.holder() };
    const meanwhile = await this.#waiting(own.root);
    if (meanwhile !== null) {
      lock.release();
      return { kind: 'held', by: (await this.holder()) ?? meanwhile };
    }
    this.#lock = lock;
    await this.#write(own);
    return { kind: 'ours' };
  }

  /** The holder; null = none. Opens no lock and never rejects: what it cannot look at gives null. */
  async holder(): Promise<Holder | null> {
    const note = await this.#read();
    const locked = await holderOf(`${this.#folder}/${this.#lockName}`, 'POSIX').catch(() => null);
    // Where the system lists locks, it knows better than the note.
    const isNoted =
      process.platform === 'linux' ? locked === note?.town.pid : note !== null && lives(this.#options, note.town);
    if (note !== null && isNoted)
      return { root: note.root, pid: note.town.pid, guardPid: await this.#guardOf(note.root) };
    return locked === null ? this.#waiting(null) : { root: null, pid: locked, guardPid: null };
  }

  /** Gives it back; does nothing without a lock. */
  async release(): Promise<void> {
    const lock = this.#lock;
    if (lock === null) return;
    this.#lock = null;
    const isStanding = await lock.stands().catch(() => false);
    // Files left there do no harm: the lock is free, and the note names no living process.
    if (isStanding)
      for (const name of [this.#noteName, this.#lockName]) await this.#disk.remove(name).catch(() => null);
    lock.release();
  }

  async #lockIt(): Promise<FileLock | null> {
    try {
      return await lockFile({ root: this.#folder, disk: this.#disk }, this.#lockName);
    } catch (error) {
      if (error instanceof LockRefused) throw error;
      const isThere = (await this.#disk.stat('.').catch(() => null)) !== null;
      const why = isThere
        ? `nothing can be locked in ${this.#folder} (${textOf(error)})`
        : `there is no folder ${this.#folder}`;
      throw new LockRefused(why);
    }
  }

  /** Another root than `own` whose guard starts its town again; null = none does. */
  async #waiting(own: string | null): Promise<Holder | null> {
    const note = await this.#read();
    if (note === null || note.root === own) return null;
    const guardPid = await this.#guardOf(note.root);
    return guardPid === null ? null : { root: note.root, pid: null, guardPid };
  }

  /** Pid of the guard that keeps a town of this root alive. An unreadable root has none. */
  async #guardOf(root: string): Promise<number | null> {
    const running = runningOf(realDisk(root, 0), MAX_BYTES);
    const guard = await running.guard().catch(() => null);
    const isWanted = guard !== null && (await running.stopped().catch(() => null)) === null;
    return isWanted && lives(this.#options, guard) ? guard.pid : null;
  }

  async #write({ root, town }: Note): Promise<void> {
    const text = withChecksum({ schema: 'tmux-claim/1', root, ...who(town) });
    // Without it the lock still holds; it is only not told whose it is.
    await writeFiles(this.#disk, [{ path: `./${this.#noteName}`, text }]).catch(() => undefined);
  }

  /** null = there is none that could be read. */
  async #read(): Promise<Note | null> {
    const text = await this.#disk.read(this.#noteName, MAX_BYTES).catch(() => null);
    const found = text === null ? null : withoutChecksum(text);
    if (found?.ok !== true || found.sum === 'wrong') return null;
    const { root } = found.value;
    const town = procOf(found.value);
    const isRoot = typeof root === 'string' && isAbsolute(root) && !CONTROL.test(root);
    return town !== null && isRoot ? { root: realPath(root), town } : null;
  }
}

/** Unknown is not dead (law 1). */
const lives = ({ alive }: ClaimOptions, proc: Proc): boolean => orNull(() => alive(proc)) ?? true;
