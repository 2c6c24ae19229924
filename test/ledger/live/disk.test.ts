/**
 * The ledger on a disk that is full, or turned read-only: it is told, what was acknowledged is there, and with room again it goes on.
 * Everywhere by a limit of the size of files and by rights; where this machine lets us mount, by a real disk too.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, inject, test } from 'vitest';
import { MAIN } from '../../cli/town.ts';
import { openLedger } from '../../../state/ledger/sqlite.ts';
import { bead } from '../beads.ts';

const WRITER = join(inject('programs'), 'ledger-writer.mjs');
const home = mkdtempSync(join(tmpdir(), 'town-ledger-'));
const mountPoint = join(home, 'small');
const root = join(mountPoint, 'root');
const folder = join(root, 'ledger');
const stuffing = join(mountPoint, 'stuffing');
const mount = (...words: string[]): boolean => spawnSync('mount', [...words, mountPoint]).status === 0;

mkdirSync(mountPoint);
const isMounted = mount('-t', 'tmpfs', '-o', 'size=4M', 'tmpfs');
const alsoMounted = <T>(way: T): readonly (T | 'mounted')[] => (isMounted ? [way, 'mounted'] : [way]);

beforeEach(() => {
  mkdirSync(root);
  writeFileSync(join(root, 'town.toml'), '');
});
afterEach(() => {
  if (isMounted) mount('-o', 'remount,rw');
  for (const path of [root, stuffing]) rmSync(path, { recursive: true, force: true });
});
afterAll(() => {
  if (isMounted) spawnSync('umount', [mountPoint]);
  rmSync(home, { recursive: true });
});

async function put(id: string): Promise<void> {
  const ledger = openLedger({ root, wall: Date.now });
  await ledger.put(bead(id), { expects: 0, write: `w-${id}` });
  ledger.close();
}

/** What stands there; it is whole. */
async function all(): Promise<string[]> {
  const ledger = openLedger({ root, wall: Date.now, checkBytes: Infinity });
  const { items } = await ledger.list({}, { limit: 500 });
  ledger.close();
  expect(ledger.damage).toBeNull();
  return items.map(({ id }) => id).sort();
}

/** Node's words, behind a program that changes what the process may do. */
function run(before: readonly string[], ...words: string[]) {
  const [program = '', ...args] = [...before, process.execPath, ...words];
  const env = { PATH: process.env['PATH'], HOME: home, NODE_DISABLE_COMPILE_CACHE: '1' };
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env });
  return { code: status, stdout, stderr };
}
const told = (...words: string[]) => [MAIN, '--root', root, ...words];
const REFUSED = {
  code: 1,
  stdout: '',
  stderr: expect.stringMatching(
    /^town: .*town\.db cannot be used: .*; (?:see to its disk and its permissions|free some space and try again)\n$/,
  ) as string,
};

test.each(alsoMounted('limited' as const))('a full disk, %s', async (way) => {
  await put('b');
  if (way === 'mounted') {
    const { bavail, bsize } = statfsSync(mountPoint);
    writeFileSync(stuffing, Buffer.alloc((bavail - 100) * bsize));
  }
  // In blocks of 512 or 1,024 bytes.
  const upTo = (blocks: number) => (way === 'mounted' ? [] : ['sh', '-c', `ulimit -f ${blocks}; exec "$0" "$@"`]);
  const filled = run(upTo(1_000), WRITER, root, 'w', 'create', '50000');
  expect(filled).toMatchObject({ code: 0, stderr: 'ledger_disk' });
  const acknowledged = filled.stdout.trim().split('\n');
  expect(acknowledged.length).toBeGreaterThan(1);
  expect(await all()).toEqual(['b', ...acknowledged].sort());

  expect(run(upTo(100), WRITER, root, 'w', 'back')).toMatchObject({ code: 0, stderr: 'ledger_disk' });
  expect(readdirSync(join(folder, 'backups'))).toEqual([]);
  const refused = run(upTo(10), ...told('bead', 'create', 'x', '--description', 'x'.repeat(100_000)));
  if (way === 'limited') expect(refused).toEqual(REFUSED);
  else
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('its disk is full; free some space')]);

  rmSync(stuffing, { force: true });
  await put('later');
  expect(await all()).toEqual(['b', ...acknowledged, 'later'].sort());
});

test.each(alsoMounted('closed' as const))('a disk that turned read-only, %s', async (way) => {
  await put('b');
  const files = readdirSync(folder).map((name) => join(folder, name));
  const close = (isClosed: boolean): void => {
    if (way === 'mounted') expect(mount('-o', `remount,${isClosed ? 'ro' : 'rw'}`)).toBe(true);
    else {
      for (const file of files) chmodSync(file, isClosed ? 0o400 : 0o600);
      chmodSync(folder, isClosed ? 0o500 : 0o700);
    }
  };
  // Rights do not bind root, as long as it has that of overriding them.
  const bound = process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-dac_override,-dac_read_search'] : [];
  close(true);
  expect(run(bound, ...told('bead', 'create', 'x'))).toEqual(REFUSED);
  close(false);
  await put('later');
  expect(await all()).toEqual(['b', 'later']);
});

test('a process without a free descriptor is told so, in words of its own', async () => {
  await put('b');
  // Node needs some for itself; the ledger's file, its log and its lock come after those.
  const answers = Array.from({ length: 30 }, (_, more) =>
    run(['sh', '-c', `ulimit -n ${String(16 + more)}; exec "$0" "$@"`], WRITER, root, 'w', 'create', '1'),
  );
  expect(answers.filter(({ stderr }) => stderr.includes('too many files are open; raise the limit'))).not.toEqual([]);
  // No sentence of ours holds the database's.
  expect(answers.filter(({ stderr }) => /cannot be (?:used|opened)[^\n]*unable to open/.test(stderr))).toEqual([]);
});
