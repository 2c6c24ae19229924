/** The ledger on a disk that is full, or turned read-only: it is told, what was acknowledged is there, and with room again it goes on. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { MAIN } from '../../cli/town.ts';
import { openLedger, type SqliteLedger } from '../../../state/ledger/sqlite.ts';
import { bead } from '../beads.ts';

const home = mkdtempSync(join(tmpdir(), 'town-ledger-'));
const mountPoint = join(home, 'small');
const root = join(mountPoint, 'root');
const stuffing = join(mountPoint, 'stuffing');
const mount = (...words: string[]): boolean => spawnSync('mount', [...words, mountPoint]).status === 0;

/** Without the right to mount, the same is shown by a limit of the size of files, beside the other tests of the file. */
let isMounted = false;
let ledger: SqliteLedger;
beforeAll(() => {
  mkdirSync(mountPoint);
  isMounted = mount('-t', 'tmpfs', '-o', 'size=4M', 'tmpfs');
});
beforeEach(() => {
  mkdirSync(root);
  writeFileSync(join(root, 'town.toml'), '');
  ledger = openLedger({ root, wall: Date.now });
});
afterEach(() => {
  ledger.close();
  if (isMounted) mount('-o', 'remount,rw');
  for (const path of [root, stuffing]) rmSync(path, { recursive: true, force: true });
});
afterAll(() => {
  if (isMounted) spawnSync('umount', [mountPoint]);
  rmSync(home, { recursive: true });
});

const put = (id: string, signs = 10) =>
  ledger.put(bead(id, { description: 'x'.repeat(signs) }), { expects: 0, write: `w-${id}` });
const stuff = (): void => {
  const { bavail, bsize } = statfsSync(mountPoint);
  writeFileSync(stuffing, Buffer.alloc(bavail * bsize));
};
const all = async (): Promise<string[]> => (await ledger.list({}, { limit: 500 })).items.map(({ id }) => id);

function reopened(): void {
  ledger.close();
  ledger = openLedger({ root, wall: Date.now, checkBytes: Infinity });
  expect(ledger.damage).toBeNull();
}

const town = (...words: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, '--root', root, ...words], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: home },
  });
  return { code: status, stdout, stderr };
};

test('a full disk', async () => {
  if (!isMounted) return;
  await put('b-0');
  stuff();
  const told = ['b-0'];
  const filling = async (): Promise<void> => {
    for (let n = 1; n < 1_000; n += 1) {
      await put(`b-${n}`, 100_000);
      told.push(`b-${n}`);
    }
  };
  await expect(filling()).rejects.toMatchObject({
    code: 'ledger_disk',
    message: expect.stringContaining('disk') as string,
  });
  expect((await all()).sort()).toEqual(told.toSorted());
  await expect(ledger.backUp(1_000)).rejects.toMatchObject({ code: 'ledger_disk' });
  expect(readdirSync(join(root, 'ledger/backups'))).toEqual([]);
  expect(town('bead', 'create', 'x', '--description', 'x'.repeat(100_000))).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: expect.stringMatching(
      /^town: .*town\.db cannot be used \(.*\); see to its disk and its permissions\n$/,
    ) as string,
  });
  rmSync(stuffing);
  await put('later');
  reopened();
  expect((await all()).sort()).toEqual([...told, 'later'].sort());
});

test('a disk that turned read-only', async () => {
  if (!isMounted) return;
  await put('b');
  expect(mount('-o', 'remount,ro')).toBe(false);
  ledger.close();
  expect(mount('-o', 'remount,ro')).toBe(true);
  expect(town('bead', 'create', 'x')).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: expect.stringMatching(/^town: .*cannot be used \(.*\); see to its disk and its permissions\n$/) as string,
  });
  mount('-o', 'remount,rw');
  reopened();
  await put('later');
  expect((await all()).sort()).toEqual(['b', 'later']);
});
