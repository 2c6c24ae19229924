/** What SQLite says of a full disk, a lock, damage and a file that it cannot open never reaches a person: each is one sentence. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { faultFrom } from '../../../state/ledger/connection.ts';
import { LedgerFault } from '../../../state/ledger/fault.ts';

let home: string;
let path: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'town-words-'));
  path = join(home, 'town.db');
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

/** Does it on a real database, and gives back what SQLite threw. */
function thrownBy(work: (database: DatabaseSync) => void): unknown {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    work(database);
  } catch (error) {
    return error;
  } finally {
    database.close();
  }
  throw new Error('nothing was refused');
}

const fill = (database: DatabaseSync): void => {
  database.exec('PRAGMA page_size = 512; CREATE TABLE t (x); PRAGMA max_page_count = 3');
  database.exec(`INSERT INTO t VALUES ('${'x'.repeat(100_000)}')`);
};
const meetLock = (database: DatabaseSync): void => {
  database.exec('CREATE TABLE t (x)');
  const other = new DatabaseSync(path, { timeout: 0 });
  try {
    other.exec('BEGIN EXCLUSIVE');
    database.exec('INSERT INTO t VALUES (1)');
  } finally {
    other.close();
  }
};
const overwrite = (database: DatabaseSync): void => {
  database.exec(`PRAGMA page_size = 512; CREATE TABLE t (x); INSERT INTO t VALUES ('${'y'.repeat(20_000)}')`);
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, 512));
  new DatabaseSync(path).prepare('SELECT count(x) FROM t').get();
};
const readNoise = (): void => {
  writeFileSync(path, 'no database at all, under this name'.repeat(100));
  new DatabaseSync(path).prepare('SELECT * FROM sqlite_schema').get();
};
const openFolder = (): void => {
  new DatabaseSync(home);
};
const readOnly = (database: DatabaseSync): void => {
  database.exec('CREATE TABLE t (x)');
  new DatabaseSync(path, { readOnly: true }).exec('INSERT INTO t VALUES (1)');
};

test.each<[string, (database: DatabaseSync) => void, string, string]>([
  [
    'SQLITE_FULL',
    fill,
    'ledger_disk',
    'cannot be used: its disk or your share of it is full; free some space and try again',
  ],
  ['SQLITE_BUSY', meetLock, 'ledger_busy', 'was in use by others for too long; try again'],
  ['SQLITE_CORRUPT', overwrite, 'ledger_damaged', 'is damaged: its pages do not fit together'],
  ['SQLITE_NOTADB', readNoise, 'ledger_damaged', 'is damaged: it is no database any more'],
  [
    'SQLITE_CANTOPEN',
    openFolder,
    'ledger_disk',
    'cannot be used: it cannot be opened; see to its disk and its permissions',
  ],
  ['SQLITE_READONLY', readOnly, 'ledger_disk', 'cannot be used: it is read-only; see to its disk and its permissions'],
])('%s', (_, work, code, sentence) => {
  const error = thrownBy(work);
  const fault = faultFrom(error, path);
  expect(fault).toBeInstanceOf(LedgerFault);
  expect(fault).toMatchObject({ code, message: `${path} ${sentence}`, cause: error });
  expect((fault as LedgerFault).message).not.toContain((error as Error).message);
});

test('an error that is not of SQLite stays what it is', () => {
  const error = new TypeError('a mistake of ours');
  expect(faultFrom(error, path)).toBe(error);
});
