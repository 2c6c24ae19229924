/** Repositories as people have them: each works from the start of a polecat to its end, or is refused in one sentence. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { statesOf } from '../../../machines/rigs/worktree.ts';
import type { RigRecord } from '../../../machines/rigs/records.ts';
import { treesOf } from '../../../src/patrols/witness/trees.ts';
import { nuke, optionsOf } from '../../../src/rigs/nuke.ts';
import { lookIn } from '../../../src/rigs/place.ts';
import { saveAndPush } from '../../../src/rigs/uncommitted.ts';
import { EXIT } from '../../../src/terminal/failure.ts';
import { RigOn } from '../yard.ts';

/** A rig on another repository than the one that it was made with: a clone of that. */
class RigOnClone extends RigOn {
  readonly clone = join(this.root, 'clone');

  override get rig(): RigRecord {
    const inner = join(this.clone, '.git');
    return { ...super.rig, repo: this.clone, commonDir: existsSync(inner) ? inner : this.clone };
  }

  cloned(...words: readonly string[]): void {
    this.gitIn(this.origin, 'config', 'uploadpack.allowFilter', 'true');
    this.gitIn(this.root, 'clone', '-q', ...words, `file://${this.origin}`, this.clone);
  }
}

let it: RigOnClone;
beforeEach(() => (it = new RigOnClone()));

const record = async () => (await it.records.polecat({ rig: 'shop', name: 'nux' }))!;
const inTree = (...words: string[]): string => it.gitIn(it.dirOf(), ...words);
const look = async () => {
  const one = await record();
  return lookIn(it.at(), one, await optionsOf(it.at(), one));
};

/** As an agent: a change, committed, and the rest by the town. */
async function worksToTheEnd(): Promise<void> {
  await it.spawn('nux');
  expect([statesOf(await look()), it.notes]).toEqual([expect.arrayContaining(['clean']), []]);
  writeFileSync(join(it.dirOf(), 'file'), 'second\n');
  inTree('commit', '-qam', 'works');
  writeFileSync(join(it.dirOf(), 'new'), 'third\n');
  expect(statesOf(await look())).toEqual(expect.arrayContaining(['dirty', 'unpushed']));
  await saveAndPush(it.at(), await record(), 'the rest');
  expect(it.gitIn(it.origin, 'show', 'polecat/nux:file', 'polecat/nux:new')).toBe('second\nthird\n');
  await nuke(it.at(), await record(), { pushes: false });
  expect(existsSync(it.dirOf())).toBe(false);
  expect(it.gitIn(it.clone, 'fsck', '--connectivity-only', '--no-dangling')).toBe('');
}

// Rules: P-6.
test.each([
  ['a partial clone without files', ['--filter=blob:none']],
  ['a partial clone without folders', ['--filter=tree:0']],
  ['a partial clone that checked nothing out', ['--filter=blob:none', '--no-checkout']],
  ['a shallow clone', ['--depth=1']],
  ['a bare repository', ['--bare']],
  ['a plain clone', []],
] as const)('%s works to the end', async (kind, words) => {
  it.cloned(...words);
  if (kind === 'a bare repository')
    it.gitIn(it.clone, 'config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*');
  await worksToTheEnd();
});

test('a sparse one stays sparse, and works to the end', async () => {
  it.cloned();
  it.gitIn(it.clone, 'sparse-checkout', 'set', 'nothing');
  await it.spawn('nux');
  expect(existsSync(join(it.dirOf(), 'deep'))).toBe(false);
  expect(statesOf(await look())).toEqual(['clean', 'sparse']);
  expect(inTree('sparse-checkout', 'list')).toBe('nothing\n');
  await nuke(it.at(), await record(), { pushes: false });
  await worksToTheEnd();
});

test('one with submodules works to the end', async () => {
  const lib = new RigOn();
  it.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lib.origin, 'lib');
  it.git('commit', '-qm', 'takes lib in');
  it.git('push', '-q');
  it.cloned();
  await it.spawn('nux');
  inTree('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init');
  expect(statesOf(await look())).toEqual(['clean']);
  writeFileSync(join(it.dirOf(), 'lib/file'), 'other\n');
  expect(statesOf(await look())).toEqual(['submodule']);
  it.gitIn(join(it.dirOf(), 'lib'), 'checkout', '-q', 'file');
  await nuke(it.at(), await record(), { pushes: false });
  expect(existsSync(it.dirOf())).toBe(false);
  await worksToTheEnd();
});

