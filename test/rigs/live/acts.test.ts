import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import { mainOf } from '../../../src/rigs/main-branch.ts';
import { nuke, optionsOf } from '../../../src/rigs/nuke.ts';
import { foldersOf, lookIn } from '../../../src/rigs/place.ts';
import type { RigRecords } from '../../../state/rigs/records.ts';
import { EXIT, Failure } from '../../../src/terminal/failure.ts';
import { RigOn } from '../yard.ts';

let it: RigOn;
beforeEach(() => (it = new RigOn()));

const refused = (code: string) => expect.objectContaining({ exit: EXIT.refused, code }) as Error;
const polecat = { rig: 'shop', name: 'nux' };
const promptFile = (): string => join(it.town, 'patrols/gt-shop-nux.md');
const branches = (): string => it.git('branch', '--format=%(refname:short)').trim();

describe('a spawn', () => {
  test('makes worktree and branch, hooks the bead, then starts the agent', async () => {
    const record = await it.spawn('nux', {}, 'gt-1');
    expect(record).toMatchObject({ step: 'running', bead: 'gt-1' });
    expect(await it.records.polecat(polecat)).toEqual(record);
    expect(it.done).toEqual(['hook gt-1 shop/polecats/nux', 'start nux']);
    expect(readFileSync(promptFile(), 'utf8')).toContain('Your work is the bead gt-1.');
    expect(it.gitIn(it.dirOf(), 'status', '--porcelain', '--branch')).toBe('## polecat/nux\n');
    expect(readdirSync(it.dirOf()).sort()).toEqual(['.git', '.gitignore', 'deep', 'file']);
  });

  test('is refused where the name, the branch, the folder or the place is taken, and leaves nothing', async () => {
    await it.spawn('nux');
    await expect(it.spawn('nux')).rejects.toThrow(refused('polecat_exists'));
    it.git('branch', 'polecat/max');
    await expect(it.spawn('max')).rejects.toThrow(refused('branch_taken'));
    mkdirSync(it.dirOf('joe'));
    await expect(it.spawn('joe')).rejects.toThrow(refused('folder_taken'));
    await expect(it.spawn('witness')).rejects.toThrow(expect.objectContaining({ exit: EXIT.usage }) as Error);
    for (const name of ['a', 'b', 'c', 'd']) await it.spawn(name);
    const work = (name: string) => Promise.resolve(name === 'gt-shop-e' ? ('none' as const) : ('lives' as const));
    const sessions = { ...it.at().yard.sessions, standing: work };
    await expect(it.spawn('e', { sessions })).rejects.toThrow(refused('rig_full'));
    expect((await it.records.polecats()).found).toHaveLength(5);
  });

  // Rules: P-8.
  test('has room beside those that ended, whose worktrees wait for a decision', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await it.spawn(name);
    await it.spawn('f');
    expect((await it.records.polecats()).found).toHaveLength(6);
  });

  test.each(['hook', 'start'] as const)('whose %s is refused leaves nothing behind', async (what) => {
    const no = () => Promise.reject(new Failure(EXIT.refused, 'no', 'no'));
    const { hooks, sessions } = it.at().yard;
    const more = what === 'hook' ? { hooks: { ...hooks, hook: no } } : { sessions: { ...sessions, start: no } };
    await expect(it.spawn('nux', more, 'gt-1')).rejects.toThrow(refused('no'));
    expect(existsSync(it.dirOf()) || existsSync(promptFile())).toBe(false);
    expect(branches()).toBe('main');
    expect(await it.records.polecat(polecat)).toBeNull();
    const hooked = it.done.filter((text) => text.includes('hook gt-1'));
    const pair = ['hook gt-1 shop/polecats/nux', 'unhook gt-1 shop/polecats/nux'];
    expect(hooked).toEqual(what === 'hook' ? [] : pair);
    await it.spawn('nux');
  });

  test('goes on beside a folder of a stranger no further than it must: what lies there stays', async () => {
    await it.records.savePolecat({ ...(await it.spawn('nux')), step: 'intended' });
    it.git('worktree', 'remove', it.dirOf());
    mkdirSync(it.dirOf());
    writeFileSync(join(it.dirOf(), 'mine'), 'precious');
    await expect(it.spawn('nux')).rejects.toThrow(refused('folder_taken'));
    expect(readdirSync(it.dirOf())).toEqual(['mine']);
  });

  test('begins where the remote does', async () => {
    it.git('remote', 'set-head', 'origin', 'main');
    it.commit('more', 'local only\n');
    await it.spawn('nux');
    expect(existsSync(join(it.dirOf(), 'more'))).toBe(false);
  });
});

