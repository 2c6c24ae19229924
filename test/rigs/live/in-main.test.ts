/** Whether work is in main, by each way in which people merge, and by those that only look like one. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { inMain } from '../../../src/rigs/in-main.ts';
import { mainOf, type Main } from '../../../src/rigs/main-branch.ts';
import { RigOn } from '../yard.ts';

const LINES = Array.from({ length: 40 }, (_, n) => `line ${String(n)}\n`);
const withLine = (n: number, text: string, lines = LINES): string[] => lines.with(n, `${text}\n`);

let it: RigOn;
beforeEach(() => {
  it = new RigOn();
  it.commit('text', LINES.join(''));
  it.git('push', '-q', 'origin', 'main');
  it.git('checkout', '-q', '-b', 'polecat/nux');
  it.commit('text', withLine(5, 'five').join(''));
  it.commit('new', 'one\n');
  it.commit('new', 'one\ntwo\n');
});

const git = (...words: string[]): string => it.git(...words).trim();
const onMain = (text = 'other'): void => {
  git('checkout', '-q', 'main');
  it.commit(`main-${text}`, text);
};
const publish = (): string => git('push', '-qf', 'origin', 'main');
async function told(commit = git('rev-parse', 'polecat/nux'), base: string | null = null): Promise<unknown> {
  publish();
  return (await inMain(it.rig, await mainOf(it.rig), [{ commit, base }])).get(commit);
}

describe('merged', () => {
  test.each([
    ['a merge commit', () => git('merge', '-q', '--no-ff', 'polecat/nux')],
    ['a squash', () => git('merge', '-q', '--squash', 'polecat/nux') && git('commit', '-qm', 'squashed')],
    ['cherry-picks', () => git('cherry-pick', 'main..polecat/nux')],
    [
      'a rebase',
      () => {
        git('checkout', '-q', '--detach', 'polecat/nux');
        git('rebase', '-q', 'main');
        git('checkout', '-q', '-B', 'main');
      },
    ],
  ])('by %s', async (_, merge) => {
    onMain();
    expect(await told()).toBe('no');
    merge();
    expect(await told()).toBe('yes');
    onMain('later');
    expect(await told()).toBe('yes');
  });

  test('by a fast-forward', async () => {
    git('checkout', '-q', 'main');
    git('merge', '-q', '--ff-only', 'polecat/nux');
    expect(await told()).toBe('yes');
  });

  test('by a squash of lines whose neighbours had changed, and changed again later', async () => {
    onMain();
    it.commit('text', withLine(8, 'eight').join(''));
    git('merge', '-q', '--squash', 'polecat/nux');
    git('commit', '-qm', 'squashed');
    expect(await told()).toBe('yes');
    it.commit('text', withLine(5, 'five, again', withLine(8, 'eight')).join(''));
    expect(await told()).toBe('yes');
  });

  test('by a squash that was reverted later: it was merged', async () => {
    onMain();
    git('merge', '-q', '--squash', 'polecat/nux');
    git('commit', '-qm', 'squashed');
    git('revert', '--no-edit', 'HEAD');
    expect(await told()).toBe('yes');
  });

  test('although the branch had main merged into it', async () => {
    onMain();
    git('checkout', '-q', 'polecat/nux');
    git('merge', '-q', 'main');
    it.commit('new', 'one\ntwo\nthree\n');
    git('checkout', '-q', 'main');
    git('merge', '-q', '--squash', 'polecat/nux');
    git('commit', '-qm', 'squashed');
    onMain('later');
    expect(await told()).toBe('yes');
  });

  test('and its branch gone from the remote', async () => {
    git('push', '-q', 'origin', 'polecat/nux');
    onMain();
    git('merge', '-q', '--squash', 'polecat/nux');
    git('commit', '-qm', 'squashed');
    git('push', '-q', 'origin', ':polecat/nux');
    expect(await told()).toBe('yes');
  });

  test.each([
    ['cherry-picks', (base: string) => git('cherry-pick', `${base}..polecat/nux`)],
    [
      'a squash',
      (base: string) => {
        git('cherry-pick', `${base}..polecat/nux`);
        git('reset', '-q', '--soft', 'HEAD~3');
        git('commit', '-qm', 'squashed');
      },
    ],
  ])('by %s of its own commits, after main was pushed by force without what it began with', async (_, merge) => {
    onMain('dropped');
    const base = git('rev-parse', 'main');
    git('checkout', '-q', 'polecat/nux');
    git('rebase', '-q', 'main');
    publish();
    git('branch', '-f', 'main', 'main~1');
    git('checkout', '-q', 'main');
    expect(await told(undefined, base)).toBe('no');
    merge(base);
    expect(await told(undefined, base)).toBe('yes');
    // Main does not have the rest of the branch.
    expect(await told()).toBe('no');
  });
});

describe('not merged', () => {
  test.each([
    ['all but its last commit', () => git('cherry-pick', 'main..polecat/nux~1')],
    ['one of its commits', () => git('cherry-pick', 'polecat/nux~2')],
    ['another work on the same lines', () => it.commit('text', withLine(5, 'fünf').join(''))],
    [
      'the same but for blanks',
      () => {
        it.commit('text', withLine(5, '  five').join(''));
        it.commit('new', 'one\n  two\n');
      },
    ],
    ['a merge that kept nothing of it', () => git('merge', '-q', '-s', 'ours', 'polecat/nux~1')],
  ])('by %s', async (_, merge) => {
    onMain();
    merge();
    expect(await told()).toBe('no');
  });

  test('by a squash of what it was before it went on', async () => {
    onMain();
    git('merge', '-q', '--squash', 'polecat/nux');
    git('commit', '-qm', 'squashed');
    git('checkout', '-q', 'polecat/nux');
    it.commit('newer', 'more\n');
    expect(await told()).toBe('no');
  });

  test('work that changes nothing, unless main has its commit', async () => {
    git('checkout', '-q', '-B', 'polecat/nux', 'main');
    git('commit', '-q', '--allow-empty', '-m', 'done');
    onMain();
    expect(await told()).toBe('no');
    git('merge', '-q', '--no-ff', 'polecat/nux');
    expect(await told()).toBe('yes');
  });

  test('only at home: what a person has not pushed is not in main', async () => {
    git('checkout', '-q', 'main');
    git('merge', '-q', '--no-ff', 'polecat/nux');
    const commit = git('rev-parse', 'polecat/nux');
    expect((await inMain(it.rig, await mainOf(it.rig), [{ commit, base: null }])).get(commit)).toBe('no');
  });

  test('a merge driver of the repository says nothing, and does not run', async () => {
    git('config', 'merge.ours.driver', `touch ${join(it.root, 'ran')}`);
    writeFileSync(join(it.top, '.git/info/attributes'), '* merge=ours\n');
    onMain();
    it.commit('text', withLine(5, 'fünf').join(''));
    expect(await told()).toBe('no');
    expect(git('ls-files', '--others')).toBe('');
    expect(() => it.gitIn(it.root, 'hash-object', 'ran')).toThrow();
  });

  test('nor is history forged by a graft', async () => {
    onMain();
    writeFileSync(join(it.top, '.git/info/grafts'), `${git('rev-parse', 'main')} ${git('rev-parse', 'polecat/nux')}\n`);
    publish();
    expect(await told()).toBe('no');
  });
});

describe('unknown', () => {
  test.each([
    ['a remote that does not answer', () => git('remote', 'set-url', 'origin', join(it.root, 'away')), undefined],
    ['a commit that is not here', () => '', '1234567890123456789012345678901234567890'],
    ['no name of a commit', () => '', 'abcdef1'],
  ])('%s', async (_, happen, named) => {
    publish();
    await mainOf(it.rig);
    happen();
    const commit = named ?? git('rev-parse', 'main');
    expect((await inMain(it.rig, await mainOf(it.rig), [{ commit, base: null }])).get(commit)).toBe('unknown');
  });
});

test('many at once are told each by itself', async () => {
  onMain();
  git('merge', '-q', '--squash', 'polecat/nux');
  git('commit', '-qm', 'squashed');
  publish();
  const commits = ['main', 'main~1', 'polecat/nux', 'polecat/nux~2'].map((name) => git('rev-parse', name));
  git('checkout', '-q', '-b', 'polecat/other', 'main~2');
  it.commit('other', 'other\n');
  commits.push(git('rev-parse', 'HEAD'), '1234567');
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
