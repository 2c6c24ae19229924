/**
 * Processes of Linux that are looked at again and again, each by a `statm` file that stays open: one cheap system call
 * instead of five. The kernel ties an open file of /proc to the process, not to its number, so it never shows another
 * one. A process with memory runs. One without has ended, or is about to, and is looked up by its number.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import type { Proc } from '../../machines/protocol.ts';
import { orNull } from '../../state/files/or-null.ts';
import { isGone, type Follower } from './source.ts';

/** Seven numbers, all of pages; only the first is looked at. */
const MAX_BYTES = 128;
const NONE = '0'.charCodeAt(0);

export interface FollowedNeeds {
  /** Where the process file system is mounted. */
  readonly root: string;
  /** Whether the process of this number is this very one. Throws when it is unknown. */
  readonly is: (proc: Proc) => boolean;
  /** How many at once; more processes than that are read the long way. */
  readonly most: number;
}

interface Open {
  readonly started: string;
  /** Its `statm`. */
  readonly file: number;
}

export class Followed implements Follower {
  readonly #needs: FollowedNeeds;
  /** By pid. */
  readonly #open = new Map<number, Open>();
  readonly #bytes = Buffer.allocUnsafe(MAX_BYTES);

  constructor(needs: FollowedNeeds) {
    this.#needs = needs;
  }

  lives({ pid, started }: Proc): boolean | null {
    const open = this.#open.get(pid);
    if (open?.started !== started) return null;
    try {
      if (this.#hasMemory(open.file)) return true;
      this.#drop(pid, open);
      return null;
    } catch (error) {
      this.#drop(pid, open);
      return isGone(error) ? false : null;
    }
  }

  /** From now on, if it lives. A process that cannot be followed is looked up by its number, which tells why. */
  follow(proc: Proc): void {
    const open = this.#open.get(proc.pid);
    if (open?.started === proc.started) return;
    if (open !== undefined) this.#drop(proc.pid, open); // Its number is another's by now.
    if (this.#open.size >= this.#needs.most) this.#dropEnded();
    if (this.#open.size >= this.#needs.most) return;
    let file: number | null = null;
    try {
      file = openSync(`${this.#needs.root}/${proc.pid}/statm`, 'r');
      // Asked after the opening: the number was its own before and is now, so it was in between.
      if (this.#needs.is(proc)) {
        this.#open.set(proc.pid, { started: proc.started, file });
        return;
      }
    } catch {
      // It ended meanwhile, or no more files may be opened: it is looked up by its number, which tells why.
    }
    if (file !== null) closeSync(file);
  }

  #hasMemory(file: number): boolean {
    const length = readSync(file, this.#bytes, 0, MAX_BYTES, 0);
    return length > 0 && this.#bytes[0] !== NONE;
  }

  #dropEnded(): void {
    for (const [pid, open] of this.#open) {
      // Also if it cannot be read any more, for any reason.
      if (orNull(() => this.#hasMemory(open.file)) !== true) this.#drop(pid, open);
    }
  }

  #drop(pid: number, { file }: Open): void {
    this.#open.delete(pid);
    closeSync(file);
  }
}
