/** Changes that git takes for the same patch, and what else only looks like merged work: a wrong "merged" loses it. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { inMain } from '../../../src/rigs/in-main.ts';
import { mainOf } from '../../../src/rigs/main-branch.ts';
import { servicesWith, type Lines } from '../blocks.ts';
import { RigOn } from '../yard.ts';

let it: RigOn;
beforeEach(() => {
  it = new RigOn();
  git('checkout', '-q', '-b', 'polecat/nux');
  it.commit('new', 'one\n');
  it.commit('new', 'one\ntwo\n');
});

const git = (...words: string[]): string => it.git(...words).trim();
const onMain = (text = 'other'): void => {
  git('checkout', '-q', 'main');
  it.commit(`main-${text}`, text);
};
const publish = (): string => git('push', '-qf', 'origin', 'main');
async function told(base: string | null = null): Promise<unknown> {
  publish();
  const commit = git('rev-parse', 'polecat/nux');
  return (await inMain(it.rig, await mainOf(it.rig), [{ commit, base }])).get(commit);
}

// Rules: P-2, law 4.
describe('the same line in two like blocks', () => {
  const X = ['    timeout: 30'];
  const Y = ['    retries: 3'];
  const services = (lines: Lines): void => {
    it.commit('services.yml', servicesWith(lines));
  };
  beforeEach(() => {
    git('checkout', '-q', 'main');
    services({});
    publish();
    git('checkout', '-q', '-B', 'polecat/nux', 'main');
  });
  const byRebase = (): void => {
    git('checkout', '-q', '--detach', 'polecat/nux');
    // Else git itself leaves out what it takes for the same, and does not say so.
    git('rebase', '-q', '--reapply-cherry-picks', 'main');
    git('checkout', '-q', '-B', 'main');
  };

  test('is two changes: main has one of them', async () => {
    services({ b: X });
    onMain();
    services({ a: X });
    expect(await told()).toBe('no');
    onMain('later');
    expect(await told()).toBe('no');
    git('cherry-pick', 'polecat/nux');
    services({ a: X, b: X, c: X });
    expect(await told()).toBe('yes');
  });

  test('is two changes of one work: main has one of them, once or twice', async () => {
    services({ a: X });
    services({ a: X, b: X });
    onMain();
    git('cherry-pick', 'polecat/nux~1');
    expect(await told()).toBe('no');
    git('revert', '--no-edit', 'HEAD');
    git('cherry-pick', 'polecat/nux~1');
    expect(await told()).toBe('no');
    git('cherry-pick', 'polecat/nux');
    expect(await told()).toBe('yes');
  });

  test('is two changes also where several commits became one', async () => {
    services({ b: X });
    services({ b: [...X, ...Y] });
    onMain();
    services({ a: [...X, ...Y] });
    expect(await told()).toBe('no');
    services({ a: [...X, ...Y], b: [...X, ...Y] });
    expect(await told()).toBe('yes');
  });

  test.each([
    ['a squash', () => git('merge', '-q', '--squash', 'polecat/nux') && git('commit', '-qm', 'squashed')],
    ['a rebase', byRebase],
    ['cherry-picks', () => git('cherry-pick', 'main..polecat/nux')],
  ])('is found again in its place after %s, though lines came above and changed later', async (_, merge) => {
    services({ b: X });
    services({ b: X, c: X });
    onMain();
    services({ a: X });
    merge();
    expect(await told()).toBe('yes');
    services({ a: Y, b: Y, c: Y });
    expect(await told()).toBe('yes');
  });

  test('is not there after a forced push that kept only the like one', async () => {
    services({ b: X });
    onMain();
    services({ a: X });
    git('cherry-pick', 'polecat/nux');
    expect(await told()).toBe('yes');
    git('reset', '-q', '--hard', 'HEAD~1');
    expect(await told()).toBe('no');
  });
});

test('what was added, reverted and added again is not in main by its first commits', async () => {
  git('revert', '--no-edit', 'HEAD');
  it.commit('text', 'text\n');
  git('cherry-pick', 'HEAD~2');
  onMain();
  git('cherry-pick', 'main..polecat/nux~1');
  expect(await told()).toBe('no');
  git('cherry-pick', 'polecat/nux');
  expect(await told()).toBe('yes');
});

test('what a merge of main adapted is not in main by the commits alone', async () => {
  onMain('api');
  git('checkout', '-q', 'polecat/nux');
  git('merge', '-q', '--no-commit', 'main');
  it.commit('new', 'adapted\n');
  git('checkout', '-q', 'main');
  git('cherry-pick', '--no-merges', 'main..polecat/nux');
  expect(await told()).toBe('no');
  git('merge', '-q', '--squash', '-X', 'theirs', 'polecat/nux');
  git('commit', '-qm', 'squashed');
  expect(await told()).toBe('yes');
});

test('a work that began where it ends is not in main by an empty commit there', async () => {
  onMain();
  git('commit', '-q', '--allow-empty', '-m', 'again');
  expect(await told(git('rev-parse', 'polecat/nux'))).toBe('no');
});

test('bytes that are no text, and modes, are compared too', async () => {
  const bytes = (n: number): string => `a\0${'b'.repeat(n)}`;
  it.commit('bytes', bytes(1));
  chmodSync(join(it.top, 'new'), 0o755);
  git('commit', '-qam', 'mode');
  onMain();
  git('cherry-pick', 'main..polecat/nux~2');
  it.commit('bytes', bytes(2));
  expect(await told()).toBe('no');
  git('rm', '-q', 'bytes');
  git('commit', '-qm', 'away');
  git('cherry-pick', 'polecat/nux~1', 'polecat/nux');
  git('rm', '-q', 'bytes');
  git('commit', '-qm', 'away again');
  expect(await told()).toBe('yes');
});
