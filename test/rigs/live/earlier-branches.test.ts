/** Branches of earlier attempts at merged work: what main has goes, what it lacks stays and is named. Real git. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { dropMerged, keptOf } from '../../../src/rigs/earlier-branches.ts';
import { realDisk } from '../../../state/files/disk.ts';
import { keepWork, workOn, type Work } from '../../../state/rigs/work.ts';
import { RigOn } from '../yard.ts';

let it: RigOn;
let began: string;
beforeEach(() => {
  it = new RigOn();
  began = tip('origin/main');
});

const tip = (name: string): string => it.git('rev-parse', name).trim();
const onRemote = (): string[] =>
  it
    .gitIn(it.origin, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/polecat')
    .split('\n')
    .filter((name) => name !== '');

/** A pushed branch of an attempt, with a commit of its own on top of another branch or of main. */
function attempt(name: string, from = 'origin/main', file = name): string {
  it.git('checkout', '-q', '-B', `polecat/${name}`, from);
  it.commit(file, `${name}\n`);
  it.git('push', '-q', 'origin', 'HEAD');
  it.git('checkout', '-q', '--detach');
  return tip(`polecat/${name}`);
}

/** As a host does. */
function squash(branch: string): void {
  it.git('checkout', '-q', '--detach', 'origin/main');
  it.git('merge', '-q', '--squash', branch);
  it.git('commit', '-q', '-m', 'one commit');
  it.git('push', '-q', 'origin', 'HEAD:main');
}

/** Attempts at tw-1, the oldest first; the last one was handed over. */
function workOf(names: readonly string[], of = 'tw-1', at = 1): Work {
  const begun = names.map((polecat, n) => ({
    polecat,
    uuid: `${of}-${polecat}`,
    branch: `polecat/${polecat}`,
    base: began,
    main: began,
    start: null,
    at: at + n,
  }));
  const last = begun.at(-1)!;
  const { polecat, uuid, branch, main } = last;
  return { rig: 'shop', of, begun, handed: [{ polecat, uuid, branch, main, commit: tip(branch), at: last.at }] };
}

const kept = async (work: Work) => {
  const disk = realDisk(it.town, 0);
  await keepWork(disk, work, work);
  return keptOf(it.at(), await workOn(disk, work), disk);
};

// Rules.
test('what the merged work was built on goes, however that was merged; what main lacks stays', async () => {
  attempt('one');
  attempt('other');
  attempt('two', 'polecat/one', 'one');
  squash('polecat/two');
  expect(await dropMerged(it.at(), workOf(['one', 'other', 'two']))).toEqual(['polecat/one']);
  expect(onRemote()).toEqual(['polecat/other', 'polecat/two']);
});

test('of what is named the line deletes it, unless it moved since', async () => {
  attempt('other');
  attempt('two');
  squash('polecat/two');
  const work = workOf(['other', 'two']);
  const [only, ...others] = await kept(work);
  expect([only, others]).toMatchObject([
    { branch: 'polecat/other', commit: tip('polecat/other'), isMerged: false },
    [],
  ]);
  const type = () => execFileSync('sh', ['-c', only!.line], { stdio: 'pipe' });
  const first = tip('polecat/other');
  attempt('other', 'polecat/other', 'more');
  expect(type).toThrow(/stale info/);
  it.git('push', '-q', '--force', 'origin', `${first}:refs/heads/polecat/other`);
  type();
  expect(onRemote()).toEqual(['polecat/two']);
  expect(await kept(work)).toEqual([]);
});

test('nothing goes before main has the work, or with work that main took out again', async () => {
  attempt('one');
  attempt('two', 'polecat/one');
  const work = workOf(['one', 'two']);
  expect(await dropMerged(it.at(), work)).toEqual([]);
  squash('polecat/two');
  it.git('revert', '--no-edit', 'HEAD');
  it.git('push', '-q', 'origin', 'HEAD:main');
  expect(await dropMerged(it.at(), work)).toEqual([]);
  expect(onRemote()).toEqual(['polecat/one', 'polecat/two']);
});

