/** The remote of a rig is the one that it was added with: what a worktree's settings say by now takes nothing along. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { nuke } from '../../../src/rigs/nuke.ts';
import { holding } from '../../../src/rigs/lock.ts';
import { mainOf } from '../../../src/rigs/main-branch.ts';
import { remoteNow, remoteText, remoteTrouble } from '../../../src/rigs/remote.ts';
import { saveAndPush } from '../../../src/rigs/uncommitted.ts';
import { EXIT } from '../../../src/terminal/failure.ts';
import { treesOf } from '../../../src/patrols/witness/trees.ts';
import { RigOn } from '../yard.ts';

let it: RigOn;
let evil: string;
beforeEach(async () => {
  it = new RigOn();
  evil = join(it.root, 'evil.git');
  it.gitIn(it.root, 'clone', '-q', '--bare', it.origin, evil);
  it.remote = await remoteNow(it.rig);
});

const refusal = { exit: EXIT.refused, code: 'other_remote' };

/** Settings in a file beside those of the repository. */
function included(text: string): string[] {
  writeFileSync(join(it.top, '.git/more'), text);
  return ['config', 'include.path', 'more'];
}

const CHANGES = [
  ['set-url', () => ['remote', 'set-url', 'origin', evil], 'git -C .* remote set-url origin '],
  ['set-url --push', () => ['remote', 'set-url', '--push', 'origin', evil], 'pushes to .*evil.git by now'],
  ['a second address', () => ['remote', 'set-url', '--add', 'origin', evil], 'origin.git .*evil.git by now'],
  ['insteadOf', () => ['config', `url.${evil}.insteadOf`, it.origin], 'config --show-origin'],
  ['pushInsteadOf', () => ['config', `url.${evil}.pushInsteadOf`, it.origin], 'pushes to .*evil.git by now'],
  ['an included file', () => included(`[url "${evil}"]\n\tinsteadOf = ${it.origin}\n`), 'config --show-origin'],
  ['no remote any more', () => ['remote', 'remove', 'origin'], 'remote add origin '],
  ['another name', () => ['remote', 'rename', 'origin', 'mine'], 'has the remote mine by now'],
] as const;

// Rules: R-1.
test.each(CHANGES)('%s in a worktree: nothing begins, goes out or goes away', async (_, words, text) => {
  const record = await it.spawn();
  const dir = it.dirOf();
  it.gitIn(dir, 'commit', '-q', '--allow-empty', '-m', 'work');
  it.gitIn(dir, ...words());
  it.gitIn(dir, 'push', '-q', evil, 'HEAD:refs/heads/polecat/nux');
  it.git('update-ref', 'refs/remotes/origin/polecat/nux', 'polecat/nux');
  await expect(it.spawn('ace')).rejects.toMatchObject(refusal);
  for (const pushes of [false, true]) await expect(nuke(it.at(), record, { pushes })).rejects.toMatchObject(refusal);
  await expect(saveAndPush(it.at(), record, 'saved')).rejects.toMatchObject(refusal);
  const commit = it.git('rev-parse', 'polecat/nux').trim();
  expect(await treesOf(it.at()).merged([{ commit, base: null }])).toEqual(new Map());
  const trouble = await remoteTrouble(it.rig);
  expect(trouble).toMatch(new RegExp(text));
  expect(trouble).toContain('town rig set shop --remote');
  expect(it.gitIn(it.origin, 'branch', '--format=%(refname:short)').trim()).toBe('main');
  // A person takes it as it is.
  it.remote = await remoteNow(it.rig);
  expect(await remoteTrouble(it.rig)).toBeNull();
});

/** Of a rig that was added with it: the settings, and what takes them away. */
const OWN = [
  ['pushurl', () => [['config', 'remote.origin.pushurl', evil]], () => ['config', '--unset', 'remote.origin.pushurl']],
  [
    'insteadOf',
    () => [
      ['config', 'remote.origin.url', 'shop:'],
      ['config', `url.${evil}.insteadOf`, 'shop:'],
    ],
    () => ['config', '--remove-section', `url.${evil}`],
  ],
  [
    'pushInsteadOf',
    () => [['config', `url.${evil}.pushInsteadOf`, it.origin]],
    () => ['config', '--remove-section', `url.${evil}`],
  ],
] as const;

