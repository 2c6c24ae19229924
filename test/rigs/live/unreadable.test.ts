/** What cannot be read is unknown: a nuke refuses it before it touches anything, and one that was cut off looks again. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import { nuke } from '../../../src/rigs/nuke.ts';
import { foldersOf } from '../../../src/rigs/place.ts';
import { EXIT } from '../../../src/terminal/failure.ts';
import { realDisk } from '../../../state/files/disk.ts';
import { RigRecords } from '../../../state/rigs/records.ts';
import { TestTown } from '../../cli/town.ts';
import { RigOn } from '../yard.ts';

const ACT = join(inject('programs'), 'rig-act.mjs');
/** Root reads everything; without these two rights it is like any other user. */
const AS_ANYBODY = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];

let it: RigOn;
const locked: string[] = [];
beforeEach(() => (it = new RigOn()));
afterEach(() => locked.splice(0).forEach((folder) => existsSync(folder) && chmodSync(folder, 0o700)));

function nukeAsAnybody(): { readonly status: number | null; readonly stderr: string } {
  const words = [process.execPath, ACT, 'nuke', it.root, 'nux'];
  return spawnSync('env', [...AS_ANYBODY, ...words], { encoding: 'utf8' });
}

const recordOf = async (): Promise<PolecatRecord> => (await it.records.polecat({ rig: 'shop', name: 'nux' }))!;

/** As a container leaves it: of another user, or closed to all. */
function leaves(name: string, mode: number): string {
  const folder = join(it.dirOf(), name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'rows'), 'precious');
  chmodSync(folder, mode);
  locked.push(folder);
  return folder;
}

// Rules: P-6.
test.each([
  ['an untracked folder that cannot be opened', 'data', 0],
  ['an ignored one', 'built/data', 0],
  ['an ignored one that can be read, and not be emptied', 'built/data', 0o500],
])('%s: nothing is touched', async (_, name, mode) => {
  await it.spawn('nux');
  const folder = leaves(name, mode);
  const { status, stderr } = nukeAsAnybody();
  expect(status).not.toBe(0);
  expect(stderr).toMatch(/stays as it is: it could not be looked at: .*(Permission denied|EACCES)/);
  expect(readdirSync(it.dirOf()).sort()).toEqual(expect.arrayContaining(['.git', 'deep', 'file']));
  expect((await recordOf()).step).toBe('running');
  chmodSync(folder, 0o700);
  expect(readdirSync(folder)).toEqual(['rows']);
});

describe('a nuke that was cut off while git took the worktree away', () => {
  /** git forgot it, and some of its files are gone. */
  async function halfGone(): Promise<string> {
    const record = await it.spawn('nux');
    mkdirSync(join(it.dirOf(), 'built'));
    writeFileSync(join(it.dirOf(), 'built/x'), '');
    const { dir, aside } = foldersOf(it.at(), record);
    renameSync(dir, aside);
    for (const name of ['.git', '.gitignore', 'file']) rmSync(join(aside, name));
    it.git('worktree', 'prune', '--expire', 'now');
    await it.records.savePolecat({ ...record, step: 'going', tip: record.base });
    return aside;
  }

  test('is gone on with: what is left is in its commit, or ignored', async () => {
    const aside = await halfGone();
    await nuke(it.at(), await recordOf(), { pushes: false });
    expect(existsSync(aside)).toBe(false);
    expect(await it.records.polecat({ rig: 'shop', name: 'nux' })).toBeNull();
  });

  // Rules: P-6.
  test.each([
    ['new', (aside: string) => writeFileSync(join(aside, 'precious'), '')],
    ['changed', (aside: string) => writeFileSync(join(aside, 'deep/er/file'), 'precious')],
    ['in a repository of its own', (aside: string) => it.git('init', '-q', join(aside, 'built/own'))],
  ])('leaves what is %s meanwhile, and says what it is', async (_, make) => {
    const aside = await halfGone();
    make(aside);
    const going = nuke(it.at(), await recordOf(), { pushes: false });
    await expect(going).rejects.toThrow(
      expect.objectContaining({ exit: EXIT.refused, code: 'not_elsewhere' }) as Error,
    );
    expect(existsSync(join(aside, 'deep/er/file'))).toBe(true);
    expect((await recordOf()).step).toBe('going');
  });

  test('leaves what cannot be read', async () => {
    const aside = await halfGone();
    mkdirSync(join(aside, 'data'));
    chmodSync(join(aside, 'data'), 0);
    locked.push(join(aside, 'data'));
    const { status, stderr } = nukeAsAnybody();
    expect(status).not.toBe(0);
    expect(stderr).toContain('cannot be looked at');
    expect(existsSync(join(aside, 'deep/er/file'))).toBe(true);
  });

  test.each(['list', 'status shop/nux', 'git-state shop/nux'])(
    'is shown by `polecat %s`, which deletes nothing',
    async (words) => {
      const town = new TestTown();
      const aside = await halfGone();
      await town.data('rig', 'add', 'shop', '--repo', it.top);
      const record = await recordOf();
      const records = new RigRecords({ disk: realDisk(town.root, performance.timeOrigin) });
      const moved = join(town.root, 'shop/polecats');
      mkdirSync(moved, { recursive: true });
      renameSync(aside, join(moved, basename(aside)));
      await records.savePolecat(record);
      const { code } = await town.run('polecat', ...words.split(' '));
      expect([code, readdirSync(moved)]).toEqual([0, [basename(aside)]]);
      expect(await records.polecat(record)).toEqual(record);
    },
  );
});
