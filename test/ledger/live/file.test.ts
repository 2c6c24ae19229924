/** The ledger's file under what happens to files: kills, crowds, damage, other versions, other programs. */
import { spawn, type ChildProcess } from 'node:child_process';
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { backupsIn } from '../../../state/ledger/backups.ts';
import type { FileOptions } from '../../../state/ledger/file.ts';
import { openLedger, type SqliteLedger } from '../../../state/ledger/sqlite.ts';
import { STEPS } from '../../../state/ledger/tables.ts';
import { freshFolder } from '../../world/over.ts';
import { bead } from '../beads.ts';

const WRITER = join(inject('programs'), 'ledger-writer.mjs');
let root: string;
const opened: SqliteLedger[] = [];
const file = () => join(root, 'ledger', 'town.db');

beforeEach(() => (root = freshFolder()));
afterEach(() => close());

function open(more: Partial<FileOptions> = {}): SqliteLedger {
  const ledger = openLedger({ root, wall: Date.now, ...more });
  opened.push(ledger);
  return ledger;
}
const close = () => opened.splice(0).forEach((ledger) => ledger.close());
const put = (ledger: SqliteLedger, id: string) => ledger.put(bead(id), { expects: 0, write: `w-${id}` });
const idsIn = async (ledger: SqliteLedger, ids: readonly string[]) => (await ledger.beads(ids)).map(({ id }) => id);

