import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { barriersOf, mayOf, statesOf } from '../../../machines/rigs/worktree.ts';
import { Linked } from '../linked.ts';

let it: Linked;
beforeEach(() => (it = new Linked()));

/** Both sides changed the same line. */
function conflict(): void {
  it.work('file', 'mine\n');
  it.push();
  it.in('switch', '-q', '-c', 'side', 'main');
  it.work('file', 'theirs\n');
  it.in('push', '-q', 'origin', 'side');
  it.in('switch', '-q', 'polecat/nux');
}

/** A submodule that is checked out, on record and pushed. */
function submodule(): string {
  const lib = join(it.root, 'lib.git');
  it.git('init', '-q', '--bare', '-b', 'main', lib);
  const seed = join(it.root, 'seed');
  it.git('clone', '-q', it.origin, seed);
  it.gitIn(seed, 'push', '-q', lib, 'main');
  it.in('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lib, 'lib');
  it.in('commit', '-q', '-m', 'takes lib in');
  it.push();
  return join(it.dir, 'lib');
}

const CASES: readonly (readonly [is: string, make: () => unknown, states: readonly string[], may: string])[] = [
  ['new', () => undefined, ['clean'], 'remove'],
  ['changed', () => it.put('file', 'second\n'), ['dirty'], 'keep'],
  [
    'changed and put back in the worktree alone',
    () => (it.put('file', '2'), it.in('add', 'file'), it.put('file', 'first\n')),
    ['dirty'],
    'keep',
  ],
  ['deleted', () => rmSync(join(it.dir, 'file')), ['dirty'], 'keep'],
  ['untracked', () => it.put('a "b"\nc é', 'new'), ['dirty'], 'keep'],
  ['ignored only', () => it.put('built/out.o', 'x'), ['clean'], 'remove'],
  ['ignored, but a repository', () => it.git('init', '-q', join(it.dir, 'built')), ['nested'], 'keep'],
  [
    'ignored, but a repository deep in it',
    () => {
      it.put('built/deep/er/out.o', 'x');
      it.git('init', '-q', join(it.dir, 'built/deep/er'));
    },
    ['nested'],
    'keep',
  ],
  [
    'ignored, but a bare repository in it',
    () => it.git('init', '-q', '--bare', join(it.dir, 'built/deep/er.git')),
    ['nested'],
    'keep',
  ],
  [
    'with a worktree inside',
    () => it.git('worktree', 'add', '-q', '--detach', join(it.dir, 'built/other')),
    ['nested'],
    'keep',
  ],
  [
    'hidden by assume-unchanged',
    () => (it.in('update-index', '--assume-unchanged', 'file'), it.put('file', 'hidden\n')),
    ['dirty'],
    'keep',
  ],
  [
    'flagged assume-unchanged, unchanged',
    () => it.in('update-index', '--assume-unchanged', 'file'),
    ['clean'],
    'remove',
  ],
  [
    'hidden by skip-worktree',
    () => (it.in('update-index', '--skip-worktree', 'file'), it.put('file', 'hidden\n')),
    ['dirty'],
    'keep',
  ],
  ['stashed', () => (it.put('file', '2'), it.in('stash', '-q')), ['stashed'], 'keep'],
  ['stashed under another branch', () => (it.write('file', '2'), it.git('stash', '-q')), ['clean'], 'remove'],
  ['committed', () => it.work('file', '2'), ['unpushed'], 'push'],
  ['committed and pushed', () => (it.work('file', '2'), it.push()), ['clean'], 'remove'],
  [
    'pushed, then on another branch with a commit',
    () => (it.in('switch', '-qc', 'more'), it.work('a', '1')),
    ['unpushed'],
    'push',
  ],
  [
    'on another branch, its own unpushed',
    () => (it.work('a', '1'), it.in('switch', '-q', '-c', 'other', 'main')),
    ['unpushed'],
    'push',
  ],
  ['detached at what is pushed', () => it.in('switch', '-q', '--detach'), ['clean', 'detached'], 'remove'],
  [
    'detached with a commit',
    () => (it.in('switch', '-q', '--detach'), it.work('a', '1')),
    ['unpushed', 'detached'],
    'push',
  ],
  ['in a rebase', () => (conflict(), it.tryIn('rebase', 'side')), ['mid-rebase', 'dirty', 'detached'], 'keep'],
  [
    'in a rebase by hand',
    () => (it.work('a', '1'), it.work('b', '1'), it.push(), it.tryIn('rebase', '-q', '-x', 'false', 'HEAD~1')),
    ['mid-rebase', 'detached'],
    'keep',
  ],
  ['in a merge', () => (conflict(), it.tryIn('merge', 'side')), ['mid-merge', 'dirty'], 'keep'],
  [
    'in a merge of nothing new',
    () => (
      it.in('merge', '-q', '--no-ff', '--no-commit', 'main'),
      it.work('a', '1'),
      it.push(),
      it.in('merge', '-q', '-s', 'ours', '--no-commit', 'main')
    ),
    ['clean'],
    'remove',
  ],
  ['in a cherry-pick', () => (conflict(), it.tryIn('cherry-pick', 'side')), ['mid-cherry-pick', 'dirty'], 'keep'],
  [
    'in a revert',
    () => (conflict(), it.work('file', '3'), it.push(), it.tryIn('revert', 'HEAD~1')),
    ['mid-revert', 'dirty'],
    'keep',
  ],
  ['in a bisect', () => (conflict(), it.in('bisect', 'start')), ['mid-bisect'], 'keep'],
  [
    'in an am',
    () => (
      conflict(),
      writeFileSync(join(it.root, 'p'), it.in('format-patch', '-1', '--stdout', 'side')),
      it.tryIn('am', join(it.root, 'p'))
    ),
    ['mid-am'],
    'keep',
  ],
  ['a submodule that is pushed', () => submodule(), ['clean'], 'remove'],
  ['a submodule with a change', () => writeFileSync(join(submodule(), 'file'), 'x'), ['submodule'], 'keep'],
  ['a submodule with an untracked file', () => writeFileSync(join(submodule(), 'new'), 'x'), ['submodule'], 'keep'],
  [
    'a submodule with a stash',
    () => {
      const lib = submodule();
      writeFileSync(join(lib, 'file'), 'x');
      it.gitIn(lib, 'stash', '-q');
    },
    ['submodule'],
    'keep',
  ],
  [
    'a submodule with a branch of its own',
    () => {
      const lib = submodule();
      it.gitIn(lib, 'commit', '-q', '--allow-empty', '-m', 'x');
      it.gitIn(lib, 'branch', 'kept');
      it.gitIn(lib, 'reset', '-q', '--hard', 'HEAD~1');
    },
    ['submodule'],
    'keep',
  ],
  [
    'a submodule with a commit, taken out again',
    () => {
      const lib = submodule();
      it.gitIn(lib, 'commit', '-q', '--allow-empty', '-m', 'x');
      it.in('submodule', '--quiet', 'deinit', '-f', 'lib');
    },
    ['submodule'],
    'keep',
  ],
  ['sparse', () => it.in('sparse-checkout', 'set', 'nothing'), ['clean', 'sparse'], 'remove'],
  ['locked', () => it.git('worktree', 'lock', '--reason', 'mine', it.dir), ['locked'], 'keep'],
  [
    'its index locked',
    () => writeFileSync(join(it.commonDir, 'worktrees/nux/index.lock'), ''),
    ['index-locked'],
    'keep',
  ],
  ['gone', () => it.remove(), ['missing'], 'remove'],
  ['gone with a commit', () => (it.work('a', '1'), it.remove()), ['missing', 'unpushed'], 'push'],
  ['gone with staged work', () => (it.put('a', '1'), it.in('add', 'a'), it.remove()), ['missing', 'dirty'], 'keep'],
  ['gone and pruned', () => (it.remove(), it.git('worktree', 'prune')), ['missing'], 'remove'],
  [
    'gone and pruned with a commit',
    () => (it.work('a', '1'), it.remove(), it.git('worktree', 'prune')),
    ['missing', 'unpushed'],
    'push',
  ],
  ['a file', () => (it.remove(), it.git('config', '--file', it.dir, 'a.b', 'c')), ['wrong-directory'], 'keep'],
  ['a plain folder', () => rmSync(join(it.dir, '.git')), ['wrong-directory'], 'keep'],
  ['a clone of its own', () => (it.remove(), it.git('clone', '-q', it.origin, it.dir)), ['wrong-directory'], 'keep'],
  [
    'another worktree put in its place',
    () => (
      it.git('worktree', 'add', '-q', '--detach', `${it.dir}2`),
      it.move(it.dir, `${it.dir}3`),
      it.move(`${it.dir}2`, it.dir)
    ),
    ['wrong-directory'],
    'keep',
  ],
  [
    'a copy of another worktree',
    () => (it.git('worktree', 'add', '-q', '--detach', `${it.dir}2`), it.remove(), it.copy(`${it.dir}2`, it.dir)),
    ['wrong-directory'],
    'keep',
  ],
  ['a bare repository', () => (it.remove(), it.git('init', '-q', '--bare', it.dir)), ['bare'], 'keep'],
  [
    'its .git leads nowhere',
    () => writeFileSync(join(it.dir, '.git'), 'gitdir: /nonexistent\n'),
    ['wrong-directory'],
    'keep',
  ],
  [
    'its index is damaged',
    () => writeFileSync(join(it.commonDir, 'worktrees/nux/index'), 'no index'),
    ['unknown'],
    'keep',
  ],
];

// Rules: P-6.
test.each(CASES)('%s', async (_, make, states, may) => {
  make();
  const facts = await it.look();
  expect([statesOf(facts), barriersOf(facts)]).toEqual([states, expect.anything()]);
  expect(mayOf(facts)).toBe(may);
});
