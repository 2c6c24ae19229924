/** Uncommitted work that is saved before its agent is ended (law 4). */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { HANDS } from '../../src/ports/policy.ts';
import { REF, Repo, rescueAt } from './repo.ts';

let repo: Repo;
beforeEach(() => (repo = new Repo()));

const NAMES = { plain: 'new.txt', odd: 'a "quoted"\nname;\ttab é', dashed: '--help' };

describe('what is saved', () => {
  // Rules: law 4.
  test('changed, staged, deleted and untracked work; nothing else moves; `git stash apply` brings it back', async () => {
    repo.write('.gitignore', 'ignored\n');
    for (const name of ['changed', 'deleted', 'staged', 'same']) repo.commit(name, 'before\n');
    repo.git('add', '.gitignore');
    repo.git('commit', '-q', '-m', 'ignores');
    repo.write('changed', 'after\n');
    repo.write('staged', 'stage\n');
    repo.git('add', 'staged');
    repo.write('staged', 'worktree\n');
    rmSync(join(repo.top, 'deleted'));
    repo.write('ignored', 'build\n');
    for (const name of Object.values(NAMES)) repo.write(`sub/${name}`, `${name}\n`);
    symlinkSync('changed', join(repo.top, 'link'));
    chmodSync(repo.write('run.sh', 'echo\n'), 0o755);
    const before = repo.untouched();

    const rescue = await rescueAt(join(repo.top, 'sub'));

    expect(rescue).toMatchObject({ folder: 'rescue/dog-1', ref: REF });
    expect(repo.untouched()).toEqual(before);
    expect(repo.kept('changed')).toBe('after\n');
    expect(repo.kept('staged')).toBe('worktree\n');
    expect(repo.kept('staged', `${REF}^2`)).toBe('stage\n');
    expect(() => repo.kept('deleted')).toThrow('deleted');
    expect(() => repo.kept('ignored')).toThrow('ignored');
    expect(repo.kept('link')).toBe('changed');
    expect(repo.git('ls-tree', REF, 'run.sh')).toMatch(/^100755/);
    for (const name of Object.values(NAMES)) expect(repo.kept(`sub/${name}`)).toBe(`${name}\n`);
    expect(rescue.notes['scrollback.txt']).toBe('the last words');

    // The worktree is lost; the rescue is taken into a new one.
    repo.git('reset', '-q', '--hard');
    repo.git('clean', '-qfd');
    expect(existsSync(join(repo.top, 'sub'))).toBe(false);
    repo.git('stash', 'apply', '-q', REF);
    expect(readFileSync(join(repo.top, 'changed'), 'utf8')).toBe('after\n');
    expect(readFileSync(join(repo.top, 'sub', NAMES.odd), 'utf8')).toBe(`${NAMES.odd}\n`);
    expect(existsSync(join(repo.top, 'deleted'))).toBe(false);
    repo.git('reset', '-q', '--hard');
    repo.git('restore', `--source=${REF}`, '--', 'changed');
    expect(readFileSync(join(repo.top, 'changed'), 'utf8')).toBe('after\n');
  });

  test('the patch applies to HEAD, and the notes name status, own stashes and unpushed commits', async () => {
    const remote = join(repo.root, 'remote.git');
    repo.gitIn(repo.root, 'init', '-q', '--bare', remote);
    repo.commit('a', '1\n');
    repo.git('remote', 'add', 'origin', remote);
    repo.git('push', '-q', 'origin', 'main');
    repo.write('a', 'other\n');
    repo.git('checkout', '-q', '-b', 'polecat/max-other');
    repo.git('stash', 'push', '-q', '-m', 'of another branch');
    repo.git('checkout', '-q', '-b', 'polecat/max');
    repo.write('a', 'own\n');
    repo.git('stash', 'push', '-q', '-m', 'of its own');
    repo.commit('b', 'unpushed\n');
    repo.write('a', '2\0binary\n');
    const { notes } = await rescueAt(repo.top);
    const text = String(notes['git-1.txt']);
    expect(text).toContain('branch: polecat/max\n');
    expect(text).toContain('On polecat/max: of its own');
    expect(text).not.toContain('of another branch');
    expect(text).toMatch(/# Commits on no remote\n[0-9a-f]{40} adds b\n/);
    expect(text).not.toContain('adds a');
    expect(text).toContain(`git stash apply ${REF}`);
    expect(text).toMatch(/^1 \.M .* a$/m);
    const patch = join(repo.root, 'patch');
    writeFileSync(patch, notes['git-1.patch'] ?? '');
    repo.git('checkout', '-q', '--', 'a');
    repo.git('apply', patch);
    expect(readFileSync(join(repo.top, 'a'), 'utf8')).toBe('2\0binary\n');
  });

  test('nothing to save: no ref. A detached commit that nothing else holds: the ref holds it', async () => {
    repo.commit('a', '1\n');
    expect(await rescueAt(repo.top)).toMatchObject({ ref: null });
    expect(repo.git('for-each-ref', 'refs/town')).toBe('');
    repo.git('checkout', '-q', '--detach');
    repo.commit('b', '2\n');
    const head = repo.git('rev-parse', 'HEAD');
    expect(await rescueAt(repo.top)).toMatchObject({ ref: REF });
    expect(repo.git('rev-parse', REF)).toBe(head);
  });

  test('before the first commit', async () => {
    repo.write('staged', 'stage\n');
    repo.git('add', 'staged');
    repo.write('loose', 'loose\n');
    const { notes } = await rescueAt(repo.top);
    expect([repo.kept('staged'), repo.kept('loose')]).toEqual(['stage\n', 'loose\n']);
    expect(String(notes['git-1.txt'])).toContain('(no commit yet)');
    repo.git('update-ref', '-d', REF);
    rmSync(join(repo.top, '.git/index'));
    await rescueAt(repo.top);
    expect(repo.kept('loose')).toBe('loose\n');
  });

  test('in the middle of a merge and of a rebase, with the index locked', async () => {
    repo.commit('a', 'base\n');
    repo.git('checkout', '-q', '-b', 'side');
    repo.commit('a', 'side\n');
    repo.git('checkout', '-q', 'main');
    repo.commit('a', 'main\n');
    expect(() => repo.git('merge', 'side')).toThrow('Command failed');
    writeFileSync(join(repo.top, '.git/index.lock'), '');
    const before = repo.untouched();
    const merging = await rescueAt(repo.top);
    expect(repo.untouched()).toEqual(before);
    expect(repo.kept('a')).toContain('<<<<<<<');
    expect(String(merging.notes['git-1.txt'])).toContain('in the middle of: a merge');
    rmSync(join(repo.top, '.git/index.lock'));
    repo.git('merge', '--abort');
    expect(() => repo.git('rebase', 'side')).toThrow('Command failed');
    repo.write('a', 'half resolved\n');
    const rebasing = await rescueAt(repo.top, {}, { dance: 'dog-2' });
    expect(repo.kept('a', 'refs/town/rescue/dog-2')).toBe('half resolved\n');
    expect(String(rebasing.notes['git-1.txt'])).toMatch(/branch: main\n[^]*a rebase/);
  });

  test('a linked worktree, with its own index and the common refs', async () => {
    repo.commit('a', '1\n');
    const linked = join(repo.root, 'linked');
    repo.git('worktree', 'add', '-q', '-b', 'polecat/max', linked);
    writeFileSync(join(linked, 'a'), 'in the linked one\n');
    repo.write('a', 'in the main one\n');
    await rescueAt(linked);
    expect(repo.kept('a')).toBe('in the linked one\n');
  });

  test('a submodule and a nested repository, each in its own store', async () => {
    const inner = new Repo();
    inner.commit('x', '1\n');
    repo.commit('a', '1\n');
    repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.top, 'mod');
    repo.git('commit', '-q', '-m', 'module');
    writeFileSync(join(repo.top, 'mod/x'), 'in the module\n');
    mkdirSync(join(repo.top, 'nest'));
    repo.gitIn(join(repo.top, 'nest'), 'init', '-q');
    writeFileSync(join(repo.top, 'nest/y'), 'nested\n');
    const { notes, ref } = await rescueAt(repo.top);
    expect(ref).toBe(REF);
    expect(repo.gitIn(join(repo.top, 'mod'), 'show', `${REF}:x`)).toBe('in the module\n');
    expect(repo.gitIn(join(repo.top, 'nest'), 'show', `${REF}:y`)).toBe('nested\n');
    expect(Object.keys(notes).sort()).toEqual([
      'git-1.txt',
      'git-2.patch',
      'git-2.txt',
      'git-3.patch',
      'git-3.txt',
      'scrollback.txt',
    ]);
    await expect(rescueAt(repo.top, { policy: { ...HANDS, maxRescueRepos: 2 } }, { dance: 'dog-2' })).rejects.toThrow(
      'more than 2 repositories',
    );
  });

  test('work that flags of the index hide, and a change within the second of the last add', async () => {
    repo.commit('assumed', '1\n');
    repo.commit('skipped', '1\n');
    repo.git('update-index', '--assume-unchanged', 'assumed');
    repo.git('update-index', '--skip-worktree', 'skipped');
    repo.write('assumed', '2\n');
    repo.write('skipped', '2\n');
    // Same size, same time as the index: only the index's own time tells that the file has to be read.
    repo.git('config', 'core.trustctime', 'false');
    const time = new Date(2026, 0, 1);
    utimesSync(repo.write('racy', '1\n'), time, time);
    repo.git('add', 'racy');
    utimesSync(repo.write('racy', '2\n'), time, time);
    utimesSync(join(repo.top, '.git/index'), time, time);
    await rescueAt(repo.top);
    expect(['assumed', 'skipped', 'racy'].map((name) => repo.kept(name))).toEqual(['2\n', '2\n', '2\n']);
    expect(repo.git('ls-files', '-v', 'assumed', 'skipped')).toBe('h assumed\nS skipped\n');
  });

  test('again under the same dance: the same work, the same commit; other work, and the first is still held', async () => {
    repo.commit('a', '1\n');
    repo.write('a', '2\n');
    await rescueAt(repo.top);
    const first = repo.git('rev-parse', REF).trim();
    await rescueAt(repo.top);
    expect(repo.git('rev-parse', REF).trim()).toBe(first);
    repo.write('a', '3\n');
    await rescueAt(repo.top);
    expect(repo.kept('a')).toBe('3\n');
    expect(repo.git('rev-list', REF)).toContain(first);
    repo.git('checkout', '-q', '--', 'a');
    repo.git('stash', 'apply', '-q', first);
    expect(readFileSync(join(repo.top, 'a'), 'utf8')).toBe('2\n');
    repo.git('checkout', '-q', '--', 'a');
    expect(await rescueAt(repo.top), 'clean by now').toMatchObject({ ref: REF });
    expect(repo.kept('a')).toBe('3\n');
  });

  test('the worktree of the session’s folder too, when the agent went elsewhere', async () => {
    const other = new Repo();
    other.write('b', 'there\n');
    repo.write('a', 'here\n');
    await rescueAt(other.top, { dirOf: () => Promise.resolve(repo.top) });
    expect([repo.kept('a'), other.kept('b')]).toEqual(['here\n', 'there\n']);
  });

  test('the worktree of a process that outlived its agent', async () => {
    const other = new Repo();
    other.write('b', 'there\n');
    const survivor = { pid: 77, started: 'x' };
    const cwdOf = ({ pid }: { pid: number }) => (pid === survivor.pid ? other.top : null);
    const dirOf = () => Promise.resolve(repo.top);
    const rescue = await rescueAt(null, { cwdOf, dirOf }, { also: [survivor] });
    expect([rescue.repos, rescue.files, other.kept('b')]).toEqual([2, 1, 'there\n']);
  });
});
