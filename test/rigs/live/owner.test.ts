/** One town in a repository: another one is refused by name, and no copy, move or removal makes a false refusal. Real git. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { realDisk } from '../../../state/files/disk.ts';
import { keepNote } from '../../../state/patrols/notes.ts';
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

/** A folder whose git kills its caller instead of doing what has these words. */
function killingGit(folder: string, words: string): string {
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh\ncase "$*" in *"${words}"*) kill -9 $PPID ;; esac\nexec ${git} "$@"\n`;
  mkdirSync(folder);
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 });
  return folder;
}

// Rules: P-16.
test.each(['--unset-all town.root', 'update-ref --no-deref -d refs/town/main/'])(
  '`rig remove` that is killed at `git %s` is typed again, and leaves nothing of the town in the repository',
  async (words) => {
    const [town, it] = [new TestTown(), new RigOn()];
    expect((await town.run('rig', 'add', 'shop', it.top)).code).toBe(0);
    const disk = realDisk(town.root, performance.timeOrigin);
    await keepNote(disk, 'shop/witness', 'main-asked', { kind: 'asked', text: '', at: 1 });
    const left = (): string =>
      it.git('config', '--get-regexp', '^(town|x)[.]') + it.git('for-each-ref', '--format=%(refname)', 'refs/town/');
    it.git('config', 'x.y', 'z');
    expect(left()).toMatch(/town.root .*\n.*refs\/town\/main\//s);
    const PATH = [killingGit(join(town.home, 'killing'), words), process.env['PATH']].join(delimiter);
    const killed = await town.bare(['--root', town.root, 'rig', 'remove', 'shop'], { env: { PATH } });
    expect([killed.code, killed.stderr]).toEqual([null, '']);
    expect(await town.run('rig', 'remove', 'shop')).toMatchObject({ code: 0, stderr: '' });
    expect([left(), town.names('rigs').filter((name) => name.endsWith('.json'))]).toEqual(['x.y z\n', []]);
    expect(town.names('patrols/notes')).toEqual([]);
  },
);

// Rules: P-16, law 5.
test('`rig remove` that was killed leaves what another town began there since, when it is typed again', async () => {
  const [town, it] = [new TestTown(), new RigOn()];
  const second = join(town.home, 'second');
  mkdirSync(second);
  expect((await town.run('rig', 'add', 'shop', it.top)).code).toBe(0);
  const PATH = [killingGit(join(town.home, 'killing'), 'update-ref --no-deref -d'), process.env['PATH']].join(
    delimiter,
  );
  expect((await town.bare(['--root', town.root, 'rig', 'remove', 'shop'], { env: { PATH } })).code).toBeNull();
  expect((await town.bare(['--root', second, 'rig', 'add', 'shop', it.top])).code).toBe(0);
  const kept = (): string =>
    it.git('config', '--get-all', 'town.root') + it.git('for-each-ref', '--format=%(refname)', 'refs/town/');
  const before = kept();
  expect(before).toMatch(/second\nrefs\/town\/main\//);
  expect(await town.run('rig', 'remove', 'shop')).toMatchObject({ code: 0, stderr: '' });
  expect([kept(), await town.data('rig', 'list')]).toEqual([before, []]);
});

test('`rig remove` forgets the rig of a repository that git cannot read any more, and says what stays there', async () => {
  const [town, it] = [new TestTown(), new RigOn()];
  expect((await town.run('rig', 'add', 'shop', it.top)).code).toBe(0);
  rmSync(join(it.top, '.git/HEAD'));
  const { code, stderr } = await town.run('rig', 'remove', 'shop');
  expect([code, stderr]).toEqual([0, expect.stringContaining(`refs/town/main stays in ${it.top}: `)]);
  expect(await town.data('rig', 'list')).toEqual([]);
});

// Rules: law 5, law 7.
test('`rig remove` waits for a lock of the settings that goes, and says what stays behind one that does not', async () => {
  const [town, it] = [new TestTown(), new RigOn()];
  const lock = join(it.top, '.git/config.lock');
  const add = async () => expect((await town.run('rig', 'add', 'shop', it.top)).code).toBe(0);
  await add();
  writeFileSync(lock, '');
  const { code, stderr } = await town.run('rig', 'remove', 'shop');
  expect([code, stderr]).toEqual([0, expect.stringContaining(`town.root stays in the settings of ${it.top}; take it`)]);
  const line = /take it out: (.*)$/m.exec(stderr)?.[1] ?? '';
  rmSync(lock);
  execFileSync('sh', ['-c', line]);
  await add();
  const folder = join(town.home, 'unlocking');
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  mkdirSync(folder);
  // The lock stands in the way of the first try only.
  const script = `#!/bin/sh\ncase "$*" in *"--unset-all town.root"*) [ -e ${folder}/seen ] || { touch ${folder}/seen ${lock}; ${git} "$@"; code=$?; rm ${lock}; exit $code; } ;; esac\nexec ${git} "$@"\n`;
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 });
  const PATH = [folder, process.env['PATH']].join(delimiter);
  expect(await town.bare(['--root', town.root, 'rig', 'remove', 'shop'], { env: { PATH } })).toMatchObject({
    code: 0,
    stderr: '',
  });
  expect(it.git('config', '--list')).not.toContain('town.root');
});