test('a name that a living polecat or other work has by now is none of it', async () => {
  await it.spawn('one');
  it.gitIn(it.dirOf('one'), 'push', '-q', 'origin', 'HEAD');
  attempt('reused');
  attempt('two');
  squash('polecat/two');
  const work = workOf(['one', 'reused', 'two']);
  await keepWork(realDisk(it.town, 0), { rig: 'shop', of: 'tw-2' }, workOf(['reused'], 'tw-2', 9));
  expect(await dropMerged(it.at(), work)).toEqual([]);
  expect(await kept(work)).toEqual([]);
});

test('a commit that came to a branch meanwhile keeps it there', async () => {
  attempt('one');
  attempt('two', 'polecat/one');
  squash('polecat/two');
  const before = tip('polecat/one');
  attempt('one', 'polecat/one', 'more');
  // Another clone pushed it: here nothing tells.
  it.git('update-ref', 'refs/remotes/origin/polecat/one', before);
  expect(await dropMerged(it.at(), workOf(['one', 'two']))).toEqual([]);
  expect(onRemote()).toContain('polecat/one');
});

test('of a branch that only others have moved on the remote answers for itself, and a silent one is no proof', async () => {
  attempt('one');
  attempt('two', 'polecat/one');
  squash('polecat/two');
  it.git('remote', 'set-url', 'origin', '/nonexistent');
  await expect(dropMerged(it.at(), workOf(['one', 'two']))).resolves.toEqual([]);
  expect(onRemote()).toEqual(['polecat/one', 'polecat/two']);
});

test.each(['squash', 'merge'])(
  'another town gives the name of one that is gone again: that branch is none of it (%s)',
  async (way) => {
    attempt('one');
    attempt('two', 'polecat/one');
    const work = workOf(['one', 'two']);
    if (way === 'squash') squash('polecat/two');
    else it.git('push', '-q', 'origin', 'polecat/two:main');
    expect(await dropMerged(it.at(), work)).toEqual(['polecat/one']);
    const other = join(it.root, 'other');
    execFileSync('git', ['clone', '-q', it.origin, other]);
    it.gitIn(other, 'checkout', '-q', '-b', 'polecat/one', 'origin/main');
    it.gitIn(other, 'commit', '-q', '--allow-empty', '-m', 'work of another');
    it.gitIn(other, 'push', '-q', 'origin', 'HEAD');
    it.git('fetch', '-q');
    expect(onRemote()).toContain('polecat/one');
    expect(await kept(work)).toEqual([]);
  },
);

test.each(['squash', 'merge'])(
  'one that the remote did not delete is named, with the line that does (%s)',
  async (way) => {
    attempt('one');
    attempt('two', 'polecat/one');
    const work = workOf(['one', 'two']);
    if (way === 'squash') squash('polecat/two');
    else it.git('push', '-q', 'origin', 'polecat/two:main');
    it.gitIn(it.origin, 'config', 'receive.denyDeletes', 'true');
    await expect(dropMerged(it.at(), work)).rejects.toThrow();
    const found = await kept(work);
    expect(found).toMatchObject([{ branch: 'polecat/one', commit: tip('polecat/one'), isMerged: true }]);
    it.gitIn(it.origin, 'config', 'receive.denyDeletes', 'false');
    execFileSync('sh', ['-c', found[0]!.line], { stdio: 'pipe' });
    expect(onRemote()).toEqual(['polecat/two']);
    expect(await kept(work)).toEqual([]);
  },
);

test('one that was deleted after the merge is not named', async () => {
  attempt('one');
  attempt('two', 'polecat/one');
  const work = workOf(['one', 'two']);
  squash('polecat/two');
  expect(await dropMerged(it.at(), work)).toEqual(['polecat/one']);
  expect(await kept(work)).toEqual([]);
});
