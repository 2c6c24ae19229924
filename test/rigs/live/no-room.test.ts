/** After a full disk the town makes a worktree again as soon as the disk has more room than before. On real git and a small disk. */
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mayMount, withSmallDisk } from '../small-disk.ts';
import { RigOn } from '../yard.ts';

const MB = 1_000_000;

/** A rig whose main has a file of so many bytes. */
function rigWith(bytes: number): RigOn {
  const it = new RigOn();
  writeFileSync(join(it.top, 'movie'), randomBytes(bytes));
  it.git('add', 'movie');
  it.git('commit', '-qm', 'a movie');
  it.git('push', '-q', 'origin', 'HEAD');
  return it;
}

// Rules: law 7.
test.runIf(mayMount())('a sparse worktree that needs less than the whole tree', async () => {
  const it = rigWith(3 * MB);
  it.git('sparse-checkout', 'set', '--no-cone', '/file');
  const disk = join(it.town, 'shop');
  await withSmallDisk(disk, '1m', async () => {
    const stuffing = join(disk, 'stuffing');
    expect(() => writeFileSync(stuffing, randomBytes(2 * MB))).toThrow('ENOSPC');
    await expect(it.spawn()).rejects.toMatchObject({ code: 'no_room' });
    await expect(it.spawn()).rejects.toMatchObject({ code: 'no_room' });
    rmSync(stuffing);
    await it.spawn();
    expect([existsSync(join(it.dirOf(), 'file')), existsSync(join(it.dirOf(), 'movie'))]).toEqual([true, false]);
  });
});

// Rules: law 7.
test.runIf(mayMount())('a worktree whose folder is gone since', async () => {
  const it = rigWith(MB / 10);
  const disk = join(it.town, 'shop');
  await withSmallDisk(disk, '1m', async () => {
    const stuffing = join(disk, 'stuffing');
    expect(() => writeFileSync(stuffing, randomBytes(2 * MB))).toThrow('ENOSPC');
    await expect(it.spawn()).rejects.toMatchObject({ code: 'no_room' });
    rmSync(stuffing);
    rmSync(join(disk, 'polecats'), { recursive: true, force: true });
    await it.spawn();
    expect(existsSync(join(it.dirOf(), 'movie'))).toBe(true);
  });
});
