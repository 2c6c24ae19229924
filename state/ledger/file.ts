/**
 * The ledger's file: made, migrated, checked, restored, and reopened when another file takes its place.
 * 1. Any number of processes at once; what they may not do beside each other they do alone (swap-lock.ts).
 * 2. A damaged file is never written to and never deleted: it goes to quarantine, the newest good backup takes its
 *    place, and `damage` says so. A newer one, or another user's, is refused and left as it is.
 * 3. The file is looked at by its name only: closing another descriptor of it would give up SQLite's locks.
 */
import { join } from 'node:path';
import { mustNotBeGasTown } from '../files/gas-town.ts';
import { FILES } from '../files/layout.ts';
import { backupsIn, backupsOf, backUpNow, restoreInto } from './backups.ts';
import { Connection, faultFrom, isDamage, transaction } from './connection.ts';
import { LedgerFault } from './fault.ts';
import { LEDGER } from './policy.ts';
import { inodeOf, makeEmpty, makePlace, moveAway, statOf } from './place.ts';
import type { SwapLock } from './swap-lock.ts';
import { APPLICATION, STEPS } from './tables.ts';

let opened = 0;

/** The ledger was not what it should be, and what became of it: for an alarm. */
export interface Damage {
  readonly why: string;
  /** Where the damaged file is now, relative to the root; null = there was none. */
  readonly movedTo: string | null;
  /** The backup that took its place; null = there was no good one, and the ledger began anew, empty. */
  readonly restoredFrom: string | null;
}

export interface FileOptions {
  /** Absolute. */
  readonly root: string;
  readonly wall: () => number;
  /** A file up to so many bytes is checked whole when it is opened. */
  readonly checkBytes?: number;
  readonly steps?: readonly string[];
}

interface Open {
  readonly connection: Connection;
  readonly inode: string;
}

export class LedgerFile {
  readonly path: string;
  readonly #options: FileOptions;
  readonly #steps: readonly string[];
  readonly #lock: SwapLock;
  readonly #tag: string;
  #open: Open | null = null;
  #damage: Damage | null = null;
  #hasWritten = false;

  /** Opens it, and makes it where there is none. Throws LedgerFault, and GasTownRoot. */
  constructor(options: FileOptions) {
    mustNotBeGasTown(options.root);
    this.#options = options;
    this.#steps = options.steps ?? STEPS;
    this.path = join(options.root, FILES.ledger);
    this.#tag = `${process.pid}-${Math.floor(options.wall()).toString(36)}-${String((opened += 1))}`;
    this.#lock = this.#faulty(() => makePlace(this.path));
    try {
      const { checkBytes = LEDGER.checkBytes } = options;
      this.#withFile(LEDGER.openMs, ({ connection }) => {
        if ((statOf(this.path)?.size ?? 0) <= checkBytes) this.#mustBeWhole(connection);
      });
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** What was wrong with the file since it was opened here; null = nothing. */
  get damage(): Damage | null {
    return this.#damage;
  }

  get tag(): string {
    return this.#tag;
  }

  /** One consistent look. Throws LedgerFault. */
  read<T>(ms: number, work: (connection: Connection) => T): T {
    return this.#withFile(ms, ({ connection }) => work(connection));
  }

