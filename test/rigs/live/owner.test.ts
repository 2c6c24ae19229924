/** One town in a repository: another one is refused by name, and no copy, move or removal makes a false refusal. Real git. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { realDisk } from '../../../state/files/disk.ts';
import { RigRecords } from '../../../state/rigs/records.ts';
import { treesOf } from '../../../src/patrols/witness/trees.ts';
import { nuke } from '../../../src/rigs/nuke.ts';
import { claimRepository, leaveRepository, ownerTrouble } from '../../../src/rigs/owner.ts';
import { TestTown } from '../../cli/town.ts';
import { RigOn } from '../yard.ts';

describe('a repository that a town works in', () => {
  let it: RigOn;
  let other: string;
  beforeEach(async () => {
    it = new RigOn();
    other = join(it.root, 'other town');
    mkdirSync(other);
    await it.records.saveRig(it.rig);
    await it.spawn('one');
  });

  const by = (root: string, repo = it.top) => ({
    rig: { ...it.rig, repo, commonDir: join(repo, '.git') },
    yard: { root },
  });
  const kept = (repo = it.top): string => it.gitIn(repo, 'config', '--get-all', 'town.root').trim();

  // Rules: law 5.
  test('refuses another town, which gives no work there', async () => {
    expect(kept()).toBe(it.town);
    await expect(claimRepository(by(other))).rejects.toMatchObject({ code: 'other_town' });
    await expect(it.spawn('two', { root: other })).rejects.toThrow(`the town of ${it.town} works in`);
    expect(await ownerTrouble(by(it.town))).toBeNull();
    expect(kept()).toBe(it.town);
  });

  // Rules: law 5, law 1.
  test.each<[what: string, then: () => unknown]>([
    ['whose folder is gone or has moved', () => renameSync(it.town, join(it.root, 'moved'))],
    ['that gave the rig up', () => it.records.removeRig('shop')],
    ['that left', () => leaveRepository(by(it.town))],
  ])('is free after a town %s', async (_, then) => {
    await then();
    await claimRepository(by(other));
    expect(kept()).toBe(other);
  });

  // Rules: law 5.
  test('is that of one of two towns that claim it in one instant, and of no other', async () => {
    const roots = ['ä [b]', 'c+d', 'e'].map((name) => join(it.root, name));
    await leaveRepository(by(it.town));
    await it.records.removeRig('shop');
    for (const root of roots) {
      mkdirSync(root);
      await new RigRecords({ disk: realDisk(root, performance.timeOrigin) }).saveRig(it.rig);
    }
    const ends = await Promise.allSettled(roots.map((root) => claimRepository(by(root))));
    const won = roots.filter((_, at) => ends[at]?.status === 'fulfilled');
    expect([won, kept()]).toEqual([[kept()], won[0]]);
    for (const root of roots) expect((await ownerTrouble(by(root))) === null).toBe(root === won[0]);
  });

  // Rules: law 5, law 4.
  test('is not touched by a nuke of another town', async () => {
    const [record] = (await it.records.polecatsOf('shop')).found;
    mkdirSync(join(other, 'x'));
    await expect(nuke({ ...it.at({ root: other }) }, record!, { pushes: false })).rejects.toMatchObject({
      code: 'other_town',
    });
    expect(it.git('rev-parse', '--verify', 'refs/heads/polecat/one')).not.toBe('');
    expect((await treesOf(it.at({ root: other })).trouble())?.is).toBe('other-town');
  });

  test('is that of its town under another name of its folder, and a copy of it is not', async () => {
    const [again, copy] = [join(it.root, 'again'), join(it.root, 'copy')];
    symlinkSync(it.town, again);
    expect(await ownerTrouble(by(again))).toBeNull();
    cpSync(it.top, copy, { recursive: true });
    expect(kept(copy)).toBe(it.town);
    await claimRepository(by(other, copy));
    expect([kept(copy), kept()]).toEqual([other, it.town]);
  });
});

// Rules: law 5.
test('`rig add` in a second root says which town has it, and its line takes it over', async () => {
  const [town, it] = [new TestTown(), new RigOn()];
  const second = join(town.home, 'second');
  mkdirSync(second);
  const there = () => town.bare(['--root', second, 'rig', 'add', 'shop', it.top]);
  expect((await town.run('rig', 'add', 'shop', it.top)).code).toBe(0);
  const { code, stderr } = await there();
  expect([code, stderr.includes(`the town of ${town.root} works in ${it.top} already`)]).toEqual([5, true]);
  const line = /copy of that town: (.*)$/m.exec(stderr)?.[1] ?? '';
  execFileSync('sh', ['-c', line], { stdio: 'pipe' });
  expect((await there()).code).toBe(0);
  expect((await town.run('rig', 'remove', 'shop')).code).toBe(0);
  expect((await town.run('rig', 'add', 'shop', it.top)).code).toBe(5);
  execFileSync('git', ['-C', it.top, 'config', '--unset-all', 'town.root']);
  expect((await town.run('rig', 'add', 'shop', it.top)).code).toBe(0);
  expect((await town.bare(['--root', second, 'rig', 'set', 'shop', '--base', 'main'])).code).toBe(5);
});