describe('a town that was moved', () => {
  const moved = (): string => join(it.root, 'moved');
  const look = async (root: string, record: PolecatRecord) => {
    const at = it.at({ root });
    return lookIn(at, record, await optionsOf(at, record));
  };

  // Rules: P-6.
  test('takes its worktrees along: git knows where they stand', async () => {
    const record = await it.spawn('nux');
    writeFileSync(join(it.dirOf(), 'new'), 'work\n');
    renameSync(it.town, moved());
    expect(await look(moved(), record)).toMatchObject({ place: 'there', untracked: ['new'], branch: 'polecat/nux' });
    expect(it.git('worktree', 'prune', '--expire', 'now', '--verbose')).toBe('');
    rmSync(join(moved(), 'shop/polecats/nux/new'));
    renameSync(moved(), it.town);
    await nuke(it.at(), record, { pushes: false });
    expect(existsSync(it.dirOf())).toBe(false);
  });

  // Rules: P-6.
  test('is no copy of it: the first one keeps its worktrees', async () => {
    const record = await it.spawn('nux');
    cpSync(it.town, moved(), { recursive: true });
    expect(await look(moved(), record)).toMatchObject({
      place: 'wrong',
      why: expect.stringContaining(it.dirOf()) as string,
    });
    expect(await look(it.town, record)).toMatchObject({ place: 'there' });
  });
});

