/** What a person is shown of a polecat's work: all of it, from where it left main to its files as they lie there. Real git. */
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import { diffOf, logOf } from '../../../src/rigs/own-work.ts';
import { Failure } from '../../../src/terminal/failure.ts';
import { RigOn } from '../yard.ts';

let it: RigOn;
let record: PolecatRecord;
beforeEach(async () => {
  it = new RigOn();
  record = await it.spawn('nux');
});

const git = (...words: string[]): string => it.gitIn(it.dirOf(), ...words);
function put(name: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(it.dirOf(), name)), { recursive: true });
  writeFileSync(join(it.dirOf(), name), content);
}
function commits(name: string, content: string): void {
  put(name, content);
  git('add', '-A');
  git('commit', '-qm', `change ${name}`);
}
const names = async (): Promise<string[]> => (await diffOf(it.at(), record)).files.map(({ name }) => name);

test('a diff holds commits, staged, changed, deleted and untracked files, and leaves the index as it is', async () => {
  commits('done', 'one\n');
  commits('staged', 'old\n');
  put('staged', 'new\n');
  git('add', 'staged');
  put('file', 'changed\n');
  rmSync(join(it.dirOf(), 'deep/er/file'));
  put('new file 日本', 'text\n');
  put('run', '#!/bin/sh\n');
  chmodSync(join(it.dirOf(), 'run'), 0o755);
  symlinkSync('file', join(it.dirOf(), 'link'));
  put('built/x', 'ignored\n');
  const index = join(
    it.rig.commonDir,
    'worktrees',
    git('rev-parse', '--git-dir').split('/').at(-1)?.trim() ?? '',
    'index',
  );
  const before = readFileSync(index);
  const { patch, files, uncommitted } = await diffOf(it.at(), record);
  expect(files).toEqual([
    { name: 'deep/er/file', added: 0, removed: 1 },
    { name: 'done', added: 1, removed: 0 },
    { name: 'file', added: 1, removed: 1 },
    { name: 'link', added: 1, removed: 0 },
    { name: 'new file 日本', added: 1, removed: 0 },
    { name: 'run', added: 1, removed: 0 },
    { name: 'staged', added: 1, removed: 0 },
  ]);
  expect(patch).toContain('+++ b/new file 日本');
  expect(patch).toContain('new file mode 100755');
  expect(patch).toContain('new file mode 120000');
  expect(patch).not.toContain('ignored');
  expect(uncommitted).toEqual(['deep/er/file', 'file', 'link', 'new file 日本', 'run', 'staged']);
  expect(readFileSync(index)).toEqual(before);
  // It is a patch that git takes.
  writeFileSync(join(it.root, 'patch'), patch ?? '');
  it.git('apply', '--check', join(it.root, 'patch'));
});

function conflict(): void {
  git('checkout', '-q', '-b', 'side');
  commits('file', 'a line\n');
  git('checkout', '-q', 'polecat/nux');
  commits('file', 'another\n');
  expect(() => git('merge', '-q', 'side')).toThrow();
}
function flagged(flag: string): void {
  git('update-index', flag, 'file');
  put('file', 'a line\n');
}
function beside(name: string, content: string, hid: string): void {
  put(name, content);
  put(hid, 'a line\n');
}

test.each<readonly [string, string, () => void]>([
  [
    'an attribute',
    'hid',
    () => {
      beside('.gitattributes', '* binary -diff\n', 'hid');
    },
  ],
  [
    'an ignore file of its own',
    'x/hid',
    () => {
      beside('x/.gitignore', '*\n', 'x/hid');
    },
  ],
  [
    'assume-unchanged',
    'file',
    () => {
      flagged('--assume-unchanged');
    },
  ],
  [
    'skip-worktree',
    'file',
    () => {
      flagged('--skip-worktree');
    },
  ],
  ['a conflict', 'file', conflict],
])('%s hides no line from a diff', async (_, name, make) => {
  make();
  const { patch } = await diffOf(it.at(), record);
  expect(await names()).toContain(name);
  expect(patch).toContain('+a line');
});

test('what main got meanwhile is no part of the work, also after a rebase', async () => {
  commits('own', 'own\n');
  it.commit('of-main', 'theirs\n');
  expect(await names()).toEqual(['own']);
  git('rebase', '-q', 'main');
  const { base, commits: all, main, branch } = await logOf(it.at(), record);
  expect([base, main, branch]).toEqual([it.git('rev-parse', 'main').trim(), 'main', 'polecat/nux']);
  expect(all.map(({ subject }) => subject)).toEqual(['change own']);
  expect(await names()).toEqual(['own']);
});

test('a log holds the commits of a branch of another name and of its own, the newest first', async () => {
  commits('first', '1\n');
  git('checkout', '-q', '-b', 'mine', 'HEAD~1');
  commits('second', '2\n');
  const { branch, commits: all } = await logOf(it.at(), record);
  expect(branch).toBe('mine');
  expect(all.map(({ subject }) => subject).sort()).toEqual(['change first', 'change second']);
});

test('a large patch is told by its files alone, and a missing worktree by its folder', async () => {
  put('large', 'a line of text\n'.repeat(800_000));
  const { patch, files } = await diffOf(it.at(), record);
  expect([patch, files]).toEqual([null, [{ name: 'large', added: 800_000, removed: 0 }]]);
  rmSync(it.dirOf(), { recursive: true });
  await expect(logOf(it.at(), record)).rejects.toThrow(Failure);
  await expect(logOf(it.at(), record)).rejects.toThrow(`${it.dirOf()} is not there; see`);
});