function writer(...words: string[]): { child: ChildProcess; said: Promise<string> } {
  const child = spawn(process.execPath, [WRITER, root, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  return { child, said: text(child.stdout) };
}

/** Zeroes in the middle of the file: pages that hold beads. */
function damage(path = file()): void {
  const size = statSync(path).size;
  const fd = openSync(path, 'r+');
  writeSync(fd, Buffer.alloc(size - 4_096, 0xa5), 0, size - 4_096, 4_096);
  closeSync(fd);
}

// Rules: I-15.
test('a damaged lock stops no write: it holds nothing, and is emptied in its place', async () => {
  const lock = join(root, 'ledger', 'lock.db');
  const before = open();
  await put(before, 'tw-1');
  const { ino } = statSync(lock);
  writeFileSync(lock, 'no database '.repeat(500));
  await put(before, 'tw-2');
  writeFileSync(lock, 'no database '.repeat(500));
  await put(open(), 'tw-3');
  await expect(idsIn(before, ['tw-1', 'tw-2', 'tw-3'])).resolves.toHaveLength(3);
  expect(statSync(lock)).toMatchObject({ ino, size: 0 });
  // What a link leads to may be another's.
  rmSync(lock);
  const other = join(root, 'other');
  writeFileSync(other, 'no database '.repeat(500));
  symlinkSync(other, lock);
  await expect((async () => put(open(), 'tw-4'))()).rejects.toThrow();
  expect(statSync(other).size).toBe(6_000);
});

test('nothing that was acknowledged is lost to a kill -9, and the file stays whole', async () => {
  const told: string[] = [];
  for (let round = 0; round < 20; round += 1) {
    const { child, said } = writer(`r${round}`, 'create');
    await once(child.stdout!, 'data');
    await pause(Math.random() * 60);
    child.kill('SIGKILL');
    const acknowledged = (await said).split('\n').slice(0, -1);
    expect(acknowledged.length).toBeGreaterThanOrEqual(0);
    told.push(`r${round}-0`, ...acknowledged);
  }
  const ledger = open({ checkBytes: Infinity });
  expect(ledger.damage).toBeNull();
  const wanted = [...new Set(told)];
  const found: string[] = [];
  for (let at = 0; at < wanted.length; at += 500) found.push(...(await idsIn(ledger, wanted.slice(at, at + 500))));
  expect(found).toEqual(wanted);
  expect((await ledger.list({ labels: ['crash'] }, { limit: 500 })).items.length).toBeGreaterThanOrEqual(20);
});

test('ten processes count one bead up: every one of their writes counts once', async () => {
  await open().put(bead('counter'), { expects: 0, write: 'w-counter' });
  const all = Array.from({ length: 10 }, (_, n) => writer(`p${n}`, 'count', '20'));
  const backup = open().backUp(Date.now());
  expect(await Promise.all(all.map(({ said }) => said))).toEqual(all.map(() => 'done\n'));
  expect(await open().beads(['counter'])).toMatchObject([{ attempts: 200, version: 201 }]);
  expect(existsSync(await backup)).toBe(true);
});

test('ten processes make the file at once, and it is one', async () => {
  const all = Array.from({ length: 10 }, (_, n) => writer(`p${n}`, 'create'));
  await Promise.all(all.map(({ child }) => once(child.stdout!, 'data')));
  all.forEach(({ child }) => child.kill('SIGKILL'));
  await Promise.all(all.map(({ said }) => said));
  const ids = all.map((_, n) => `p${n}-0`);
  expect(await idsIn(open(), ids)).toEqual(ids);
});

test("its files are its user's alone", async () => {
  const before = process.umask(0o002);
  try {
    await put(open(), 'b');
    await open().backUp(1);
  } finally {
    process.umask(before);
  }
  const all = readdirSync(join(root, 'ledger'), { recursive: true }).map((name) => join(root, 'ledger', String(name)));
  const mode = (path: string) => lstatSync(path).mode & 0o777;
  expect(all.length).toBeGreaterThanOrEqual(5);
  for (const path of [join(root, 'ledger'), ...all])
    expect(mode(path)).toBe(lstatSync(path).isDirectory() ? 0o700 : 0o600);
});

describe('a damaged file', () => {
  test('goes to quarantine and the newest good backup takes its place', async () => {
    const ledger = open();
    await put(ledger, 'early');
    const good = await ledger.backUp(1_000);
    await put(ledger, 'later');
    const bad = await ledger.backUp(2_000);
    close();
    damage();
    damage(bad);
    const after = open();
    expect(after.damage).toMatchObject({ why: expect.stringContaining('damaged') as string, restoredFrom: good });
    expect(await idsIn(after, ['early', 'later'])).toEqual(['early']);
    const kept = readdirSync(join(root, 'quarantine')).sort();
    expect(kept[0]).toMatch(/-ledger-town\.db$/);
    expect(JSON.parse(readFileSync(join(root, 'quarantine', `${kept[0]!}.why`), 'utf8'))).toMatchObject({
      file: 'ledger/town.db',
    });
    close();
    expect(open().damage).toBeNull();
  });

  test('is replaced by the backup that was made last, also where the clock stepped back before it', async () => {
    const ledger = open();
    for (let n = 0; n < 5; n += 1) await ledger.backUp(9_000 + n);
    await put(ledger, 'later');
    const last = await ledger.backUp(1_000);
    close();
    damage();
    const after = open();
    expect(after.damage).toMatchObject({ restoredFrom: last });
    expect(await idsIn(after, ['later'])).toEqual(['later']);
  });

  test('begins anew where there is no backup, and says so', async () => {
    await put(open(), 'b');
    close();
    writeFileSync(file(), 'this is no database, but long enough to be looked at as one where it is opened');
    const after = open();
    expect(after.damage).toMatchObject({
      movedTo: expect.stringContaining('quarantine/') as string,
      restoredFrom: null,
    });
    expect(await idsIn(after, ['b'])).toEqual([]);
  });

  test('is found by a process that has it open, and the others follow to the new one', async () => {
    const [one, other] = [open({ checkBytes: 0 }), open({ checkBytes: 0 })];
    for (let n = 0; n < 200; n += 1) await put(one, `b-${n}`);
    await one.backUp(Date.now());
    close();
    const [first, second] = [open({ checkBytes: 0 }), open({ checkBytes: 0 })];
    damage();
    expect((await first.list({}, { limit: 500 })).items).toHaveLength(200);
    expect(first.damage).not.toBeNull();
    await put(first, 'new');
    expect(await idsIn(second, ['new', 'b-7'])).toEqual(['new', 'b-7']);
    await put(second, 'newer');
    expect(await idsIn(first, ['newer'])).toEqual(['newer']);
    expect(other).toBeDefined();
  });

  test('that is only missing is brought back from its backup', async () => {
    const ledger = open();
    await put(ledger, 'b');
    await ledger.backUp(1_000);
    rmSync(file());
    await put(ledger, 'c');
    expect(await idsIn(ledger, ['b', 'c'])).toEqual(['b', 'c']);
    expect(ledger.damage).toMatchObject({ why: 'its file was missing' });
  });
});

describe('another version', () => {
  const MORE = [...STEPS, 'CREATE TABLE later (id TEXT PRIMARY KEY)'];

  test('that is newer is refused and left alone', async () => {
    await put(open({ steps: MORE }), 'b');
    close();
    expect(() => open()).toThrow(
      `has schema ${STEPS.length + 1}, this town knows up to ${STEPS.length}: run the newer`,
    );
    expect(await idsIn(open({ steps: MORE }), ['b'])).toEqual(['b']);
  });

  test('that is older is backed up, then migrated', async () => {
    await put(open(), 'b');
    close();
    const ledger = open({ steps: MORE });
    expect(await idsIn(ledger, ['b'])).toEqual(['b']);
    expect(backupsIn(join(root, 'ledger', 'backups'))).toMatchObject([{ schema: STEPS.length }]);
    for (let n = 1; n < 8; n += 1) await ledger.backUp(Date.now() + n);
    const kept = backupsIn(join(root, 'ledger', 'backups')).map(({ schema }) => schema);
    expect(kept).toEqual([...Array<number>(4).fill(MORE.length), STEPS.length]);
  });

  test('whose step fails stays as it was', async () => {
    await put(open(), 'b');
    close();
    expect(() => open({ steps: [...STEPS, 'CREATE TABLE x (a); CREATE TABLE beads (a)'] })).toThrow('already exists');
    expect(await idsIn(open(), ['b'])).toEqual(['b']);
  });
});

describe('what is not ours', () => {
  const place = () => mkdirSync(join(root, 'ledger'));

  test("another program's database", () => {
    place();
    const theirs = new DatabaseSync(file());
    theirs.exec('CREATE TABLE theirs (a)');
    theirs.close();
    expect(() => open()).toThrow("another program's database");
  });

  test('a link, a folder, a file instead of the folder', () => {
    place();
    writeFileSync(join(root, 'elsewhere'), '');
    symlinkSync(join(root, 'elsewhere'), file());
    expect(() => open()).toThrow('no regular file');
    rmSync(file());
    mkdirSync(file());
    expect(() => open()).toThrow('no regular file');
    rmSync(join(root, 'ledger'), { recursive: true });
    writeFileSync(join(root, 'ledger'), '');
    expect(() => open()).toThrow('is no folder');
  });
});

test('a writer that never ends is told as busy, within the time of the call', async () => {
  const ledger = open();
  await put(ledger, 'b');
  const hog = new DatabaseSync(file());
  hog.exec('BEGIN IMMEDIATE');
  const before = performance.now();
  await expect(put(ledger.within(300), 'c')).rejects.toMatchObject({ code: 'ledger_busy' });
  expect(performance.now() - before).toBeLessThan(3_000);
  expect(await idsIn(ledger.within(300), ['b'])).toEqual(['b']);
  hog.close();
  await put(ledger, 'c');
});