describe('Git LFS', () => {
  const BIG = 'big and binary\n'.repeat(100);
  const pointerOf = (text: string): string => {
    const hash = createHash('sha256').update(text).digest('hex');
    return `version https://git-lfs.github.com/spec/v1\noid sha256:${hash}\nsize ${String(text.length)}\n`;
  };

  beforeEach(() => {
    it.git('lfs', 'install', '--local');
    it.git('lfs', 'track', '--', '*.bin');
    it.write('a.bin', BIG);
    it.git('add', '-A');
    it.git('commit', '-qm', 'big');
    it.git('push', '-q', 'origin', 'main');
    it.cloned();
    it.gitIn(it.clone, 'lfs', 'install', '--local');
  });

  test('files are there from the start, a tree that was just pulled is clean, and what is committed is a pointer', async () => {
    await it.spawn('nux');
    expect(it.notes).toEqual([]);
    expect(readFileSync(join(it.dirOf(), 'a.bin'), 'utf8')).toBe(BIG);
    expect(statesOf(await look())).toEqual(['clean']);
    inTree('lfs', 'pull');
    expect(statesOf(await look())).toEqual(['clean']);
    writeFileSync(join(it.dirOf(), 'b.bin'), `${BIG}more`);
    writeFileSync(join(it.dirOf(), 'a.bin'), `${BIG}changed`);
    expect(statesOf(await look())).toEqual(['dirty']);
    await saveAndPush(it.at(), await record(), 'the rest');
    expect(inTree('cat-file', 'blob', 'HEAD:b.bin')).toBe(pointerOf(`${BIG}more`));
    expect(statesOf(await look())).toEqual(['clean']);
    await nuke(it.at(), await record(), { pushes: false });
    expect(existsSync(it.dirOf())).toBe(false);
    const other = join(it.root, 'other');
    it.gitIn(it.root, 'clone', '-q', '-b', 'polecat/nux', `file://${it.origin}`, other);
    it.gitIn(other, 'lfs', 'install', '--local');
    it.gitIn(other, 'lfs', 'pull');
    expect(readFileSync(join(other, 'b.bin'), 'utf8')).toBe(`${BIG}more`);
  });

  test('files that cannot be fetched are pointers, and the start says so', async () => {
    rmSync(join(it.clone, '.git/lfs'), { recursive: true, force: true });
    rmSync(join(it.origin, 'lfs'), { recursive: true });
    await it.spawn('nux');
    expect(readFileSync(join(it.dirOf(), 'a.bin'), 'utf8')).toBe(pointerOf(BIG));
    expect(it.notes).toEqual([expect.stringContaining('git lfs pull')]);
    expect(statesOf(await look())).toEqual(['clean']);
  });
});

test('a file of a filter that the town does not run is committed by its owner alone', async () => {
  it.cloned();
  await it.spawn('nux');
  writeFileSync(join(it.dirOf(), '.gitattributes'), 'secret filter=git-crypt\n');
  inTree('add', '-A');
  inTree('commit', '-qm', 'crypts');
  writeFileSync(join(it.dirOf(), 'secret'), 'plain\n');
  await expect(saveAndPush(it.at(), await record(), 'the rest')).rejects.toThrow(/secret.*git-crypt/);
  expect(inTree('log', '--format=%s', '-1')).toBe('crypts\n');
});

test.each([
  ['a branch called polecat', () => it.gitIn(it.clone, 'branch', 'polecat')],
  ['one that the remote has', () => it.git('push', '-q', 'origin', 'main:refs/heads/polecat')],
])('beside %s no polecat is made: one sentence says why', async (_, make) => {
  it.cloned();
  make();
  if (existsSync(join(it.clone, '.git'))) it.gitIn(it.clone, 'fetch', '-q');
  const refusal = expect.objectContaining({ exit: EXIT.refused, code: 'branch_taken' }) as Error;
  await expect(it.spawn('nux')).rejects.toThrow(refusal);
  await expect(it.spawn('nux')).rejects.toThrow(
    /has a branch polecat, beside which there can be no polecat\/<name>; rename it: git /,
  );
  expect((await it.records.polecats()).found).toEqual([]);
  // The patrol gives out nothing meanwhile, and its alert says this.
  expect((await treesOf(it.at()).trouble())?.text).toMatch(/has a branch polecat/);
});

test('a ref that an agent made for a remote of its own stops no other', async () => {
  it.cloned();
  it.gitIn(it.clone, 'update-ref', 'refs/remotes/elsewhere/polecat', 'HEAD');
  expect(await treesOf(it.at()).trouble()).toBeNull();
  expect(await it.spawn('nux')).toMatchObject({ step: 'running' });
});
