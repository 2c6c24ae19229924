/** A disk that is really full: the commit fails, what was saved stays whole, and the same town recovers when there is room. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { realDisk, type Disk } from '../../state/files/disk.ts';
import { systemError } from '../world/disk.ts';
import { dance, loose, NOW, open, saved, savedSession, session, sessionSheet } from './make.ts';

const root = mkdtempSync(join(tmpdir(), 'town-full-'));
const stuffing = join(root, 'stuffing');
let mounted = false;

beforeAll(() => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', root], { stdio: 'ignore' });
    mounted = true;
  } catch {
    // Not root, or no right to mount: the same disk with the error the kernel would give.
    mounted = false;
  }
});
afterAll(() => {
  if (mounted) execFileSync('umount', [root]);
  rmSync(root, { recursive: true, force: true });
});

/** Fills what is left, to the last byte. */
function fill(): void {
  for (let chunk = 65_536; chunk >= 1; chunk = Math.floor(chunk / 2)) {
    try {
      for (;;) writeFileSync(stuffing, Buffer.alloc(chunk), { flag: 'a' });
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    }
  }
  expect(statSync(stuffing).size).toBeGreaterThan(0);
}

function diskOf(isFull: () => boolean): Disk {
  const real = realDisk(root, 1);
  const refuse = () => Promise.reject(systemError('ENOSPC'));
  return {
    ...real,
    write: (path, content) => (isFull() ? refuse() : real.write(path, content)),
    append: (path, text) => (isFull() ? refuse() : real.append(path, text)),
  };
}

test('nothing that was saved is lost on a full disk, and saving goes on when there is room', async () => {
  let full = false;
  const disk = diskOf(() => full && !mounted);
  const { store, refused } = await open(disk);
  await disk.write(...sessionSheet());
  const line = { at: NOW, kind: 'test.happened' };
  await store.commit([saved(dance()), savedSession(session())], [line]);
  full = true;
  if (mounted) fill();
  const intent = dance(undefined, { stage: 'executing.listing', killing: true, tailBefore: 'x'.repeat(20_000) });
  for (let round = 0; round < 3; round += 1) {
    await expect(store.commit([saved(intent)], [line])).rejects.toMatchObject({ code: 'ENOSPC' });
  }
  await store.readRecords();
  expect(await store.lives.maybeSignalled('uuid-gt-nux')).toBe(false);
  const { store: other } = await open(disk);
  expect((await other.readRecords()).dances).toEqual([dance()]);
  expect(await other.readSessions()).toEqual([session()]);

  full = false;
  if (mounted) rmSync(stuffing);
  await store.commit([saved(intent)], [line]);
  await disk.write('deacon/dogs/warrants/w-9.json', loose('w-9'));
  expect(await store.readWarrants()).toHaveLength(1);
  const { store: next } = await open(disk);
  expect((await next.readRecords()).dances).toEqual([intent]);
  expect(await disk.list('deacon/dogs/active')).toHaveLength(1);
  expect(refused).toEqual([]);
});
