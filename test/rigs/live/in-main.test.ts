/** Whether work is in main, by each way in which people merge, and by those that only look like one. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { inMain } from '../../../src/rigs/in-main.ts';
import { mainOf, type Main } from '../../../src/rigs/main-branch.ts';
import { MainRig } from '../main-rig.ts';

const LINES = Array.from({ length: 40 }, (_, n) => `line ${String(n)}\n`);
const withLine = (n: number, text: string, lines = LINES): string[] => lines.with(n, `${text}\n`);

let it: MainRig;
beforeEach(() => {
  it = new MainRig();
  it.commit('text', LINES.join(''));
  it.git('push', '-q', 'origin', 'main');
  it.git('checkout', '-q', '-b', 'polecat/nux');
  it.commit('text', withLine(5, 'five').join(''));
  it.commit('new', 'one\n');
  it.commit('new', 'one\ntwo\n');
});

describe('merged', () => {
  test.each([
    ['a merge commit', () => it.git('merge', '-q', '--no-ff', 'polecat/nux')],
    ['a squash', () => it.git('merge', '-q', '--squash', 'polecat/nux') && it.git('commit', '-qm', 'squashed')],
    ['cherry-picks', () => it.git('cherry-pick', 'main..polecat/nux')],
    [
      'a rebase',
      () => {
        it.git('checkout', '-q', '--detach', 'polecat/nux');
        it.git('rebase', '-q', 'main');
        it.git('checkout', '-q', '-B', 'main');
      },
    ],
  ])('by %s', async (_, merge) => {
    it.onMain();
    expect(await it.told()).toBe('no');
    merge();
    expect(await it.told()).toBe('yes');
    it.onMain('later');
    expect(await it.told()).toBe('yes');
  });

  test('by a fast-forward', async () => {
    it.git('checkout', '-q', 'main');
    it.git('merge', '-q', '--ff-only', 'polecat/nux');
    expect(await it.told()).toBe('yes');
  });

  test('by a squash of lines whose neighbours had changed, and changed again later', async () => {
    it.onMain();
    it.commit('text', withLine(8, 'eight').join(''));
    it.git('merge', '-q', '--squash', 'polecat/nux');
    it.git('commit', '-qm', 'squashed');
    expect(await it.told()).toBe('yes');
    it.commit('text', withLine(5, 'five, again', withLine(8, 'eight')).join(''));
    expect(await it.told()).toBe('yes');
  });

  test('by a squash that was reverted later: it was merged, and is out again', async () => {
    it.onMain();
    it.git('merge', '-q', '--squash', 'polecat/nux');
    it.git('commit', '-qm', 'squashed');
    it.git('revert', '--no-edit', 'HEAD');
    expect(await it.told()).toBe('out');
    it.onMain('later');
    expect(await it.told()).toBe('out');
    it.git('revert', '--no-edit', 'HEAD~1');
    expect(await it.told()).toBe('yes');
  });

  // Rules: P-2, R-1.
  test('by another who did the same, and reverted it: it is out', async () => {
    const [before, after] = [LINES.join(''), LINES.toSpliced(5, 1).join('')];
    it.git('checkout', '-q', '-B', 'polecat/nux', 'main');
    it.commit('text', after);
    it.onMain();
    it.commit('text', after);
    expect(await it.told()).toBe('yes');
    it.commit('text', before);
    expect(await it.told()).toBe('out');
  });

  test('although the branch had main merged into it', async () => {
    it.onMain();
    it.git('checkout', '-q', 'polecat/nux');
    it.git('merge', '-q', 'main');
    it.commit('new', 'one\ntwo\nthree\n');
    it.git('checkout', '-q', 'main');
    it.git('merge', '-q', '--squash', 'polecat/nux');
    it.git('commit', '-qm', 'squashed');
    it.onMain('later');
    expect(await it.told()).toBe('yes');
  });

  test('and its branch gone from the remote', async () => {
    it.git('push', '-q', 'origin', 'polecat/nux');
    it.onMain();
    it.git('merge', '-q', '--squash', 'polecat/nux');
    it.git('commit', '-qm', 'squashed');
    it.git('push', '-q', 'origin', ':polecat/nux');
    expect(await it.told()).toBe('yes');
  });

  test.each([
    ['cherry-picks', (base: string) => it.git('cherry-pick', `${base}..polecat/nux`)],
    [
      'a squash',
      (base: string) => {
        it.git('cherry-pick', `${base}..polecat/nux`);
        it.git('reset', '-q', '--soft', 'HEAD~3');
        it.git('commit', '-qm', 'squashed');
      },
    ],
  ])('by %s of its own commits, after main was pushed by force without what it began with', async (_, merge) => {
    it.onMain('dropped');
    const base = it.git('rev-parse', 'main');
    it.git('checkout', '-q', 'polecat/nux');
    it.git('rebase', '-q', 'main');
    it.publish();
    it.git('branch', '-f', 'main', 'main~1');
    it.git('checkout', '-q', 'main');
    expect(await it.told(undefined, base)).toBe('no');
    merge(base);
    expect(await it.told(undefined, base)).toBe('yes');
    // Main does not have the rest of the branch.
    expect(await it.told()).toBe('no');
  });
});

describe('not merged', () => {
  test.each([
    ['all but its last commit', () => it.git('cherry-pick', 'main..polecat/nux~1')],
    ['one of its commits', () => it.git('cherry-pick', 'polecat/nux~2')],
    ['another work on the same lines', () => it.commit('text', withLine(5, 'fünf').join(''))],
    [
      'the same but for blanks',
      () => {
        it.commit('text', withLine(5, '  five').join(''));
        it.commit('new', 'one\n  two\n');
      },
    ],
    ['a merge that kept nothing of it', () => it.git('merge', '-q', '-s', 'ours', 'polecat/nux~1')],
  ])('by %s', async (_, merge) => {
    it.onMain();
    merge();
    expect(await it.told()).toBe('no');
  });

  test('by a squash of what it was before it went on', async () => {
    it.onMain();
    it.git('merge', '-q', '--squash', 'polecat/nux');
    it.git('commit', '-qm', 'squashed');
    it.git('checkout', '-q', 'polecat/nux');
    it.commit('newer', 'more\n');
    expect(await it.told()).toBe('no');
  });

  test('work that changes nothing, unless main has its commit', async () => {
    it.git('checkout', '-q', '-B', 'polecat/nux', 'main');
    it.git('commit', '-q', '--allow-empty', '-m', 'done');
    it.onMain();
    expect(await it.told()).toBe('no');
    it.git('merge', '-q', '--no-ff', 'polecat/nux');
    expect(await it.told()).toBe('yes');
  });

  test('only at home: what a person has not pushed is not in main', async () => {
    it.git('checkout', '-q', 'main');
    it.git('merge', '-q', '--no-ff', 'polecat/nux');
    const commit = it.git('rev-parse', 'polecat/nux');
    expect((await inMain(it.rig, await mainOf(it.rig), [{ commit, base: null }])).get(commit)).toBe('no');
  });

  test('a merge driver of the repository says nothing, and does not run', async () => {
    it.git('config', 'merge.ours.driver', `touch ${join(it.root, 'ran')}`);
    writeFileSync(join(it.top, '.git/info/attributes'), '* merge=ours\n');
    it.onMain();
    it.commit('text', withLine(5, 'fünf').join(''));
    expect(await it.told()).toBe('no');
    expect(it.git('ls-files', '--others')).toBe('');
    expect(() => it.gitIn(it.root, 'hash-object', 'ran')).toThrow();
  });

  test('nor is history forged by a graft', async () => {
    it.onMain();
    writeFileSync(
      join(it.top, '.git/info/grafts'),
      `${it.git('rev-parse', 'main')} ${it.git('rev-parse', 'polecat/nux')}\n`,
    );
    it.publish();
    expect(await it.told()).toBe('no');
  });
});

describe('unknown', () => {
  test.each([
    ['a remote that does not answer', () => it.git('remote', 'set-url', 'origin', join(it.root, 'away')), undefined],
    ['a commit that is not here', () => '', '1234567890123456789012345678901234567890'],
    ['no name of a commit', () => '', 'abcdef1'],
  ])('%s', async (_, happen, named) => {
    it.publish();
    await mainOf(it.rig);
    happen();
    const commit = named ?? it.git('rev-parse', 'main');
    expect((await inMain(it.rig, await mainOf(it.rig), [{ commit, base: null }])).get(commit)).toBe('unknown');
  });
});

test('many at once are told each by itself', async () => {
  it.onMain();
  it.git('merge', '-q', '--squash', 'polecat/nux');
  it.git('commit', '-qm', 'squashed');
  it.publish();
  const commits = ['main', 'main~1', 'polecat/nux', 'polecat/nux~2'].map((name) => it.git('rev-parse', name));
  it.git('checkout', '-q', '-b', 'polecat/other', 'main~2');
  it.commit('other', 'other\n');
  commits.push(it.git('rev-parse', 'HEAD'), '1234567');
  const main: Main = await mainOf(it.rig);
  const found = await inMain(
    it.rig,
    main,
    commits.map((commit) => ({ commit, base: null })),
  );
  expect(commits.map((commit) => found.get(commit))).toEqual(['yes', 'yes', 'yes', 'yes', 'no', 'unknown']);
  // Asked again, without a look.
  expect(
    await inMain(
      { commonDir: it.rig.commonDir, repo: it.rig.repo },
      main,
      commits.slice(0, 5).map((commit) => ({ commit, base: null })),
    ),
  ).toEqual(new Map([...found].slice(0, 5)));
});