  /** Whether anything was written here since it was opened. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  /** All or nothing, on the disk when it returns. Throws LedgerFault. */
  write<T>(ms: number, work: (connection: Connection) => T): T {
    const until = performance.now() + ms;
    const left = () => until - performance.now();
    return this.#withFile(ms, () =>
      this.#lock.shared(left(), () => {
        // The file may have been swapped while this waited: from here on it cannot be.
        const open = this.#open?.inode === inodeOf(this.path) ? this.#open : this.#connect(left());
        if (open === null) throw new LedgerFault('ledger_busy', `${this.path} was just replaced; try again`);
        open.connection.wait(left());
        const done = transaction(open.connection, work);
        this.#hasWritten = true;
        return done;
      }),
    );
  }

  close(): void {
    this.#disconnect();
    this.#lock.close();
  }

  /** On the file that stands there now, with the newest tables; damage is mended once, and then it is done anew. */
  #withFile<T>(ms: number, work: (open: Open) => T): T {
    try {
      return this.#faulty(() => work(this.#current(ms)));
    } catch (error) {
      if (!(error instanceof LedgerFault) || error.code !== 'ledger_damaged') throw error;
      this.#recover(error.message);
      return this.#onceMore(() => this.#faulty(() => work(this.#current(ms))));
    }
  }

  /** After its backup came back. Damage at once again is the disk's. */
  #onceMore<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof LedgerFault) || error.code !== 'ledger_damaged') throw error;
      const said = `${error.message}, again and at once; see to its disk (town doctor) and try again`;
      throw new LedgerFault('ledger_damaged', said, { cause: error });
    }
  }

  #current(ms: number): Open {
    const open = this.#open?.inode === inodeOf(this.path) ? this.#open : this.#connect(ms);
    if (open !== null) {
      open.connection.wait(ms);
      return open;
    }
    this.#lock.alone(Math.max(ms, LEDGER.openMs), () => this.#prepare());
    const made = this.#connect(ms);
    if (made !== null) return made;
    throw new LedgerFault('ledger_busy', `${this.path} is replaced again and again; find the program that does it`);
  }

  /** null = it must be made or migrated first. */
  #connect(ms: number): Open | null {
    this.#disconnect();
    const inode = inodeOf(this.path);
    if (inode === null) return null;
    const connection = new Connection(this.path);
    try {
      connection.wait(ms);
      const version = this.#versionOf(connection);
      if (version < this.#steps.length || inode !== inodeOf(this.path)) {
        connection.close();
        return null;
      }
      connection.exec('PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF');
    } catch (error) {
      connection.close();
      throw error;
    }
    return (this.#open = { connection, inode });
  }

  #disconnect(): void {
    this.#open?.connection.close();
    this.#open = null;
  }

  /** How many steps were made. Throws LedgerFault for a file that this town must not touch. */
  #versionOf(connection: Connection): number {
    const version = connection.setting('user_version');
    const application = connection.setting('application_id');
    if (application !== APPLICATION && (application !== 0 || connection.setting('schema_version') !== 0))
      throw new LedgerFault('ledger_foreign', `${this.path} is another program's database: move it away`);
    if (version <= this.#steps.length) return version;
    const text = `${this.path} has schema ${version}, this town knows up to ${this.#steps.length}: run the newer town that made it`;
    throw new LedgerFault('ledger_newer', text);
  }

  /** Alone: what is missing is restored or made, what is old is backed up and migrated. */
  #prepare(): void {
    if (inodeOf(this.path) === null) this.#fillPlace();
    const connection = new Connection(this.path);
    try {
      connection.wait(LEDGER.callMs);
      const version = this.#versionOf(connection);
      if (version >= this.#steps.length) return;
      this.#mustBeWhole(connection);
      if (version > 0) backUpNow(connection, this.path, this.#options.wall(), this.#tag);
      connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
      transaction(connection, () => {
        for (const step of this.#steps.slice(version)) connection.exec(step);
        connection.exec(`PRAGMA application_id = ${APPLICATION}; PRAGMA user_version = ${this.#steps.length}`);
      });
    } finally {
      connection.close();
    }
  }

  /** A ledger that had backups was there before: it did not go by itself. */
  #fillPlace(): void {
    const hadOne = backupsIn(backupsOf(this.path)).length > 0;
    const movedTo = this.#moveAway('its file is missing');
    const restoredFrom = restoreInto(this.path, this.#steps.length, this.#tag);
    if (hadOne || movedTo !== null) this.#damage = { why: 'its file was missing', movedTo, restoredFrom };
    if (restoredFrom !== null) return;
    makeEmpty(this.path);
  }

  #mustBeWhole(connection: Connection): void {
    const why = connection.fault();
    if (why === null) return;
    const cause = new Error(why);
    throw new LedgerFault('ledger_damaged', `${this.path} is damaged: a check of its pages fails`, { cause });
  }

  /** Runs alone, and looks again first: another process may have recovered it already. */
  #recover(why: string): void {
    const inode = this.#open?.inode ?? inodeOf(this.path);
    this.#disconnect();
    this.#lock.alone(LEDGER.openMs, () => {
      if (inodeOf(this.path) !== inode) return;
      if (inode !== null && this.#isWhole())
        throw new LedgerFault('ledger_damaged', `${why}; a check of all pages finds nothing, try again`);
      const movedTo = this.#moveAway(why);
      this.#damage = { why, movedTo, restoredFrom: restoreInto(this.path, this.#steps.length, this.#tag) };
    });
  }

  #isWhole(): boolean {
    let connection: Connection | null = null;
    try {
      connection = new Connection(this.path);
      return connection.fault() === null;
    } catch (error) {
      if (isDamage(error)) return false;
      throw faultFrom(error, this.path);
    } finally {
      connection?.close();
    }
  }

  #moveAway(why: string): string | null {
    return moveAway({ ...this.#options, path: this.path, tag: this.#tag }, why);
  }

  #faulty<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw faultFrom(error, this.path);
    }
  }
}
