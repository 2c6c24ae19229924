/**
 * A lock beside the ledger's file that guards its replacement. Every write shares it while it lasts; making, migrating
 * or restoring the file holds it alone. Without it an acknowledged write could end up in a file that was moved away.
 * The kernel gives it back with the process.
 */
import { closeSync, constants, openSync } from 'node:fs';
import { Connection, faultFrom, isDamage } from './connection.ts';

const { O_WRONLY, O_TRUNC, O_NOFOLLOW } = constants;

export class SwapLock {
  readonly #path: string;
  readonly #connection: Connection;

  /** The file must be there; it holds nothing. */
  constructor(path: string) {
    this.#path = path;
    this.#connection = new Connection(path);
  }

  shared<T>(ms: number, work: () => T): T {
    return this.#while('BEGIN; SELECT 1 FROM sqlite_schema', ms, work);
  }

  alone<T>(ms: number, work: () => T): T {
    return this.#while('BEGIN EXCLUSIVE', ms, work);
  }

  close(): void {
    this.#connection.close();
  }

  #while<T>(begin: string, ms: number, work: () => T): T {
    try {
      this.#connection.wait(ms);
      this.#begin(begin);
    } catch (error) {
      this.#end();
      throw faultFrom(error, this.#path);
    }
    try {
      return work();
    } finally {
      this.#end();
    }
  }

  /** SQLite locks the file before it reads it, so no process has one that is damaged. Emptied in place, it is the same file for all. */
  #begin(begin: string): void {
    try {
      this.#connection.exec(begin);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#end();
      // Not through a link: that file may be another's.
      closeSync(openSync(this.#path, O_WRONLY | O_TRUNC | O_NOFOLLOW));
      this.#connection.exec(begin);
    }
  }

  #end(): void {
    try {
      this.#connection.exec('ROLLBACK');
    } catch {
      // It had not begun.
    }
  }
}
