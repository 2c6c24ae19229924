/**
 * Processes of Linux that are looked at again and again, each by a `stat` file that stays open: one call into the system
 * instead of five. The kernel ties an open file of /proc to the process, not to its number: it never tells of another one.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import type { Proc } from '../../machines/protocol.ts';
import { ProcessUnknown, isGone } from './source.ts';
import type { Follower, Row } from './source.ts';

/** Half of the files that a process may have open at the least. More processes than that are read the long way. */
const MOST = 512;
/** A line of `stat` is some 300 bytes. */
const MOST_BYTES = 1_024;
/** `1 (x) S` */
const SHORTEST = 7;
/** Zombies, and those on their way out. */
const ENDED = ['Z', 'X', 'x'].map((letter) => letter.charCodeAt(0));

export interface FollowedNeeds {
  /** Where the process file system is mounted. */
  readonly root: string;
  /** Throws on anything that is no line of `stat`. */
  readonly parse: (text: string) => Row;
  readonly same: (row: Row, proc: Proc) => boolean;
  /** How many at once. */
  readonly most?: number;
}

export class Followed implements Follower {
  readonly #needs: FollowedNeeds;
  readonly #most: number;
  readonly #files = new Map<string, number>();
  readonly #bytes = Buffer.allocUnsafe(MOST_BYTES);

  constructor(needs: FollowedNeeds) {
    this.#needs = needs;
    this.#most = needs.most ?? MOST;
  }

  lives(proc: Proc): boolean | null {
    const key = keyOf(proc);
    const file = this.#files.get(key);
    if (file === undefined) return null;
    try {
      return !ENDED.includes(this.#stateOf(file));
    } catch (error) {
      this.#files.delete(key);
      closeSync(file);
      return isGone(error) ? false : null;
    }
  }

  /** From now on, if it lives. A process that cannot be followed is looked up by its number, which tells why. */
  follow(proc: Proc): void {
    if (this.#files.size >= this.#most) this.#dropEnded();
    if (this.#files.size >= this.#most || this.#files.has(keyOf(proc))) return;
    let file: number;
    try {
      file = openSync(`${this.#needs.root}/${proc.pid}/stat`, 'r');
    } catch {
      return; // It ended meanwhile, or no more files may be opened.
    }
    if (this.#shows(file, proc)) this.#files.set(keyOf(proc), file);
    else closeSync(file);
  }

  #shows(file: number, proc: Proc): boolean {
    try {
      return this.#needs.same(this.#read(file), proc);
    } catch {
      return false; // It ended meanwhile.
    }
  }

  /** The byte after the name, which may hold anything. The rest of the line is not worth its parsing here. */
  #stateOf(file: number): number {
    const length = readSync(file, this.#bytes, 0, MOST_BYTES, 0);
    const state = this.#bytes[this.#bytes.subarray(0, length).lastIndexOf(') ') + 2];
    if (length < SHORTEST || state === undefined) throw new ProcessUnknown('a process shows no line of `stat`');
    return state;
  }

  #read(file: number): Row {
    return this.#needs.parse(this.#bytes.toString('latin1', 0, readSync(file, this.#bytes, 0, MOST_BYTES, 0)));
  }

  #dropEnded(): void {
    for (const [key, file] of this.#files) {
      try {
        this.#read(file);
      } catch {
        // Whatever the reason: it tells nothing any more.
        this.#files.delete(key);
        closeSync(file);
      }
    }
  }
}

const keyOf = ({ pid, started }: Proc): string => `${pid} ${started}`;
