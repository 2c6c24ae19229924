/** Whether a worktree changed, as git and the file system tell it (M-12): real git. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Incarnation } from '../../../machines/protocol.ts';
import { COSTS } from '../../../src/costs/policy.ts';
import { Trees, treeSign } from '../../../src/costs/trees.ts';
import { freshFolder } from '../../world/over.ts';

function repository() {
  const dir = freshFolder();
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=dev', '-c', 'user.email=dev@example.org', '-c', 'commit.gpgsign=false', ...args],
      {
        cwd: dir,
        stdio: 'ignore',
      },
    );
  git('init', '-q', '-b', 'main');
  writeFileSync(join(dir, 'a.txt'), 'one\n');
  writeFileSync(join(dir, '.gitignore'), '*.log\n');
  git('add', '-A');
  git('commit', '-qm', 'first');
  return { dir, git };
}

// Rules: M-12.
test.each<[what: string, act: (of: ReturnType<typeof repository>) => void]>([
  ['a commit', ({ git }) => git('commit', '--allow-empty', '-qm', 'second')],
  ['a changed file', ({ dir }) => appendFileSync(join(dir, 'a.txt'), 'two\n')],
  ['a new file', ({ dir }) => writeFileSync(join(dir, 'new.txt'), 'x')],
  [
    'a file in a new folder',
    ({ dir }) => {
      mkdirSync(join(dir, 'new'));
      writeFileSync(join(dir, 'new', 'new.txt'), 'x');
    },
  ],
  ['another branch', ({ git }) => git('checkout', '-qb', 'other')],
  ['a file that is staged', ({ dir, git }) => (writeFileSync(join(dir, 'a.txt'), 'two\n'), git('add', '-A'))],
])('%s changes the sign', async (_, act) => {
  const of = repository();
  const before = await treeSign(of.dir);
  expect(await treeSign(of.dir)).toBe(before);
  act(of);
  expect(await treeSign(of.dir)).not.toBe(before);
});

test('a second change of a file that differs already changes it too', async () => {
  const { dir } = repository();
  appendFileSync(join(dir, 'a.txt'), 'two\n');
  const before = await treeSign(dir);
  writeFileSync(join(dir, 'a.txt'), 'one\nTWO\n');
  utimesSync(join(dir, 'a.txt'), 1, 1);
  expect(await treeSign(dir)).not.toBe(before);
});

test('what git ignores does not', async () => {
  const { dir } = repository();
  const before = await treeSign(dir);
  writeFileSync(join(dir, 'test.log'), 'red');
  expect(await treeSign(dir)).toBe(before);
});

test('it is found from a folder within, and outside of a worktree it is unknown', async () => {
  const { dir } = repository();
  mkdirSync(join(dir, 'src'));
  expect(await treeSign(join(dir, 'src'))).toBe(await treeSign(dir));
  expect(await treeSign(freshFolder())).toBeNull();
});

test('git is asked no more often than it has to be; a folder that cannot be told is unknown', async () => {
  const { dir } = repository();
  let now = 0;
  let asked = 0;
  const cwdOf = (): string | null => ((asked += 1) > 2 ? null : dir);
  const trees = new Trees({ clock: { now: () => now }, processes: { cwdOf } });
  const life = { uuid: 'u1' } as Incarnation;
  await trees.look([life]);
  const sign = trees.of('u1');
  expect(sign).not.toBeNull();
  appendFileSync(join(dir, 'a.txt'), 'two\n');
  now = COSTS.gitEveryMs - 1;
  await trees.look([life]);
  expect(trees.of('u1')).toBe(sign);
  now = COSTS.gitEveryMs;
  await trees.look([life]);
  expect(trees.of('u1')).not.toBe(sign);
  now = 2 * COSTS.gitEveryMs;
  await trees.look([life]);
  expect(trees.of('u1')).toBeNull();
});
