/** What the remote holds of a branch is asked when the branch goes: a host deletes branches, merged and not. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import { nuke } from '../../../src/rigs/nuke.ts';
import { spawn } from '../../../src/rigs/spawn.ts';
import { RigOn } from '../yard.ts';

let it: RigOn;
let record: PolecatRecord;
let tip: string;
beforeEach(async () => {
  it = new RigOn();
  record = await it.spawn('nux');
  writeFileSync(join(it.dirOf(), 'file'), 'second\n');
  it.gitIn(it.dirOf(), 'commit', '-qam', 'works');
  tip = it.gitIn(it.dirOf(), 'rev-parse', 'HEAD').trim();
});

const push = (): string => it.gitIn(it.dirOf(), 'push', '-q', 'origin', 'polecat/nux');
const deleteThere = (): string => it.gitIn(it.origin, 'branch', '-qD', 'polecat/nux');
const branchesThere = (): string => it.gitIn(it.origin, 'branch', '--list', 'polecat/nux').trim();
const refOf = (): string => `refs/town/rescue/shop-nux-${record.uuid}-branch`;
const kept = (): string => it.git('for-each-ref', '--format=%(objectname)', refOf()).trim();

/** As a host's button does it: one commit of its own, and the branch is gone. */
function squashThere(): void {
  it.git('fetch', '-q');
  it.git('merge', '-q', '--squash', 'polecat/nux');
  it.git('commit', '-qm', 'squashed');
  it.git('push', '-q', 'origin', 'main');
}

test('a branch that was merged and deleted there is not pushed again', async () => {
  push();
  squashThere();
  deleteThere();
  it.git('fetch', '-q', '--prune');
  await nuke(it.at(), record, { pushes: true });
  expect([branchesThere(), kept(), existsSync(it.dirOf())]).toEqual(['', tip, false]);
});

// Rules: P-6.
test('one that was deleted there unmerged counts as pushed no more: its commits are kept, and it says so', async () => {
  push();
  deleteThere();
  await nuke(it.at(), record, { pushes: false });
  expect([kept(), it.notes]).toEqual([tip, [expect.stringContaining('does not have it any more')]]);
});

test('so are those about which the remote does not answer', async () => {
  push();
  rmSync(it.origin, { recursive: true });
  await nuke(it.at(), record, { pushes: false });
  expect([kept(), it.notes]).toEqual([tip, [expect.stringContaining('does not answer')]]);
});

// Rules: law 4, P-6.
test('so is what a forged tracking ref calls pushed, on its branch and on none', async () => {
  it.git('update-ref', 'refs/remotes/origin/x', 'polecat/nux');
  it.gitIn(it.dirOf(), 'checkout', '-q', '--detach');
  it.gitIn(it.dirOf(), 'commit', '-q', '--allow-empty', '-m', 'on no branch');
  const head = it.gitIn(it.dirOf(), 'rev-parse', 'HEAD').trim();
  it.git('update-ref', 'refs/remotes/origin/y', head);
  it.gitIn(it.dirOf(), 'checkout', '-q', '--detach', 'HEAD');
  await nuke(it.at(), record, { pushes: false });
  const refs = it.git('for-each-ref', '--format=%(objectname)', 'refs/town/rescue').trim().split('\n');
  expect(refs.toSorted()).toEqual([head, tip].toSorted());
});

test('one that is there is kept nowhere else', async () => {
  push();
  await nuke(it.at(), record, { pushes: false });
  expect([kept(), branchesThere()]).toEqual(['', 'polecat/nux']);
});

