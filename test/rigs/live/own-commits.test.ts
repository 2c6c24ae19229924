/** The town pushes no commit of an agent that holds what looks like a secret, also where its last state holds none. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import { nuke } from '../../../src/rigs/nuke.ts';
import { RIG_WORK } from '../../../src/rigs/policy.ts';
import { saveAndPush } from '../../../src/rigs/uncommitted.ts';
import { EXIT } from '../../../src/terminal/failure.ts';
import { RigOn } from '../yard.ts';

/** Put together here, so that no scanner takes it for a real one. */
const KEY = ['AKIA', 'IOSFODNN7', 'EXAMPLF'].join('');

let it: RigOn;
let record: PolecatRecord;
beforeEach(async () => {
  it = new RigOn();
  record = await it.spawn('nux');
});

const git = (...words: string[]): string => it.gitIn(it.dirOf(), ...words);

function put(name: string, text: string): void {
  const path = join(it.dirOf(), name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
function commits(name: string, text: string): void {
  put(name, text);
  git('add', '-f', '--all');
  git('commit', '-qm', `change ${name}`);
}
/** A commit adds it, the next one removes it. */
function addsAndRemoves(name: string, text: string): void {
  commits(name, text);
  rmSync(join(it.dirOf(), name));
  git('commit', '-qam', `remove ${name}`);
}
function hides(name: string, text: string): void {
  put('.gitattributes', '* binary\n');
  commits(name, text);
}
/** Two sides that change one line; the merge is what a person makes of it. */
function merges(text: string): void {
  git('checkout', '-q', '-b', 'side');
  commits('file', 'one side\n');
  git('checkout', '-q', 'polecat/nux');
  commits('file', 'other side\n');
  expect(() => git('merge', '-q', 'side')).toThrow();
  commits('file', text);
  git('branch', '-qD', 'side');
}
/** What neither side has is added by the merge itself. */
function mergesAlso(name: string, text: string): void {
  merges('both sides\n');
  put(name, text);
  git('add', '-f', name);
  git('commit', '-q', '--amend', '--no-edit');
}
function renames(): void {
  commits('.env', 'A=1\n');
  git('mv', '.env', 'settings.txt');
  git('commit', '-qm', 'rename');
}
function inLfs(text: string): void {
  put('.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n');
  git('lfs', 'install', '--local');
  commits('data.bin', text);
  expect(git('show', 'HEAD:data.bin')).toMatch(/^version https:/);
}
const isPublished = (): boolean => it.gitIn(it.origin, 'branch', '--list', 'polecat/nux') !== '';

const DOORS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['COMMIT_AND_PUSH', () => saveAndPush(it.at(), record, 'the rest')],
  ['the push of one that is done', () => nuke(it.at(), record, { pushes: true })],
];

const HELD: readonly (readonly [string, () => void, RegExp])[] = [
  [
    'a key in a new file',
    () => commits('notes', `a\nkey ${KEY}\n`),
    /line 2 of "notes" .*AWS\) in commit [0-9a-f]{10};/,
  ],
  ['a key in a changed file', () => commits('file', `first\nkey ${KEY}\n`), /line 2 of "file"/],
  ['a key that the next commit removes', () => addsAndRemoves('notes', KEY), /line 1 of "notes"/],
  ['a file of settings', () => commits('app/.env', 'A=1\n'), /"app\/\.env" in its commits .*by its name/],
  ['a file of settings that went again', () => addsAndRemoves('.env', 'A=1\n'), /"\.env" in its commits/],
  [
    'a large file that went again',
    () => addsAndRemoves('a.bin', 'x'.repeat(RIG_WORK.maxPublishedBytes + 1)),
    /"a\.bin" \(10 MB\) in its commits is larger than 10 MB/,
  ],
  [
    'a key in commits that a forged tracking ref names',
    () => {
      commits('notes', `key ${KEY}\n`);
      git('update-ref', 'refs/remotes/origin/x', 'HEAD');
      commits('file', 'more\n');
    },
    /line 1 of "notes"/,
  ],
  ['a file of settings that is renamed later', renames, /"\.env" in its commits/],
  ['a file of settings that a merge alone adds', () => mergesAlso('.env', 'A=1\n'), /"\.env" in its commits/],
  [
    'a key that a merge alone adds to a file that counts as binary',
    () => {
      commits('.gitattributes', '* binary\n');
      merges(`both sides\0\nkey ${KEY}\n`);
    },
    /line 2 of "file" .*in commit/,
  ],
  [
    'a key in a message',
    () => git('commit', '-q', '--allow-empty', '-m', `uses ${KEY}`),
    /the message of commit \w{10}/,
  ],
  [
    'a key in the message of a tag that was merged',
    () => {
      git('checkout', '-q', '-b', 'side');
      commits('side', 'side\n');
      git('tag', '-a', 'v1', '-m', `uses ${KEY}`);
      git('checkout', '-q', 'polecat/nux');
      git('merge', '-q', '--no-ff', '--no-edit', 'v1');
    },
    /the message of commit \w{10}/,
  ],
  ['a key in the name of a file', () => commits(`of-${KEY}`, 'text\n'), /the name of a file in its commits/],
  [
    'a password in the address of a submodule',
    () => commits('.gitmodules', `[submodule "a"]\n\tpath = a\n\turl = https://max:${KEY}@example.com/a.git\n`),
    /line 3 of "\.gitmodules"/,
  ],
  [
    'a key in a file that LFS keeps',
    () => inLfs(`key ${KEY}\n`),
    /"data\.bin", which Git LFS keeps, looks like a secret/,
  ],
  ['a key that a merge alone adds', () => merges(`both sides\nkey ${KEY}\n`), /line 2 of "file" .*in commit/],
  ['a key that an attribute hides', () => hides('notes', KEY), /"notes"/],
];

