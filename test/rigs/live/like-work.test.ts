/** Changes that git takes for the same patch, and what else only looks like merged work: a wrong "merged" loses it. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { servicesWith, type Lines } from '../blocks.ts';
import { MainRig } from '../main-rig.ts';

let it: MainRig;
beforeEach(() => {
  it = new MainRig();
  it.git('checkout', '-q', '-b', 'polecat/nux');
  it.commit('new', 'one\n');
  it.commit('new', 'one\ntwo\n');
});

// Rules: P-2, law 4.
describe('the same line in two like blocks', () => {
  const X = ['    timeout: 30'];
  const Y = ['    retries: 3'];
  const services = (lines: Lines): void => {
    it.commit('services.yml', servicesWith(lines));
  };
  beforeEach(() => {
    it.git('checkout', '-q', 'main');
    services({});
    it.publish();
    it.git('checkout', '-q', '-B', 'polecat/nux', 'main');
  });
  const byRebase = (): void => {
    it.git('checkout', '-q', '--detach', 'polecat/nux');
    // Else git itself leaves out what it takes for the same, and does not say so.
    it.git('rebase', '-q', '--reapply-cherry-picks', 'main');
    it.git('checkout', '-q', '-B', 'main');
  };

  test('is two changes: main has one of them', async () => {
    services({ b: X });
    it.onMain();
    services({ a: X });
    expect(await it.told()).toBe('no');
    it.onMain('later');
    expect(await it.told()).toBe('no');
    it.git('cherry-pick', 'polecat/nux');
    services({ a: X, b: X, c: X });
    expect(await it.told()).toBe('yes');
  });

  test('is two changes of one work: main has one of them, once or twice', async () => {
    services({ a: X });
    services({ a: X, b: X });
    it.onMain();
    it.git('cherry-pick', 'polecat/nux~1');
    expect(await it.told()).toBe('no');
    it.git('revert', '--no-edit', 'HEAD');
    it.git('cherry-pick', 'polecat/nux~1');
    expect(await it.told()).toBe('no');
    it.git('cherry-pick', 'polecat/nux');
    expect(await it.told()).toBe('yes');
  });

  test('is two changes also where several commits became one', async () => {
    services({ b: X });
    services({ b: [...X, ...Y] });
    it.onMain();
    services({ a: [...X, ...Y] });
    expect(await it.told()).toBe('no');
    services({ a: [...X, ...Y], b: [...X, ...Y] });
    expect(await it.told()).toBe('yes');
  });

  test.each([
    ['a squash', () => it.git('merge', '-q', '--squash', 'polecat/nux') && it.git('commit', '-qm', 'squashed')],
    ['a rebase', byRebase],
    ['cherry-picks', () => it.git('cherry-pick', 'main..polecat/nux')],
  ])('is found again in its place after %s, though lines came above and changed later', async (_, merge) => {
    services({ b: X });
    services({ b: X, c: X });
    it.onMain();
    services({ a: X });
    merge();
    expect(await it.told()).toBe('yes');
    services({ a: Y, b: Y, c: Y });
    expect(await it.told()).toBe('yes');
  });

  test('is not there after a forced push that kept only the like one', async () => {
    services({ b: X });
    it.onMain();
    services({ a: X });
    it.git('cherry-pick', 'polecat/nux');
    expect(await it.told()).toBe('yes');
    it.git('reset', '-q', '--hard', 'HEAD~1');
    expect(await it.told()).toBe('no');
  });
});

test('what was added, reverted and added again is not in main by its first commits', async () => {
  it.git('revert', '--no-edit', 'HEAD');
  it.commit('text', 'text\n');
  it.git('cherry-pick', 'HEAD~2');
  it.onMain();
  it.git('cherry-pick', 'main..polecat/nux~1');
  expect(await it.told()).toBe('no');
  it.git('cherry-pick', 'polecat/nux');
  expect(await it.told()).toBe('yes');
});

test('what a merge of main adapted is not in main by the commits alone', async () => {
  it.onMain('api');
  it.git('checkout', '-q', 'polecat/nux');
  it.git('merge', '-q', '--no-commit', 'main');
  it.commit('new', 'adapted\n');
  it.git('checkout', '-q', 'main');
  it.git('cherry-pick', '--no-merges', 'main..polecat/nux');
  expect(await it.told()).toBe('no');
  it.git('merge', '-q', '--squash', '-X', 'theirs', 'polecat/nux');
  it.git('commit', '-qm', 'squashed');
  expect(await it.told()).toBe('yes');
});

test('a work that began where it ends is not in main by an empty commit there', async () => {
  it.onMain();
  it.git('commit', '-q', '--allow-empty', '-m', 'again');
  expect(await it.told(undefined, it.git('rev-parse', 'polecat/nux'))).toBe('no');
});

test('bytes that are no text, and modes, are compared too', async () => {
  const bytes = (n: number): string => `a\0${'b'.repeat(n)}`;
  it.commit('bytes', bytes(1));
  chmodSync(join(it.top, 'new'), 0o755);
  it.git('commit', '-qam', 'mode');
  it.onMain();
  it.git('cherry-pick', 'main..polecat/nux~2');
  it.commit('bytes', bytes(2));
  expect(await it.told()).toBe('no');
  it.git('rm', '-q', 'bytes');
  it.git('commit', '-qm', 'away');
  it.git('cherry-pick', 'polecat/nux~1', 'polecat/nux');
  it.git('rm', '-q', 'bytes');
  it.git('commit', '-qm', 'away again');
  expect(await it.told()).toBe('yes');
});
