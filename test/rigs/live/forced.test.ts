/** Forced pushes of main that fetches saw, and what came back of them: by git's own log, and with commands that work. */
import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { returnedTo } from '../../../src/rigs/forced-pushes.ts';
import { mainOf } from '../../../src/rigs/main-branch.ts';
import { RigOn } from '../yard.ts';

let it: RigOn;
let first: string;
beforeEach(() => {
  it = new RigOn();
  first = it.git('rev-parse', 'main').trim();
});

const pushed = (): string => it.git('push', '-q', '--force', 'origin', 'main');
/** The remote's main is there, and the town fetched it. */
async function standsAt(commit: string): Promise<void> {
  it.gitIn(it.origin, 'update-ref', 'refs/heads/main', commit);
  await mainOf(it.rig);
}
const texts = async (): Promise<string[]> => (await returnedTo(it.rig)).map(({ text }) => text);
/** As a person types it, from anywhere. */
function typed(text: string): void {
  const command = text.slice(text.indexOf('git -C'));
  const names = ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'];
  const env = { ...process.env, ...Object.fromEntries(names.map((name) => [name, 'max@town'])) };
  execFileSync('sh', ['-c', command], { cwd: '/', env, stdio: 'pipe' });
}

// Rules: R-1.
test('what had merges in it is taken out again by the command of the alert', async () => {
  it.git('checkout', '-q', '-b', 'side');
  it.commit('of-side', 'side\n');
  it.git('checkout', '-q', 'main');
  it.commit('of-main', 'main\n');
  it.git('merge', '-q', '--no-ff', '-m', 'merges side', 'side');
  pushed();
  await mainOf(it.rig);
  const old = it.git('rev-parse', 'main').trim();
  await standsAt(first);
  expect(await texts()).toEqual([]);
  it.commit('own', 'own\n');
  await standsAt(first);
  pushed();
  await mainOf(it.rig);
  const [text = '', ...others] = await texts();
  expect([text.includes(old.slice(0, 12)), others]).toEqual([true, []]);
  typed(text);
  const left = it.git('ls-files').trim().split('\n');
  // Once it is pushed, nothing of it is in main any more, although its commits are.
  pushed();
  await mainOf(it.rig);
  expect(await texts()).toEqual([]);
  expect(left).toContain('own');
  expect(left).not.toEqual(expect.arrayContaining(['of-side']));
  expect(left).not.toEqual(expect.arrayContaining(['of-main']));
});

test('a push by force that only wrote the same anew took nothing out', async () => {
  it.commit('work', 'work\n');
  pushed();
  await mainOf(it.rig);
  it.git('commit', '-q', '--amend', '-m', 'the same in other words');
  pushed();
  await mainOf(it.rig);
  it.commit('more', 'more\n');
  pushed();
  await mainOf(it.rig);
  expect(await texts()).toEqual([]);
});

describe('what came back and was reverted', () => {
  let old: string;
  beforeEach(async () => {
    it.commit('one', 'one\n');
    it.commit('two', 'two\n');
    pushed();
    await mainOf(it.rig);
    old = it.git('rev-parse', 'main').trim();
    await standsAt(first);
    await standsAt(old);
    it.commit('later', 'later\n');
    pushed();
    await mainOf(it.rig);
  });
  const revert = async (...commits: string[]): Promise<void> => {
    it.git('revert', '--no-edit', ...commits);
    pushed();
    await mainOf(it.rig);
  };
  const isHeld = async (): Promise<boolean> => (await texts()).length > 0;

  // Rules: law 8, R-1.
  test('is held no more once all of it is out, also beside later work', async () => {
    // A push back to what it was, which a person may have meant.
    expect(await isHeld()).toBe(false);
    await standsAt(first);
    it.git('merge', '-q', '--no-ff', '-m', 'merges the branch of a polecat', old);
    pushed();
    await mainOf(it.rig);
    expect(await isHeld()).toBe(true);
    await revert(old);
    expect(await isHeld()).toBe(true);
    await revert(`${old}~1`);
    expect(await isHeld()).toBe(false);
    it.commit('three', 'three\n');
    pushed();
    await mainOf(it.rig);
    expect(await isHeld()).toBe(false);
    await revert('HEAD~1');
    expect(await isHeld()).toBe(true);
  });
});

// Rules: R-1.
test('what an agent pushed to another remote in the meantime was never in main, so that merging it brings nothing back', async () => {
  await mainOf(it.rig);
  it.commit('work', 'work\n');
  const other = join(it.root, 'other.git');
  it.git('init', '-q', '--bare', other);
  it.git('remote', 'set-url', 'origin', other);
  pushed();
  it.git('remote', 'set-url', 'origin', it.origin);
  await mainOf(it.rig);
  pushed();
  await mainOf(it.rig);
  expect(await texts()).toEqual([]);
});

test('a log with lines that say nothing of the kind is no trouble', async () => {
  await mainOf(it.rig);
  const none = '1'.repeat(40);
  const log = join(it.top, '.git/logs/refs/town/main/origin/main');
  appendFileSync(log, `${none} ${first} a <a> 1 +0000\tfetch: forced-update\nnot a line\n`);
  expect(await texts()).toEqual([]);
});
