/**
 * Copies of the ledger that can take its place: each is whole, checked, and named by its time and the version of its schema.
 * A copy under way has another name, so that a crash leaves none that is only half there.
 */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { codeOf } from '../files/disk.ts';
import { Connection, faultFrom } from './connection.ts';
import { LedgerFault } from './fault.ts';
import { LEDGER } from './policy.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const NAME = /^(\d+)-v(\d+)-.*\.db$/;

export interface Backup {
  readonly path: string;
  readonly at: number;
  readonly schema: number;
}

export const backupsOf = (path: string): string => join(dirname(path), 'backups');

export function syncPath(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The newest first, as their names tell; whether they are good is not looked at. */
export function backupsIn(folder: string): Backup[] {
  let names: readonly string[] = [];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  return names
    .flatMap((name) => {
      const [, at, schema] = NAME.exec(name) ?? [];
      return at === undefined ? [] : [{ path: join(folder, name), at: Number(at), schema: Number(schema) }];
    })
    .sort((one, other) => other.at - one.at);
}

/** What is wrong with a copy; null = it can take the ledger's place. It is left without a journal beside it. */
function faultInCopy(path: string): string | null {
  let copy: Connection | null = null;
  try {
    copy = new Connection(path);
    copy.exec('PRAGMA journal_mode = DELETE');
    return copy.fault();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    copy?.close();
  }
}

/** Makes the copy that was just written a backup. Throws LedgerFault for one that is damaged. */
function keep(copy: string, path: string, schema: number, at: number, tag: string): string {
  const why = faultInCopy(copy);
  if (why !== null) {
    rmSync(copy, { force: true });
    const said = `${path} cannot be backed up: its copy is damaged; see to its disk (town doctor), the next copy is made later`;
    throw new LedgerFault('ledger_damaged', said, { cause: new Error(why) });
  }
  chmodSync(copy, FILE_MODE);
  syncPath(copy);
  // After all others, also where the clock stepped back.
  const [newest] = backupsIn(backupsOf(path));
  const kept = join(backupsOf(path), `${Math.max(at, (newest?.at ?? 0) + 1)}-v${schema}-${tag}.db`);
  renameSync(copy, kept);
  syncPath(dirname(kept));
  forgetOld(path);
  return kept;
}

/** The newest stay, and the newest of the last older schema: what stood before a migration. */
function forgetOld(path: string): void {
  const all = backupsIn(backupsOf(path));
  const before = all.find(({ schema }) => schema < (all[0]?.schema ?? 0));
  for (const old of all.slice(LEDGER.maxBackups)) if (old !== before) rmSync(old.path, { force: true });
}

function placeFor(path: string, tag: string): string {
  mkdirSync(backupsOf(path), { recursive: true, mode: FOLDER_MODE });
  const copy = join(backupsOf(path), `.${tag}.tmp`);
  rmSync(copy, { force: true });
  return copy;
}

/** A backup at once, by a connection to `path` of its own. Throws LedgerFault. */
export function backUpNow(connection: Connection, path: string, at: number, tag: string): string {
  const copy = placeFor(path, tag);
  try {
    connection.run('VACUUM INTO ?', copy);
  } catch (error) {
    rmSync(copy, { force: true });
    throw faultFrom(error, path);
  }
  return keep(copy, path, connection.setting('user_version'), at, tag);
}

/** A backup beside all who write meanwhile; resolves with its path. Rejects with LedgerFault. */
export async function backUpOnline(path: string, at: number, tag: string): Promise<string> {
  const copy = placeFor(path, tag);
  let schema: number;
  try {
    const database = new DatabaseSync(path, { timeout: LEDGER.callMs });
    try {
      schema = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
      await backup(database, copy);
    } finally {
      database.close();
    }
  } catch (error) {
    rmSync(copy, { force: true });
    throw faultFrom(error, path);
  }
  return keep(copy, path, schema, at, tag);
}

/** Puts a copy of the newest good backup that this town can read in the empty place of the ledger; null = there is none. */
export function restoreInto(path: string, schema: number, tag: string): string | null {
  for (const one of backupsIn(backupsOf(path)).filter((each) => each.schema <= schema)) {
    const copy = join(dirname(path), `.${tag}.tmp`);
    copyFileSync(one.path, copy);
    if (faultInCopy(copy) === null) {
      chmodSync(copy, FILE_MODE);
      syncPath(copy);
      renameSync(copy, path);
      syncPath(dirname(path));
      return one.path;
    }
    rmSync(copy, { force: true });
  }
  return null;
}
