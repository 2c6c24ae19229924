/**
 * A lock beside the ledger's file that guards its replacement. Every write shares it while it lasts; making, migrating
 * or restoring the file holds it alone. Without it an acknowledged write could end up in a file that was moved away.
 * The kernel gives it back with the process.
 */
import { Connection, faultFrom } from './connection.ts';

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
      this.#connection.exec(begin);
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

  #end(): void {
    try {
      this.#connection.exec('ROLLBACK');
    } catch {
      // It had not begun.
    }
  }
}
