/** No setting of a repository decides anything: none hides work from a look, none runs a program, in any call of git. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { mayOf, statesOf } from '../../../machines/rigs/worktree.ts';
import { call, push } from '../../../src/git/push.ts';
import { nuke } from '../../../src/rigs/nuke.ts';
import { diffOf, logOf } from '../../../src/rigs/own-work.ts';
import { worktreeText } from '../../../src/rigs/uncommitted.ts';
import { rescueAt } from '../../rescue/repo.ts';
import { RigOn } from '../../rigs/yard.ts';
import { Linked } from '../linked.ts';

const ways = ['glance', 'whole'] as const;

/** What hides something, and how; the file `hid` or a change is there afterwards. */
const HIDES: readonly (readonly [setting: string, make: (it: Linked) => unknown])[] = [
  [
    '.git/info/exclude',
    (it) => {
      exclude(it, 'hid\n');
      it.put('hid', 'work');
    },
  ],
  [
    'core.excludesFile',
    (it) => {
      writeFileSync(join(it.root, 'mine'), 'hid\n');
      it.git('config', 'core.excludesFile', join(it.root, 'mine'));
      it.put('hid', 'work');
    },
  ],
  [
    'core.excludesFile of the worktree',
    (it) => {
      writeFileSync(join(it.root, 'mine'), 'hid\n');
      it.git('config', 'extensions.worktreeConfig', 'true');
      it.in('config', '--worktree', 'core.excludesFile', join(it.root, 'mine'));
      it.put('hid', 'work');
    },
  ],
  ['an ignore file that ignores itself', (it) => (it.put('new/.gitignore', '*\n'), it.put('new/hid', 'work'))],
  [
    'an uncommitted ignore file beside others',
    (it) => (it.put('.git-x', ''), it.put('a/.gitignore', '*\n'), it.put('a/b', '')),
  ],
  [
    'a changed ignore file that no look may see',
    (it) => (
      it.in('update-index', '--assume-unchanged', '.gitignore'),
      it.put('.gitignore', 'built/\nhid\n'),
      it.put('hid', 'work')
    ),
  ],
  [
    'core.fileMode',
    (it) => {
      it.git('config', 'core.fileMode', 'false');
      chmodSync(join(it.dir, 'file'), 0o755);
    },
  ],
  ['core.ignoreCase', (it) => (it.git('config', 'core.ignoreCase', 'true'), it.put('FILE', 'work'))],
  [
    'core.symlinks',
    (it) => {
      it.git('config', 'core.symlinks', 'false');
      execFileSync('ln', ['-s', 'file', join(it.dir, 'link')]);
      it.in('add', 'link');
      it.in('commit', '-qm', 'links');
      it.push();
      execFileSync('rm', [join(it.dir, 'link')]);
      it.put('link', 'file');
    },
  ],
  ['status.showUntrackedFiles', (it) => (it.git('config', 'status.showUntrackedFiles', 'no'), it.put('hid', 'work'))],
  [
    'core.sparseCheckout, outside of its cone',
    (it) => (it.in('sparse-checkout', 'set', 'nothing'), it.put('other/hid', 'work')),
  ],
  ['skip-worktree', (it) => (it.in('update-index', '--skip-worktree', 'file'), it.put('file', 'work'))],
  [
    'skip-worktree and sparse.expectFilesOutsideOfPatterns',
    (it) => {
      it.git('config', 'sparse.expectFilesOutsideOfPatterns', 'true');
      it.in('update-index', '--skip-worktree', 'file');
      it.put('file', 'work');
    },
  ],
  ['assume-unchanged', (it) => (it.in('update-index', '--assume-unchanged', 'file'), it.put('file', 'work'))],
  [
    'core.checkStat and core.trustCtime',
    (it) => {
      it.git('config', 'core.checkStat', 'minimal');
      it.git('config', 'core.trustCtime', 'false');
      execFileSync('touch', ['-d', '2001-01-01', join(it.dir, 'file')]);
      it.in('update-index', '--refresh');
      // git compares whole seconds.
      execFileSync('sleep', ['1.1']);
      it.put('file', 'FIRST\n');
      execFileSync('touch', ['-d', '2001-01-01', join(it.dir, 'file')]);
    },
  ],
  ['a filter of info/attributes', (it) => (filter(it, 'git show HEAD:file'), it.put('file', 'work'))],
  [
    'core.worktree',
    (it) => (
      it.git('config', 'extensions.worktreeConfig', 'true'),
      it.in('config', '--worktree', 'core.worktree', it.top),
      it.put('hid', 'work')
    ),
  ],
];

