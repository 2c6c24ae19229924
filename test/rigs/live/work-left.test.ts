/** On which branch a polecat left its work: the remote itself says what it has, not a worktree's refs. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
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
  expect(await left()).toEqual({ is: 'nothing' });
});

// Rules: P-2.
test('one that the remote has under another name is found there, without a tracking ref and below later commits', async () => {
  inWorktree('push', '-q', it.origin, 'HEAD:refs/heads/a-topic');
  expect(await left()).toEqual({ is: 'work', branch: 'a-topic', commit });
  inWorktree('commit', '-q', '--allow-empty', '-m', 'more');
  inWorktree('push', '-q', it.origin, 'HEAD:refs/heads/a-topic');
  inWorktree('reset', '-q', '--hard', commit);
  expect(await left()).toEqual({ is: 'work', branch: 'a-topic', commit });
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