// Rules: R-1.
test.each(OWN)('%s that is on record counts, and nothing goes out once it is gone', async (_, set, unset) => {
  for (const words of set()) it.git(...words);
  it.remote = await remoteNow(it.rig);
  expect(it.remote?.pushUrl).toBe(evil);
  const record = await it.spawn();
  const work = (): string => it.gitIn(it.dirOf(), 'commit', '-q', '--allow-empty', '-m', 'work');
  work();
  await saveAndPush(it.at(), record, 'saved');
  expect(it.gitIn(evil, 'branch', '--format=%(refname:short)')).toContain('polecat/nux');
  it.git(...unset());
  work();
  await expect(saveAndPush(it.at(), record, 'saved')).rejects.toMatchObject(refusal);
  await expect(it.spawn('ace')).rejects.toMatchObject(refusal);
  for (const pushes of [false, true]) await expect(nuke(it.at(), record, { pushes })).rejects.toMatchObject(refusal);
});

test('an included file that changes later is seen, by the patrol too', async () => {
  it.git(...included(''));
  expect(await remoteTrouble(it.rig)).toBeNull();
  included(`[url "${evil}"]\n\tinsteadOf = ${it.origin}\n`);
  expect(await remoteTrouble(it.rig)).toContain('evil.git by now');
});

test("a person's own settings that change later are seen, by the patrol too", async () => {
  vi.stubEnv('HOME', it.root);
  vi.stubEnv('XDG_CONFIG_HOME', undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await remoteTrouble(it.rig)).toBeNull();
  writeFileSync(join(it.root, '.gitconfig'), `[url "${evil}"]\n\tinsteadOf = ${it.origin}\n`);
  expect(await remoteTrouble(it.rig)).toContain('evil.git by now');
});

test('settings that did not change are compared without git', async () => {
  vi.stubEnv('PATH', it.root);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await remoteNow(it.rig)).toEqual(it.remote);
  it.git('remote', 'set-url', 'origin', evil);
  await expect(remoteNow(it.rig)).rejects.toMatchObject({ code: 'no_remote' });
});

test('what is put back is in order again', async () => {
  expect(await remoteTrouble(it.rig)).toBeNull();
  it.git('remote', 'set-url', 'origin', evil);
  expect(await remoteTrouble(it.rig)).not.toBeNull();
  it.git('remote', 'set-url', 'origin', it.origin);
  expect(await remoteTrouble(it.rig)).toBeNull();
});

test.each(['branch.polecat/nux.pushRemote', 'remote.pushDefault', 'branch.polecat/nux.remote'])(
  '%s of the repository chooses no remote',
  async (key) => {
    const record = await it.spawn();
    it.git('remote', 'add', 'evil', evil);
    it.gitIn(it.dirOf(), 'config', key, 'evil');
    writeFileSync(join(it.dirOf(), 'work'), 'work\n');
    await saveAndPush(it.at(), record, 'saved');
    expect(it.gitIn(it.origin, 'branch', '--format=%(refname:short)')).toContain('polecat/nux');
    expect(it.gitIn(evil, 'branch', '--format=%(refname:short)')).not.toContain('polecat/nux');
  },
);

test('a record of an older town is completed by the next work on the rig, which says so once', async () => {
  const { remote: _, ...old } = it.rig;
  await it.records.saveRig(old);
  const { yard } = it.at();
  expect(await holding(yard, old, ({ rig }) => Promise.resolve(rig.remote))).toEqual(it.remote);
  await holding(yard, old, () => Promise.resolve());
  expect(it.notes).toEqual([expect.stringMatching(/^the remote of the rig shop is on record from now on: origin, /)]);
  expect((await it.records.rig('shop'))?.remote).toEqual(it.remote);
});

test('a rig that was added without a remote has none until a person says so', async () => {
  it = new RigOn({ remote: false });
  it.remote = null;
  const { commit } = await mainOf(it.rig);
  it.git('remote', 'add', 'origin', evil);
  await expect(mainOf(it.rig)).rejects.toMatchObject(refusal);
  it.git('remote', 'remove', 'origin');
  expect(await mainOf(it.rig)).toMatchObject({ commit, source: 'local' });
});

test('a new token in a web address is the same remote, and none is on record', async () => {
  const web = (token: string): string => it.git('remote', 'set-url', 'origin', `https://${token}@example.com/shop.git`);
  web('max:0ld');
  it.remote = await remoteNow(it.rig);
  expect(JSON.stringify(it.remote)).not.toContain('0ld');
  web('n3w');
  expect(await remoteTrouble(it.rig)).toBeNull();
  it.git('remote', 'set-url', 'origin', 'https://n3w@example.org/shop.git');
  expect(await remoteTrouble(it.rig)).toContain('https://example.org/shop.git');
});

test('a name and a password in an address are never shown', () => {
  const url = 'https://max:s3cret@example.com/shop.git';
  expect(remoteText({ name: 'origin', url, pushUrl: url })).toBe('origin, https://example.com/shop.git');
});