// Rules: law 11, P-2, P-6.
describe('what goes to the refinery and is not on the remote', () => {
  const handOver = (): Promise<unknown> => nuke(it.at(), record, { pushes: false, handsOver: true });
  const forge = (): string => it.git('update-ref', 'refs/remotes/origin/polecat/nux', 'polecat/nux');

  test.each<[string, () => unknown]>([
    ['was pushed and deleted there unmerged', () => (push(), deleteThere())],
    ['was never pushed, and a tracking ref that its agent wrote says it was', forge],
  ])('is pushed first: it %s', async (_, make) => {
    make();
    await handOver();
    expect(it.gitIn(it.origin, 'rev-parse', 'polecat/nux').trim()).toBe(tip);
    expect([kept(), it.notes]).toEqual(['', []]);
  });

  test('stays where nothing may be pushed, with what to type', async () => {
    forge();
    const handing = nuke(it.at(), record, { pushes: false, handsOver: true, mayPush: false });
    await expect(handing).rejects.toMatchObject({
      code: 'unpushed',
      message: expect.stringContaining('git -C') as string,
    });
    expect([branchesThere(), existsSync(it.dirOf())]).toEqual(['', true]);
  });

  test('is not pushed again where main has it', async () => {
    push();
    squashThere();
    deleteThere();
    await handOver();
    expect(branchesThere()).toBe('');
  });

  test('stays, and no refinery reads of it, where it holds a key', async () => {
    it.gitIn(it.dirOf(), 'commit', '-q', '--allow-empty', '-m', `uses ghp_${'a1B2'.repeat(9)}`);
    forge();
    await expect(handOver()).rejects.toMatchObject({ code: 'secret' });
    expect([branchesThere(), existsSync(it.dirOf())]).toEqual(['', true]);
  });
});

describe('where pushes go to another address than what is fetched from', () => {
  let fork: string;
  beforeEach(() => {
    fork = join(it.root, 'fork.git');
    it.gitIn(it.root, 'clone', '-q', '--bare', it.origin, fork);
    it.git('config', 'remote.origin.pushurl', fork);
  });

  // Rules: P-6, R-1.
  test('what is there is published: it is kept nowhere else, and work begins with it', async () => {
    push();
    expect(it.gitIn(fork, 'rev-parse', 'polecat/nux').trim()).toBe(tip);
    const wanted = { rig: 'shop', name: 'ace', command: ['sleep', '1'], bead: null, from: tip, maxPolecats: 5 };
    expect((await spawn(it.at(), wanted)).base).toBe(tip);
    await nuke(it.at(), record, { pushes: false });
    expect([kept(), it.notes]).toEqual(['', []]);
  });

  test('what was pushed there from elsewhere since is fetched, and moves no ref of what is fetched from', async () => {
    push();
    const tree = it.gitIn(fork, 'rev-parse', `${tip}^{tree}`).trim();
    const words = ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit-tree', tree, '-p', tip, '-m', 'more'];
    it.gitIn(fork, 'update-ref', 'refs/heads/polecat/nux', it.gitIn(fork, ...words).trim());
    it.git('update-ref', 'refs/remotes/origin/polecat/nux', tip);
    await nuke(it.at(), record, { pushes: false });
    expect(kept()).toBe('');
    expect(it.git('rev-parse', 'refs/remotes/origin/polecat/nux').trim()).toBe(tip);
  });

  // Rules: P-6, R-1.
  test('it is that address which is asked, and no other that a setting puts in its place', async () => {
    const elsewhere = join(it.root, 'elsewhere.git');
    it.gitIn(it.root, 'clone', '-q', '--bare', it.origin, elsewhere);
    it.gitIn(it.dirOf(), 'push', '-q', elsewhere, 'polecat/nux');
    // git itself pushes to the fork still: it changes each address once.
    it.git('config', 'remote.origin.pushurl', 'fork:');
    it.git('config', `url.${fork}.insteadOf`, 'fork:');
    it.git('config', `url.${elsewhere}.insteadOf`, fork);
    await expect(nuke(it.at(), record, { pushes: false })).rejects.toThrow('1 commit that is on no remote');
    push();
    expect(it.gitIn(fork, 'rev-parse', 'polecat/nux').trim()).toBe(tip);
    await nuke(it.at(), record, { pushes: false });
    expect([kept(), it.notes]).toEqual(['', []]);
  });

  test('of one that is away nothing is published', async () => {
    push();
    rmSync(fork, { recursive: true });
    await nuke(it.at(), record, { pushes: false });
    expect([kept(), it.notes]).toEqual([tip, [expect.stringContaining('does not answer')]]);
  });
});
