/** What is read off an index, beside what git itself says of it: every version, every flag, real indexes. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { flagIn, hasHiddenFlag } from '../../../src/git/index-flags.ts';
import { GIT } from '../../../src/git/policy.ts';
import { tempFolder } from '../../world/over.ts';
import { Linked } from '../linked.ts';

let it: Linked;
let index: string;
beforeEach(() => {
  it = new Linked();
  index = it.in('rev-parse', '--path-format=absolute', '--git-path', 'index').trim();
  for (let nth = 0; nth < 40; nth += 1) it.put(`${'a/long/folder/'.repeat(nth % 5)}${'n'.repeat(nth + 1)} ${nth}`, 'x');
  it.put('n'.repeat(250), 'x');
  it.in('add', '-A');
});

/** As git itself sees it. */
const hides = (): boolean => /^[a-zS]/m.test(it.in('ls-files', '-v'));
const seen = () => hasHiddenFlag(index, 20);

const VERSIONS = [2, 3, 4];
const FLAGS: Readonly<Record<string, () => unknown>> = {
  none: () => undefined,
  'to be added': () => (it.put('later', 'x'), it.in('add', '--intent-to-add', 'later')),
  'assumed unchanged': () => it.in('update-index', '--assume-unchanged', 'file'),
  'skipped in the worktree': () => it.in('update-index', '--skip-worktree', 'file'),
  'skipped, in the last one': () =>
    it.in('update-index', '--skip-worktree', it.in('ls-files').trim().split('\n').at(-1) ?? ''),
  'from a conflict': () => {
    it.in('commit', '-q', '-m', 'all');
    it.in('switch', '-q', '-c', 'side', 'HEAD~1');
    it.work('file', 'theirs\n');
    it.in('switch', '-q', 'polecat/nux');
    it.work('file', 'mine\n');
    it.tryIn('merge', 'side');
  },
};

// Rules: R-1.
describe.each(VERSIONS)('an index of version %i', (version) => {
  test.each(Object.entries(FLAGS))('with a file %s', async (_, make) => {
    make();
    it.in('update-index', '--index-version', String(version));
    expect(await seen()).toBe(hides());
  });

  test('that was torn anywhere is not known', () => {
    it.in('update-index', '--index-version', String(version));
    const whole = readFileSync(index);
    expect(flagIn(whole, 20)).toBe(false);
    for (let length = 12; length < whole.length; length += 7) {
      const torn = (): unknown => flagIn(whole.subarray(0, length), 20);
      try {
        expect(torn()).toBeNull();
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }
  });
});

test('an index that was never written hides nothing', async () => {
  rmSync(index);
  expect(await seen()).toBe(false);
});

test('an index whose entries stand elsewhere, or that is none, is not known', async () => {
  it.in('update-index', '--split-index');
  expect(await seen()).toBeNull();
  it.in('update-index', '--no-split-index');
  it.in('sparse-checkout', 'set', '--cone', '--sparse-index', 'built');
  expect(await seen()).not.toBe(false);
  writeFileSync(index, Buffer.alloc(GIT.maxIndexBytes + 1));
  expect(await seen()).toBeNull();
  writeFileSync(index, 'no index');
  expect(await seen()).toBeNull();
});

test('an index of SHA-256', async () => {
  const top = tempFolder('sha256');
  it.git('init', '-q', '--object-format=sha256', top);
  writeFileSync(join(top, 'file'), 'x');
  it.gitIn(top, 'add', 'file');
  expect(await hasHiddenFlag(join(top, '.git/index'), 32)).toBe(false);
  it.gitIn(top, 'update-index', '--skip-worktree', 'file');
  expect(await hasHiddenFlag(join(top, '.git/index'), 32)).toBe(true);
});