describe('a nuke', () => {
  const goneBy = async (records: RigRecords, pushes = false) =>
    nuke(it.at({ records }), (await it.records.polecat(polecat))!, { pushes });
  const gone = (pushes = false) => goneBy(it.records, pushes);
  const putIn = (folder: string): void => writeFileSync(join(folder, 'late'), 'precious');
  /** Where the worktree stands while it goes. */
  const asideOf = (): string => join(dirname(it.dirOf()), readdirSync(dirname(it.dirOf()))[0] ?? '');
  /** Records whose every step of a polecat is followed by this; at the step `fatal` the process is killed instead. */
  const slipping = (react: (step: string) => unknown, fatal = ''): RigRecords => {
    const { records } = it;
    return Object.assign(Object.create(records) as RigRecords, {
      savePolecat: async (record: PolecatRecord) => {
        if (record.step === fatal) throw new Error('killed');
        await records.savePolecat(record);
        react(record.step);
      },
    });
  };
  const work = (): void => {
    writeFileSync(join(it.dirOf(), 'file'), 'second\n');
    it.gitIn(it.dirOf(), 'commit', '-qam', 'works');
  };

  test('takes worktree, branch, hook and record, and leaves the repository as it was', async () => {
    // The town's note of the main branch, which stays.
    await mainOf(it.rig);
    const before = it.git('for-each-ref');
    await it.spawn('nux', {}, 'gt-1');
    mkdirSync(join(it.dirOf(), 'built'));
    writeFileSync(join(it.dirOf(), 'built/x'), '');
    expect(await gone()).toEqual({ ignored: ['built/'], kept: null, branch: null });
    expect(it.git('for-each-ref')).toBe(before);
    expect(readdirSync(dirname(it.dirOf()))).toEqual([]);
    expect(it.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(it.done.slice(2)).toEqual(['unhook gt-1 shop/polecats/nux', 'forget gt-shop-nux']);
    expect(await it.records.polecat(polecat)).toBeNull();
  });

  // Rules: P-6.
  test('refuses what is nowhere else, pushes it where asked, then looks again', async () => {
    await it.spawn('nux');
    work();
    await expect(gone()).rejects.toThrow(refused('unpushed'));
    writeFileSync(join(it.dirOf(), 'new'), '');
    await expect(gone(true)).rejects.toThrow(refused('not_elsewhere'));
    expect(it.gitIn(it.origin, 'branch', '--format=%(refname:short)').trim()).toBe('main');
    rmSync(join(it.dirOf(), 'new'));
    expect(await gone(true)).toMatchObject({ branch: null });
    expect(it.gitIn(it.origin, 'show', 'polecat/nux:file')).toBe('second\n');
  });

  test('a push that fails touches nothing', async () => {
    await it.spawn('nux');
    work();
    rmSync(it.origin, { recursive: true });
    await expect(gone(true)).rejects.toThrow(refused('not_asked'));
    expect(existsSync(it.dirOf())).toBe(true);
    expect((await it.records.polecat(polecat))?.step).toBe('running');
  });

  test('keeps what only the reflog held', async () => {
    await it.spawn('nux');
    work();
    const lost = it.gitIn(it.dirOf(), 'rev-parse', 'HEAD').trim();
    it.gitIn(it.dirOf(), 'reset', '-q', '--hard', 'HEAD~1');
    const { kept } = await gone();
    expect(it.git('rev-list', kept ?? '').split('\n')).toContain(lost);
  });

  // Rules: P-6.
  test('sees what slips in while it goes, and puts it back', async () => {
    await it.spawn('nux');
    // Right after the first look.
    const late = slipping((step) => step === 'leaving' && putIn(it.dirOf()));
    await expect(goneBy(late)).rejects.toThrow(refused('not_elsewhere'));
    expect(readdirSync(it.dirOf())).toContain('late');
    expect(it.gitIn(it.dirOf(), 'status', '--porcelain')).toBe('?? late\n');
    rmSync(join(it.dirOf(), 'late'));
    await gone();
  });

  test('sees what slips in after the second look too: git refuses it', async () => {
    await it.spawn('nux');
    const late = slipping((step) => step === 'going' && putIn(asideOf()));
    await expect(goneBy(late)).rejects.toThrow(refused('not_elsewhere'));
    expect(it.gitIn(it.dirOf(), 'status', '--porcelain')).toBe('?? late\n');
    expect(await it.records.polecat(polecat)).toMatchObject({ step: 'running', tip: null });
  });

  test('that was cut off while it put the worktree back goes on as if nothing had been asked', async () => {
    await it.spawn('nux');
    const killed = slipping((step) => step === 'going' && putIn(asideOf()), 'running');
    await expect(goneBy(killed)).rejects.toThrow('killed');
    await expect(gone()).rejects.toThrow(refused('not_elsewhere'));
    expect(it.gitIn(it.dirOf(), 'status', '--porcelain')).toBe('?? late\n');
    rmSync(join(it.dirOf(), 'late'));
    await gone();
    expect(existsSync(it.dirOf())).toBe(false);
  });

  test.each(['leaving', 'going'] as const)(
    'that was cut off between a move and git knowing of it (%s)',
    async (step) => {
      const record = await it.spawn('nux');
      const { aside } = foldersOf(it.at(), record);
      const [from, to] = step === 'leaving' ? [aside, it.dirOf()] : [it.dirOf(), aside];
      const own = it.gitIn(it.dirOf(), 'rev-parse', '--absolute-git-dir').trim();
      writeFileSync(join(own, 'gitdir'), `${join(from, '.git')}\n`);
      if (to === aside) renameSync(it.dirOf(), aside);
      await it.records.savePolecat({ ...record, step, tip: record.base });
      await gone();
      expect(readdirSync(dirname(it.dirOf()))).toEqual([]);
      expect(it.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    },
  );

  // Rules: P-6.
  test('does not mind another worktree of the repository that is odd, and leaves that as it is', async () => {
    await it.spawn('nux');
    await it.spawn('odd');
    await it.spawn('torn');
    rmSync(join(it.dirOf('odd'), '.git'));
    mkdirSync(join(it.dirOf('odd'), '.git'));
    rmSync(join(it.dirOf('torn'), '.git'));
    await gone();
    expect(existsSync(it.dirOf())).toBe(false);
    expect(readdirSync(join(it.dirOf('odd'), '.git'))).toEqual([]);
    expect(readdirSync(it.dirOf('torn'))).not.toContain('.git');
  });

  test.each(['lives', 'unknown'] as const)('is refused while its session %s', async (standing) => {
    const record = await it.spawn('nux');
    const sessions = { ...it.at().yard.sessions, standing: () => Promise.resolve(standing) };
    await expect(nuke(it.at({ sessions }), record, { pushes: false })).rejects.toThrow(refused('session_lives'));
  });

  test('is refused while anybody works in it', async () => {
    const record = await it.spawn('nux');
    const at = it.at({ standingIn: () => Promise.resolve(['pid 7 (vim)']) });
    await expect(nuke(at, record, { pushes: false })).rejects.toThrow(refused('in_use'));
  });

  test('keeps a branch that another worktree has checked out, and says so', async () => {
    await it.spawn('nux');
    it.gitIn(it.dirOf(), 'switch', '-q', '--detach');
    it.git('switch', '-q', 'polecat/nux');
    expect(await gone()).toMatchObject({ branch: 'polecat/nux' });
    expect(branches()).toContain('polecat/nux');
  });

  test('with submodules that are pushed', async () => {
    await it.spawn('nux');
    const add = ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', it.origin, 'lib'];
    it.gitIn(it.dirOf(), ...add);
    it.gitIn(it.dirOf(), 'commit', '-qm', 'takes lib in');
    await gone(true);
    expect(existsSync(it.dirOf())).toBe(false);
  });

  test('of one without a remote: its beginning is held by the repository, its work is not', async () => {
    const local = new RigOn({ remote: false });
    const record = await local.spawn('nux');
    writeFileSync(join(local.dirOf(), 'file'), 'second\n');
    local.gitIn(local.dirOf(), 'commit', '-qam', 'works');
    await expect(nuke(local.at(), record, { pushes: false })).rejects.toThrow(refused('unpushed'));
    local.gitIn(local.dirOf(), 'reset', '-q', '--hard', 'HEAD~1');
    expect(await nuke(local.at(), record, { pushes: false })).toMatchObject({ branch: null });
  });
});
