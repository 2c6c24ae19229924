/** On which branch a polecat left its work: the remote itself says what it has, not a worktree's refs. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import type { LeftSeen } from '../../../machines/patrols/observation.ts';
import { treesOf } from '../../../src/patrols/witness/trees.ts';
import { RIG_WORK } from '../../../src/rigs/policy.ts';
import { RigOn } from '../yard.ts';

let it: RigOn;
let record: PolecatRecord;
let commit: string;
let wallMs = 1_000;
const inWorktree = (...words: string[]): string => it.gitIn(it.dirOf(), ...words).trim();
beforeEach(async () => {
  it = new RigOn();
  record = await it.spawn();
  inWorktree('commit', '-q', '--allow-empty', '-m', 'work');
  commit = inWorktree('rev-parse', 'HEAD');
});

/** As each time long after the last: nothing is remembered. */
async function left(): Promise<LeftSeen> {
  wallMs += 2 * RIG_WORK.leftForMs;
  const trees = treesOf(it.at({ wall: () => wallMs }));
  return trees.left(record, await trees.look(record));
}
/** The work is on no branch here. */
function letGo(): void {
  inWorktree('checkout', '-q', '--detach');
  it.git('update-ref', 'refs/heads/polecat/nux', record.base);
}

// Rules: P-2.
test.each(['other', 'polecat/ace'])('a forged tracking ref %s is no branch of the remote', async (name) => {
  it.git('update-ref', `refs/remotes/origin/${name}`, commit);
  expect(await left()).toEqual({ is: 'work', branch: 'polecat/nux', commit });
  letGo();
  inWorktree('checkout', '-q', '--detach', record.base);
  expect(await left()).toEqual({ is: 'scattered', text: expect.stringContaining('is on no branch') as string });
});

// Rules: P-2.
test('one that the remote has under another name is found there, without a tracking ref and below later commits', async () => {
  inWorktree('push', '-q', it.origin, 'HEAD:refs/heads/a-topic');
  expect(await left()).toEqual({ is: 'work', branch: 'a-topic', commit });
  inWorktree('commit', '-q', '--allow-empty', '-m', 'more');
  inWorktree('push', '-q', it.origin, 'HEAD:refs/heads/a-topic');
  const more = inWorktree('rev-parse', 'HEAD');
  inWorktree('reset', '-q', '--hard', commit);
  // What it went back from is on the remote, and is more of the same.
  expect(await left()).toEqual({ is: 'work', branch: 'a-topic', commit: more });
  it.gitIn(it.origin, 'update-ref', 'refs/heads/a-topic', commit);
  inWorktree('push', '-q', it.origin, 'HEAD:refs/heads/polecat/nux');
  expect(await left()).toEqual({ is: 'work', branch: 'polecat/nux', commit });
});

test('one on no branch here is unknown while the remote is away', async () => {
  rmSync(it.origin, { recursive: true });
  expect(await left()).toEqual({ is: 'work', branch: 'polecat/nux', commit });
  letGo();
  expect(await left()).toEqual({ is: 'unknown' });
});

// Rules: P-2.
test('commits that it only pulled from main are no work of its own', async () => {
  inWorktree('reset', '-q', '--hard', record.base);
  it.gitIn(it.top, 'commit', '-q', '--allow-empty', '-m', "another's");
  it.git('push', '-q', 'origin', 'main');
  inWorktree('pull', '-q', '--ff-only', 'origin', 'main');
  it.git('reflog', 'expire', '--expire=now', '--all');
  expect(await left()).toEqual({ is: 'nothing' });
});

// Rules: P-2.
test('work on a main branch is handed over on the branch of its own name, since it may be pushed', async () => {
  inWorktree('checkout', '-q', '--ignore-other-worktrees', '-B', 'main');
  expect(await left()).toEqual({ is: 'work', branch: 'polecat/nux', commit });
});

// Rules: P-2.
test('work on the main branch of the address that pushes go to is on no branch of its own there', async () => {
  const fork = join(it.root, 'fork.git');
  it.git('clone', '-q', '--bare', it.origin, fork);
  it.git('remote', 'set-url', '--push', 'origin', fork);
  inWorktree('push', '-q', fork, 'HEAD:refs/heads/main');
  expect(await left()).toEqual({ is: 'work', branch: 'polecat/nux', commit });
});

const text = async (): Promise<string> => {
  const seen = await left();
  return seen.is === 'scattered' ? seen.text : JSON.stringify(seen);
};
/** Types what the text says. */
const type = (said: string): void => {
  const lines = said.slice(said.lastIndexOf(': ') + 2).split(' && ');
  for (const line of lines) it.git(...line.split(' ').slice(1));
};
const short = (name: string): string => inWorktree('rev-parse', name).slice(0, RIG_WORK.shortCommit);
function commitFile(name: string, words = 'x\n'): void {
  writeFileSync(join(it.dirOf(), name), words);
  inWorktree('add', name);
  inWorktree('commit', '-qm', name);
}