// Rules: law 11, P-13, R-1.
describe.each(DOORS)('%s', (_, act) => {
  // Rules: P-6.
  test.each(HELD)('refuses %s, with what to do, and without the key', async (__, make, why) => {
    make();
    const refusal = (await act().catch((error: unknown) => error)) as Error;
    expect(refusal).toMatchObject({ exit: EXIT.refused, message: expect.stringMatching(why) as string });
    expect(refusal.message).toContain(`push them by hand: git -C ${it.top} push origin polecat/nux`);
    expect(refusal.message).not.toContain(KEY);
    expect(isPublished()).toBe(false);
    expect(git('status', '--porcelain')).toBe('');
  });

  test('pushes what holds nothing of the kind', async () => {
    commits('notes', 'secret: string\n');
    merges('both sides\n');
    await act();
    expect(it.gitIn(it.origin, 'show', 'polecat/nux:file')).toBe('both sides\n');
  });

  test('asks nothing about what a person has pushed', async () => {
    commits('notes', KEY);
    git('push', '-q', 'origin', 'polecat/nux');
    commits('file', 'second\n');
    await act();
    expect(it.gitIn(it.origin, 'show', 'polecat/nux:file')).toBe('second\n');
  });
});

test('a branch whose name holds a key is not pushed, and no name of the others is', async () => {
  git('checkout', '-q', '-b', `polecat/${KEY}`);
  commits('file', 'second\n');
  const refusal = await nuke(it.at(), record, { pushes: true, branch: `polecat/${KEY}` }).catch((e: unknown) => e);
  expect(refusal).toMatchObject({
    code: 'secret',
    message: expect.stringMatching(/its name looks like a secret/) as string,
  });
  expect(it.gitIn(it.origin, 'branch', '--format=%(refname:short)').trim()).toBe('main');
});

test('no tag goes along, under any settings of a person', async () => {
  commits('file', 'second\n');
  git('tag', '-a', 'v1', '-m', `uses ${KEY}`);
  const home = process.env['HOME'];
  process.env['HOME'] = it.root;
  it.gitIn(it.root, 'config', '--file', join(it.root, '.gitconfig'), 'push.followTags', 'true');
  try {
    await nuke(it.at(), record, { pushes: true });
  } finally {
    process.env['HOME'] = home;
  }
  expect([isPublished(), it.gitIn(it.origin, 'tag')]).toEqual([true, '']);
});

test('what the remote has counts as published, also what was never fetched', async () => {
  // Another clone went on: its branch is known by its name only.
  commits('notes', KEY);
  it.gitIn(it.dirOf(), 'push', '-q', 'origin', 'HEAD:refs/heads/side');
  it.git('fetch', '-q', 'origin');
  const other = join(it.root, 'other');
  it.gitIn(it.root, 'clone', '-q', '-b', 'side', it.origin, other);
  it.gitIn(other, 'commit', '-q', '--allow-empty', '-m', 'more');
  it.gitIn(other, 'push', '-q');
  commits('file', 'second\n');
  await nuke(it.at(), record, { pushes: true });
  expect(isPublished()).toBe(true);
});

test('while the remote does not answer nothing counts as published', async () => {
  commits('notes', KEY);
  git('push', '-q', 'origin', 'polecat/nux:side');
  commits('file', 'second\n');
  rmSync(it.origin, { recursive: true });
  await expect(nuke(it.at(), record, { pushes: true })).rejects.toMatchObject({ code: 'not_asked' });
});

test('the operator may want it all the same', async () => {
  commits('notes', KEY);
  await saveAndPush(it.at(), record, 'the rest', { all: true });
  expect(isPublished()).toBe(true);
});
