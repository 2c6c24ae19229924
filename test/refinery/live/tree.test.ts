/** The folder in which the refinery tests: it makes one anew only where no work of a person is lost with what stands there. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Request } from '../../../src/patrols/witness/refinery-work.ts';
import { removeTree } from '../../../src/refinery/tree.ts';
import { MergeRig, sh } from '../merge-rig.ts';

let it: MergeRig;
let request: Request;
beforeEach(() => {
  it = new MergeRig();
  request = it.branch('one');
  mkdirSync(dirname(it.tree), { recursive: true });
});
const merge = () => it.refine(request, { test: sh('test -e new') });

function clone(): void {
  it.git('clone', '-q', it.origin, it.tree);
  writeFileSync(join(it.tree, 'mine'), 'mine\n');
  it.gitIn(it.tree, 'add', 'mine');
  it.gitIn(it.tree, 'commit', '-qm', 'mine');
}

// Rules: R-2.
test.each<[string, () => void]>([
  ['a clone with a commit that is nowhere else', clone],
  [
    'a clone in the place of the worktree that stood there',
    () => {
      it.git('worktree', 'add', '-q', '--detach', it.tree);
      rmSync(it.tree, { recursive: true });
      clone();
    },
  ],
  [
    'a worktree of another repository',
    () => {
      const other = join(it.root, 'other');
      it.git('clone', '-q', it.origin, other);
      it.gitIn(other, 'worktree', 'add', '-q', '-b', 'fix', it.tree);
    },
  ],
  [
    'a worktree whose repository is away',
    () => {
      const other = join(it.root, 'other');
      it.git('clone', '-q', it.origin, other);
      it.gitIn(other, 'worktree', 'add', '-q', '-b', 'fix', it.tree);
      renameSync(other, join(it.root, 'unplugged'));
    },
  ],
  ['a folder of files', () => mkdirSync(it.tree)],
])('%s stays as it is, and a person is asked to move it away', async (_, prepare) => {
  prepare();
  writeFileSync(join(it.tree, 'draft'), 'uncommitted\n');
  const before = existsSync(join(it.tree, '.git', 'HEAD')) ? it.gitIn(it.tree, 'rev-parse', 'HEAD') : null;
  expect(await merge()).toMatchObject({
    is: 'waits',
    kind: 'place',
    why: expect.stringContaining('move it away') as string,
  });
  await removeTree(it.rig, it.tree);
  expect(readFileSync(join(it.tree, 'draft'), 'utf8')).toBe('uncommitted\n');
  if (before !== null) expect(it.gitIn(it.tree, 'rev-parse', 'HEAD')).toBe(before);
  // Moved away, it is in the way of nothing.
  renameSync(it.tree, join(it.root, 'moved'));
  expect(await merge()).toMatchObject({ is: 'merged' });
});

// Rules: R-2.
test('a clone without any file checked out keeps its commits', async () => {
  it.git('clone', '-q', '--no-checkout', it.origin, it.tree);
  it.gitIn(it.tree, 'commit', '-q', '--allow-empty', '-m', 'mine');
  expect(await merge()).toMatchObject({ is: 'waits', kind: 'place' });
  expect(it.gitIn(it.tree, 'log', '-1', '--format=%s')).toBe('mine\n');
});

// Rules: R-2.
test.each<[string, () => void]>([
  ['an empty folder', () => mkdirSync(it.tree)],
  [
    'the link that a killed `git worktree add` wrote',
    () => {
      mkdirSync(it.tree);
      writeFileSync(join(it.tree, '.git'), 'gitdir: /tmp/town-git-1-gone/worktrees/refinery\n');
    },
  ],
  [
    'a worktree that git has forgotten',
    () => {
      it.git('worktree', 'add', '-q', '--detach', it.tree);
      rmSync(join(it.top, '.git/worktrees/refinery'), { recursive: true });
    },
  ],
  [
    'a worktree whose folder has gone',
    () => {
      it.git('worktree', 'add', '-q', '--detach', it.tree);
      rmSync(it.tree, { recursive: true });
    },
  ],
  [
    'a worktree that came with its root from another place',
    () => {
      const old = join(it.root, 'old');
      it.git('worktree', 'add', '-q', '--detach', old);
      renameSync(old, it.tree);
    },
  ],
])('%s is in the way of nothing', async (_, prepare) => {
  prepare();
  expect(await merge()).toMatchObject({ is: 'merged' });
  expect(it.onMain('new')).toBe('one\n');
  await removeTree(it.rig, it.tree);
  expect(existsSync(it.tree)).toBe(false);
});
