/** On which branch a polecat left its work: the remote itself says what it has, whatever a worktree's refs say of it. */
import { rmSync } from 'node:fs';
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
