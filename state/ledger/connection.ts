/**
 * One connection to the ledger's file: its settings, its prepared statements, and what SQLite's errors mean.
 * A commit is on the disk before it is answered (WAL with synchronous=FULL).
 */
import { closeSync, openSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { LedgerFault } from './fault.ts';

export type Row = Readonly<Record<string, unknown>>;

const PRIMARY = 0xff;
/** In use, its table too, or lost a race for the lock. */
const BUSY: ReadonlySet<number> = new Set([5, 6, 15]);
/** What SQLite's primary codes mean to a person: its own words name neither the cause nor what to do. */
const DAMAGED: ReadonlyMap<number, string> = new Map([
  [11, 'its pages do not fit together'],
  [26, 'it is no database any more'],
]);
const DISK: ReadonlyMap<number, string> = new Map([
  [3, 'its permissions do not allow it'],
  [8, 'it is read-only'],
  [10, 'its disk could not be read or written'],
  [13, 'its disk or your share of it is full; free some space and try again'],
  [14, 'it cannot be opened'],
  [22, 'its file system takes no file of this size'],
  [23, 'its permissions do not allow it'],
]);
const MEMORY = 7;

const codeIn = (error: unknown): number =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & PRIMARY : 0;

export const isDamage = (error: unknown): boolean => DAMAGED.has(codeIn(error));
const isBusy = (error: unknown): boolean => BUSY.has(codeIn(error));

/** As a caller is told it. What is no error of SQLite stays as it is. */
export function faultFrom(error: unknown, path: string): unknown {
  const code = codeIn(error);
  const cause = { cause: error };
  if (BUSY.has(code))
    return new LedgerFault('ledger_busy', `${path} was in use by others for too long; try again`, cause);
  if (code === MEMORY)
    return new LedgerFault('ledger_disk', `${path} cannot be used: memory is short; try again`, cause);
  const damage = DAMAGED.get(code);
  if (damage !== undefined) return new LedgerFault('ledger_damaged', `${path} is damaged: ${damage}`, cause);
  const why = DISK.get(code);
  return why === undefined ? error : new LedgerFault('ledger_disk', diskSentence(path, why), cause);
}

/** A disk with less than this takes no page and no index of the log: bytes. */
const MIN_FREE_BYTES = 65_536;

/** The database, its log, the log's index and a journal. */
const FILES = 4;

/** Throws as the system does where a ledger's files cannot be opened. */
function tryDescriptors(path: string): void {
  const open: number[] = [];
  try {
    while (open.length < FILES) open.push(openSync(path, 'r'));
  } finally {
    open.forEach(closeSync);
  }
}

/** What the system says of the disk: the database's own words for it name no cause. */
function diskSentence(path: string, why: string): string {
  const folder = dirname(path);
  try {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < MIN_FREE_BYTES)
      return `${path} cannot be used: its disk is full; free some space and try again`;
    tryDescriptors(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EMFILE' || code === 'ENFILE')
      return `${path} cannot be opened: too many files are open; raise the limit (ulimit -n) and try again`;
    return `${path} cannot be used: ${why}; see to ${folder} and its permissions${code === undefined ? '' : ` (${code})`}`;
  }
  return `${path} cannot be used: ${why}${why.includes(';') ? '' : '; see to its disk and its permissions'}`;
}

export class Connection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #patienceMs = -1;

  constructor(path: string) {
    this.#database = new DatabaseSync(path, { timeout: 0 });
  }

  /** How long a call waits for others. */
  wait(ms: number): void {
    const whole = Math.max(0, Math.ceil(ms));
    if (whole === this.#patienceMs) return;
    this.#database.exec(`PRAGMA busy_timeout = ${whole}`);
    this.#patienceMs = whole;
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  get(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values);
  }

  all(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return this.#statement(sql).all(...values);
  }

  /** The one number of a setting, such as `user_version`. */
  setting(name: string): number {
    return Number(Object.values(this.get(`PRAGMA ${name}`) ?? {})[0]);
  }

  /** What is wrong with the pages; null = nothing. */
  fault(): string | null {
    try {
      const said = Object.values(this.#database.prepare('PRAGMA integrity_check(1)').get() ?? {})[0];
      return said === 'ok' ? null : String(said).replaceAll('\n', ' ');
    } catch (error) {
      if (isDamage(error)) return error instanceof Error ? error.message : 'it is no database';
      throw error;
    }
  }

  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const made = this.#database.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }
}

/** All or nothing, on the disk when it returns. */
export function transaction<T>(connection: Connection, work: (connection: Connection) => T): T {
  connection.exec('BEGIN IMMEDIATE');
  try {
    const result = work(connection);
    connection.exec('COMMIT');
    return result;
  } catch (error) {
    try {
      connection.exec('ROLLBACK');
    } catch (again) {
      // SQLite may have rolled it back itself.
      if (isBusy(again)) throw again;
    }
    throw error;
  }
}

/** Everything that is read within is of one moment. */
export function snapshot<T>(connection: Connection, read: () => T): T {
  connection.exec('BEGIN');
  try {
    return read();
  } finally {
    connection.exec('COMMIT');
  }
}
