/** With what a polecat's branch begins: main as the remote has it, or what was saved of an earlier attempt, and what it reads of that. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import { spawn } from '../../../src/rigs/spawn.ts';
import { nuke } from '../../../src/rigs/nuke.ts';
import type { Standing } from '../../../src/rigs/sessions.ts';
import { treesOf } from '../../../src/patrols/witness/trees.ts';
import { leaveToNext, saveAndPush } from '../../../src/rigs/uncommitted.ts';
import { EXIT, Failure } from '../../../src/terminal/failure.ts';
import { RigOn } from '../yard.ts';

let it: RigOn;
beforeEach(() => (it = new RigOn()));

const git = (...words: string[]): string => it.git(...words).trim();
const prompt = (name = 'nux'): string => readFileSync(join(it.town, `patrols/gt-shop-${name}.md`), 'utf8');
const from = (commit: string): Promise<PolecatRecord> =>
  spawn(it.at(), { rig: 'shop', name: 'nux', command: ['agent'], bead: null, from: commit, maxPolecats: 5 });

// Rules: R-1.
test('it begins with main of the remote, never with what a person has checked out', async () => {
  const commit = git('rev-parse', 'main');
  git('checkout', '-q', '-b', 'wip');
  it.commit('secret', 'not for others\n');
  git('update-ref', '-d', 'refs/remotes/origin/main');
  const record = await it.spawn();
  expect(record).toMatchObject({ base: commit, main: { branch: 'main', commit } });
  expect(it.gitIn(it.dirOf(), 'rev-parse', 'HEAD').trim()).toBe(commit);
  expect(prompt()).toContain(`begins with main at ${commit.slice(0, 12)}`);
  expect(it.notes).toEqual([]);
});

test('a remote that does not answer leaves what was fetched last, and says so', async () => {
  const commit = git('rev-parse', 'main');
  it.gitIn(it.root, 'init', '-q', '--bare', 'other');
  git('config', `url.${it.root}/away.insteadOf`, it.origin);
  expect((await it.spawn()).base).toBe(commit);
  // A person fetched it; when, no log of the town's own tells.
  expect(it.notes).toEqual([
    expect.stringMatching(
      /^work begins at main at \w{12}, as this repository has it, since when is not known: the remote does not answer/,
    ),
  ]);
});

describe('a commit that a person names', () => {
  // Rules: R-1.
  test('is refused while it is on no remote, and nothing is made', async () => {
    git('checkout', '-q', '-b', 'wip');
    it.commit('wip', 'mine\n');
    const refusal = {
      exit: EXIT.refused,
      code: 'unpublished',
      message: expect.stringContaining('push it first') as string,
    };
    await expect(from('wip')).rejects.toMatchObject(refusal);
    expect(await it.records.polecat({ rig: 'shop', name: 'nux' })).toBeNull();
    // Pushed, by whichever way it came there.
    git('push', '-q', 'origin', 'wip');
    expect((await from('wip')).base).toBe(git('rev-parse', 'wip'));
  });

  // Rules: R-1.
  test('is refused where only a forged tracking ref names it, and where the remote does not answer', async () => {
    git('checkout', '-q', '-b', 'wip');
    it.commit('wip', 'mine\n');
    git('update-ref', 'refs/remotes/origin/x', 'wip');
    await expect(from('wip')).rejects.toMatchObject({ code: 'unpublished' });
    git('push', '-q', 'origin', 'wip');
    git('config', `url.${it.root}/away.insteadOf`, it.origin);
    await expect(from('wip')).rejects.toThrow(/not known whether "wip" is on origin/);
  });

  test('counts as it is where there is no remote', async () => {
    it = new RigOn({ remote: false });
    git('checkout', '-q', '-b', 'wip');
    it.commit('wip', 'mine\n');
    expect((await from('wip')).base).toBe(git('rev-parse', 'wip'));
  });

  test('that is not there is refused', async () => {
    await expect(from('nowhere')).rejects.toMatchObject({ exit: EXIT.usage, code: 'no_commit' });
  });
});

describe('a second attempt', () => {
  /** The first one's work: a commit of its own, pushed or not. */
  async function first(isPushed = true): Promise<{ base: string; commit: string }> {
    const { base } = await it.spawn('one', {}, 'gt-1');
    const at = it.dirOf('one');
    it.gitIn(at, 'commit', '-q', '--allow-empty', '-m', 'begun');
    it.write('../work-file', 'work\n');
    it.gitIn(at, 'commit', '-q', '--allow-empty', '-m', 'and done');
    if (isPushed) it.gitIn(at, 'push', '-q', 'origin', 'HEAD');
    return { base, commit: it.gitIn(at, 'rev-parse', 'HEAD').trim() };
  }
  const second = (name = 'two'): Promise<PolecatRecord> => it.spawn(name, {}, 'gt-1');
  /** COMMIT_AND_PUSH was chosen for what it left. */
  async function saved(name = 'one'): Promise<string> {
    const record = await it.records.polecat({ rig: 'shop', name });
    if (record === null) throw new Error(`there is no ${name}`);
    writeFileSync(join(it.dirOf(name), `left-by-${name}`), 'left\n');
    await saveAndPush(it.at(), record, 'what it left');
    return git('rev-parse', `polecat/${name}`);
  }

  test('begins with main as it is by then, and reads which branch was tried before', async () => {
    const { base, commit } = await first();
    git('checkout', '-q', 'main');
    it.commit('other', 'merged meanwhile\n');
    git('push', '-q', 'origin', 'main');
    const main = git('rev-parse', 'main');
    git('update-ref', 'refs/remotes/origin/main', base);
    expect((await second()).base).toBe(main);
    expect(prompt('two')).toContain('one tried this before, on the branch polecat/one.');
    expect(prompt('two')).toContain(`git log -p ${base.slice(0, 12)}..${commit.slice(0, 12)}`);
  });

  // Rules: R-1.
  describe('of a branch that the repository has no more', () => {
    const away = async (name = 'one'): Promise<void> => {
      const record = await it.records.polecat({ rig: 'shop', name });
      if (record !== null) await nuke(it.at(), record, { pushes: false });
    };
    test('reads what the remote has of it', async () => {
      const { base, commit } = await first();
      await away();
      git('update-ref', '-d', 'refs/remotes/origin/polecat/one');
      await second();
      expect(prompt('two')).toContain(`git log -p ${base.slice(0, 12)}..${commit.slice(0, 12)}`);
    });
    test('reads nothing of what a tracking ref keeps', async () => {
      const { commit } = await first();
      await away();
      it.gitIn(it.origin, 'branch', '-D', 'polecat/one');
      git('update-ref', 'refs/remotes/origin/polecat/one', commit);
      await second();
      expect(prompt('two')).toContain('That branch is not there any more: begin anew.');
    });
    test('reads that it is not known where the remote does not answer', async () => {
      await first();
      await away();
      renameSync(it.origin, `${it.origin}.away`);
      await second();
      expect(prompt('two')).toContain('what the remote has of it is not known');
    });
  });

  // Rules: P-13.
  test('begins with what was saved, and so does a third, after any end of the second', async () => {
    await first();
    const commit = await saved();
    expect((await second()).base).toBe(commit);
    expect(prompt('two')).toContain('Your branch goes on with it');
    expect((await second('three')).base).toBe(commit);
    const more = await saved('three');
    expect((await second('four')).base).toBe(more);
  });

  test('begins with main where that has what was saved', async () => {
    await first();
    const commit = await saved();
    it.gitIn(it.origin, 'update-ref', 'refs/heads/main', commit);
    expect(await second()).toMatchObject({ base: commit, main: { commit } });
    expect(prompt('two')).toContain('main has its commits up to');
  });

  test('begins with all that was saved while main has only the last of it', async () => {
    await first();
    await saved();
    await second();
    const commit = await saved('two');
    git('checkout', '-q', 'main');
    git('cherry-pick', commit);
    git('push', '-q', 'origin', 'main');
    expect((await second('three')).base).toBe(commit);
  });

  test('is not merged while main has only its own commits, and not what was saved before', async () => {
    await first();
    await saved();
    const record = await second();
    const commit = await saved('two');
    git('checkout', '-q', 'main');
    git('cherry-pick', commit);
    git('push', '-q', 'origin', 'main');
    const trees = treesOf(it.at());
    expect(await trees.left(record, await trees.look(record))).toMatchObject({ is: 'work', commit });
  });

  // Rules: R-1.
  test('does not bring back what a forced push took out of main', async () => {
    const old = git('rev-parse', 'main~1');
    const { base } = await first();
    const commit = await saved();
    it.gitIn(it.origin, 'update-ref', 'refs/heads/main', old);
    expect((await second()).base).toBe(old);
    expect(prompt('two')).toContain(`git cherry-pick ${base.slice(0, 12)}..${commit.slice(0, 12)}`);
    expect(prompt('two')).toContain('Never merge or push that branch');
  });

  describe('in the worktree that the first one left (CONTINUE)', () => {
    const left = async (): Promise<PolecatRecord> => {
      const record = await it.records.polecat({ rig: 'shop', name: 'one' });
      if (record === null) throw new Error('there is no one');
      return record;
    };

    // Rules: P-13.
    test('finds everything as it was, in a life of its own', async () => {
      const { commit } = await first(false);
      writeFileSync(join(it.dirOf('one'), 'never-committed'), 'mine\n');
      const before = await left();
      await leaveToNext(it.at(), before);
      await leaveToNext(it.at(), await left());
      expect((await left()).step).toBe('left');
      const record = await it.spawn('one', {}, 'gt-1');
      expect(record).toMatchObject({ step: 'running', base: before.base });
      expect(record.uuid).not.toBe(before.uuid);
      expect(it.gitIn(it.dirOf('one'), 'rev-parse', 'HEAD').trim()).toBe(commit);
      expect(it.gitIn(it.dirOf('one'), 'status', '--porcelain').trim()).toBe('?? never-committed');
      expect(prompt('one')).toContain('An earlier agent began this in your worktree');
    });

    test('is for the same work alone', async () => {
      await first();
      await leaveToNext(it.at(), await left());
      await expect(it.spawn('one', {}, 'gt-2')).rejects.toMatchObject({ code: 'polecat_exists' });
    });

    test('waits on where the start is refused, with all that is in it', async () => {
      await first(false);
      writeFileSync(join(it.dirOf('one'), 'never-committed'), 'mine\n');
      await leaveToNext(it.at(), await left());
      const { yard } = it.at();
      const sessions = { ...yard.sessions, start: () => Promise.reject(new Failure(EXIT.refused, 'full', 'full')) };
      await expect(it.spawn('one', { sessions }, 'gt-1')).rejects.toMatchObject({ code: 'full' });
      expect((await left()).step).toBe('left');
      expect(it.gitIn(it.dirOf('one'), 'status', '--porcelain').trim()).toBe('?? never-committed');
    });

    test.each<[string, Partial<PolecatRecord>, Standing]>([
      ['it lives', {}, 'lives'],
      ['whether it lives is unknown', {}, 'unknown'],
      ['it had no work', { bead: null }, 'ended'],
      ['it goes', { step: 'leaving' }, 'ended'],
    ])('is refused where %s', async (_, more, standing) => {
      await first();
      const { yard } = it.at();
      const sessions = { ...yard.sessions, standing: () => Promise.resolve(standing) };
      await expect(leaveToNext(it.at({ sessions }), { ...(await left()), ...more })).rejects.toMatchObject({
        exit: EXIT.refused,
      });
      expect((await left()).step).toBe('running');
    });

    test('is nuked by hand like any other: what is nowhere else stays', async () => {
      await first(false);
      await leaveToNext(it.at(), await left());
      await expect(nuke(it.at(), await left(), { pushes: false })).rejects.toMatchObject({ code: 'unpushed' });
      expect((await left()).step).toBe('left');
    });
  });
});