function exclude(it: Linked, text: string): void {
  mkdirSync(join(it.commonDir, 'info'), { recursive: true });
  appendFileSync(join(it.commonDir, 'info/exclude'), text);
}

function filter(it: Linked, clean: string): void {
  mkdirSync(join(it.commonDir, 'info'), { recursive: true });
  writeFileSync(join(it.commonDir, 'info/attributes'), 'file filter=x\n');
  it.git('config', 'filter.x.clean', clean);
}

// Rules: P-6.
test.each(HIDES.flatMap(([setting, make]) => ways.map((depth) => ({ setting, depth, make }))))(
  '$setting hides nothing from a $depth look',
  async ({ depth, make }) => {
    const it = new Linked();
    make(it);
    const facts = await it.look({ depth });
    expect(statesOf(facts)).toContain('dirty');
    expect(mayOf(facts)).toBe('keep');
  },
);

test('what a committed ignore file names, and what the person ignores everywhere, is no work', async () => {
  const it = new Linked();
  const before = process.env['XDG_CONFIG_HOME'];
  process.env['XDG_CONFIG_HOME'] = it.root;
  try {
    mkdirSync(join(it.root, 'git'));
    writeFileSync(join(it.root, 'git/ignore'), 'notes\n');
    it.put('built/x', '');
    it.put('notes', '');
    const facts = await it.look();
    expect([statesOf(facts), facts.ignored]).toEqual([['clean'], ['built/', 'notes']]);
  } finally {
    if (before === undefined) Reflect.deleteProperty(process.env, 'XDG_CONFIG_HOME');
    else process.env['XDG_CONFIG_HOME'] = before;
  }
});

let rig: RigOn;
beforeEach(() => (rig = new RigOn()));

/** Each names the trap where a program can be named. */
const PROGRAMS: readonly (readonly [setting: string, value: (trap: string) => string])[] = [
  ['core.sshCommand', (trap) => trap],
  ['core.fsmonitor', (trap) => trap],
  ['core.hooksPath', (trap) => dirname(trap)],
  ['core.pager', (trap) => trap],
  ['core.editor', (trap) => trap],
  ['core.askPass', (trap) => trap],
  ['core.gitProxy', (trap) => trap],
  ['core.alternateRefsCommand', (trap) => trap],
  ['credential.helper', (trap) => `!${trap}`],
  ['remote.origin.uploadpack', (trap) => trap],
  ['remote.origin.receivepack', (trap) => trap],
  ['remote.origin.vcs', () => 'trap'],
  ['uploadpack.packObjectsHook', (trap) => trap],
  ['diff.external', (trap) => trap],
  ['diff.x.textconv', (trap) => trap],
  ['filter.x.clean', (trap) => trap],
  ['filter.x.smudge', (trap) => trap],
  ['filter.x.process', (trap) => trap],
  ['filter.lfs.process', (trap) => trap],
  ['filter.lfs.clean', (trap) => trap],
  ['lfs.extension.x.clean', (trap) => trap],
  ['gpg.program', (trap) => trap],
  ['commit.gpgSign', () => 'true'],
  ['push.gpgSign', () => 'true'],
  ['merge.x.driver', (trap) => trap],
  ['alias.status', (trap) => `!${trap}`],
];