// Rules: P-2.
describe('work that no one branch has is neither nothing nor handed over, and its text says what to type', () => {
  test('a commit on a detached HEAD', async () => {
    inWorktree('reset', '-q', '--hard', record.base);
    inWorktree('checkout', '-q', '--detach');
    commitFile('detached');
    const said = await text();
    expect(said).toBe(
      `its commit ${short('HEAD')} is on no branch; give it one: git -C ${it.dirOf()} checkout -B polecat/nux ${short('HEAD')}`,
    );
    type(said);
    expect(await left()).toEqual({ is: 'work', branch: 'polecat/nux', commit: inWorktree('rev-parse', 'HEAD') });
  });

  test('a detached HEAD that goes on from its branch', async () => {
    inWorktree('checkout', '-q', '--detach');
    commitFile('more');
    expect(await text()).toMatch(/^its commit \w+ is on no branch; give it one: /);
  });

  test('a commit that it left behind on no branch, with nothing else', async () => {
    inWorktree('checkout', '-q', '--detach');
    it.git('update-ref', 'refs/heads/polecat/nux', record.base);
    inWorktree('checkout', '-q', 'polecat/nux');
    expect(await text()).toContain(`its commit ${commit.slice(0, RIG_WORK.shortCommit)} is on no branch`);
  });

  // Rules: law 4.
  test('a commit that a checkout left, beside its branch', async () => {
    inWorktree('push', '-q', 'origin', 'HEAD');
    inWorktree('checkout', '-q', '--detach');
    commitFile('two');
    const two = short('HEAD');
    inWorktree('checkout', '-q', 'polecat/nux');
    const said = await text();
    expect(said).toBe(
      `its commit ${two} is on no branch; give it one: git -C ${it.dirOf()} checkout -B polecat/nux ${two}`,
    );
    type(said);
    expect(await left()).toEqual({ is: 'work', branch: 'polecat/nux', commit: inWorktree('rev-parse', 'HEAD') });
  });

  test.each([
    ['here alone', () => undefined],
    ['on the remote', () => inWorktree('push', '-q', 'origin', 'part-one', 'polecat/nux')],
    [
      'on the remote alone',
      () => {
        inWorktree('push', '-q', 'origin', 'part-one');
        inWorktree('branch', '-qD', 'part-one');
      },
    ],
  ])('commits on two branches, %s', async (_, publish) => {
    inWorktree('checkout', '-qb', 'part-one', record.base);
    commitFile('one');
    const one = short('HEAD');
    inWorktree('checkout', '-q', 'polecat/nux');
    commitFile('two');
    publish();
    const said = await text();
    expect(said).toBe(
      `its commits are in 2 places, of which a refinery merges one: ${short('HEAD')} on polecat/nux, ${one} on part-one; bring them together: git -C ${it.dirOf()} checkout polecat/nux && git -C ${it.dirOf()} merge ${one}`,
    );
    type(said);
    expect(await left()).toEqual({ is: 'work', branch: 'polecat/nux', commit: inWorktree('rev-parse', 'HEAD') });
    expect(inWorktree('ls-files', 'one', 'two')).toBe('one\ntwo');
  });
});

// Rules: P-2.
describe('one branch has all of it', () => {
  test('where it was renamed', async () => {
    inWorktree('branch', '-m', 'fix/parser');
    expect(await left()).toEqual({ is: 'work', branch: 'fix/parser', commit });
  });

  test('where it went back to an earlier branch that holds a part', async () => {
    inWorktree('checkout', '-qb', 'topic');
    commitFile('more');
    const tip = inWorktree('rev-parse', 'HEAD');
    inWorktree('checkout', '-q', 'polecat/nux');
    expect(await left()).toEqual({ is: 'work', branch: 'topic', commit: tip });
  });

  test('where the other branch is what it rebased, or what it amended', async () => {
    commitFile('file-a');
    inWorktree('branch', 'backup');
    inWorktree('checkout', '-q', '--detach', record.base);
    commitFile('before');
    inWorktree('checkout', '-q', 'polecat/nux');
    inWorktree('rebase', '-q', '@{-1}');
    expect(await left()).toEqual({ is: 'work', branch: 'polecat/nux', commit: inWorktree('rev-parse', 'HEAD') });
    inWorktree('push', '-q', 'origin', 'HEAD');
    writeFileSync(join(it.dirOf(), 'file-a'), 'y\n');
    inWorktree('commit', '-qa', '--amend', '--no-edit');
    inWorktree('branch', '-qD', 'backup');
    expect(await left()).toEqual({ is: 'work', branch: 'polecat/nux', commit: inWorktree('rev-parse', 'HEAD') });
  });
});

// Rules: P-2.
test('a commit that a checkout left is no end of its work once it went back there and amended it, or reset its branch', async () => {
  commitFile('two');
  const visit = (): void => {
    inWorktree('checkout', '-q', '--detach', record.base);
    inWorktree('checkout', '-q', 'polecat/nux');
  };
  visit();
  inWorktree('commit', '-q', '--amend', '-m', 'again');
  visit();
  inWorktree('reset', '-q', '--hard', 'HEAD~1');
  expect(await left()).toEqual({ is: 'work', branch: 'polecat/nux', commit });
});

// Rules: R-5.
test.each([
  ['pushed there by itself', () => inWorktree('push', '-q', 'origin', 'HEAD:main'), true],
  [
    'merged by another',
    () => {
      const clone = join(it.root, 'clone');
      inWorktree('push', '-q', 'origin', 'HEAD');
      it.git('clone', '-q', it.origin, clone);
      it.gitIn(clone, 'merge', '-q', '--no-ff', 'origin/polecat/nux');
      it.gitIn(clone, 'push', '-q', 'origin', 'main');
    },
    false,
  ],
])('what main has, %s', async (_, merge, isOwnPush) => {
  commitFile('work');
  merge();
  const tip = inWorktree('rev-parse', 'HEAD');
  expect(await left()).toEqual({ is: 'merged', branch: 'polecat/nux', commit: tip, isOwnPush });
});