/** Each act reaches git by another way. `false` = not from the rig's own remote. */
const CALLS: readonly (readonly [call: string, act: (it: RigOn) => Promise<unknown>])[] = [
  ['a start', (it) => it.spawn('max')],
  ['what a case shows', async (it) => worktreeText(it.at(), (await it.records.polecat(POLECAT))!)],
  ['a rescue', (it) => rescueAt(it.dirOf())],
  ['a diff for a person', async (it) => diffOf(it.at(), (await it.records.polecat(POLECAT))!)],
  ['a log for a person', async (it) => logOf(it.at(), (await it.records.polecat(POLECAT))!)],
  ['a push', (it) => push(placeOf(it), 'polecat/nux')],
  ['a fetch', (it) => call(placeOf(it), ['fetch', '--quiet', 'origin'], 60_000)],
  ['a question to the remote', (it) => call(placeOf(it), ['ls-remote', 'origin'], 60_000)],
  ['a removal that pushes', async (it) => nuke(it.at(), (await it.records.polecat(POLECAT))!, { pushes: true })],
];
const POLECAT = { rig: 'shop', name: 'nux' };
const placeOf = (it: RigOn) => ({ gitDir: it.rig.commonDir, cwd: it.top });

// Rules: P-6.
test.each(CALLS)('%s runs no program that the repository names', async (call, act) => {
  const [trap, ran] = [join(rig.root, 'traps/git-remote-trap'), join(rig.root, 'ran')];
  await rig.spawn('nux');
  const dir = rig.dirOf();
  writeFileSync(join(dir, 'file'), 'second\n');
  writeFileSync(join(dir, '.gitattributes'), '* filter=x diff=x merge=x\nbig filter=lfs\n');
  rig.gitIn(dir, 'add', '-A');
  rig.gitIn(dir, 'commit', '-qm', 'works');
  if (!call.startsWith('a removal')) writeFileSync(join(dir, 'deep/er/file'), 'third\n');
  mkdirSync(dirname(trap));
  writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >> ${ran}\ncat\n`, { mode: 0o755 });
  for (const hook of ['pre-push', 'post-checkout', 'reference-transaction', 'post-index-change', 'pre-commit'])
    execFileSync('cp', [trap, join(dirname(trap), hook)]);
  for (const [name, value] of PROGRAMS) rig.git('config', name, value(trap));
  execFileSync('cp', ['-r', `${dirname(trap)}/.`, join(rig.rig.commonDir, 'hooks')]);
  await act(rig);
  expect(existsSync(ran)).toBe(false);
});

/** What a clone of a stranger's can say of where its work goes. */
test.each([
  ['remote.pushDefault', 'evil'],
  ['branch.polecat/nux.pushRemote', 'evil'],
  ['branch.polecat/nux.remote', 'evil'],
])('%s sends a branch nowhere else', async (name, value) => {
  await rig.spawn('nux');
  rig.git('init', '-q', '--bare', join(rig.root, 'evil.git'));
  rig.git('remote', 'add', 'evil', join(rig.root, 'evil.git'));
  rig.git('config', name, value);
  await push(placeOf(rig), 'polecat/nux');
  expect(rig.gitIn(rig.origin, 'branch', '--list', 'polecat/nux').trim()).toBe('polecat/nux');
  expect(rig.gitIn(join(rig.root, 'evil.git'), 'branch')).toBe('');
});

test('an extension of git that is not known is unknown, and nothing is touched', async () => {
  const it = new Linked();
  it.git('config', 'core.repositoryFormatVersion', '1');
  it.git('config', 'extensions.newfangled', 'true');
  const facts = await it.look();
  expect([facts.place, facts.why]).toEqual([
    'unknown',
    expect.stringMatching(/"newfangled", which Townwatch does not know/),
  ]);
});

test('a repository with refs of another kind of hash works', async () => {
  const it = new Linked();
  renameSync(it.dir, `${it.dir}-x`);
  const sha = join(it.root, 'sha');
  it.git('init', '-q', '--object-format=sha256', '-b', 'main', sha);
  it.gitIn(sha, 'commit', '-q', '--allow-empty', '-m', 'first');
  it.gitIn(sha, 'worktree', 'add', '-q', '-b', 'polecat/nux', it.dir);
  const facts = await it.look({ commonDir: join(sha, '.git') });
  expect([facts.place, facts.head?.length]).toEqual(['there', 64]);
});
