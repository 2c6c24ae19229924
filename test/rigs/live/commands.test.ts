/** `town rig` and `town polecat` as people type them, with a real town, tmux and git. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LiveTown } from '../../crash/live.ts';
import { RigOn } from '../yard.ts';

let repo: RigOn;
let town: LiveTown;
beforeAll(async () => {
  repo = new RigOn();
  town = new LiveTown('[rig.shop]\nmax_polecats = 1\n');
  await town.up();
});
afterAll(async () => {
  await town[Symbol.asyncDispose]();
  repo.end();
});

const dir = (): string => join(town.root, 'shop/polecats/nux');

/** Exit code and what was said. */
async function say(...words: string[]): Promise<[number | null, string]> {
  const { code, stdout, stderr } = await town.cli.run(...words);
  return [code, stdout + stderr];
}

test('a rig is added, found and refused twice; what is no repository or no name is refused', async () => {
  expect(await say('polecat', 'spawn', 'shop', 'nux', '--', 'sleep', '1')).toEqual([
    2,
    expect.stringContaining('town rig add shop'),
  ]);
  expect(await say('rig', 'add', 'shop', '--repo', town.root)).toEqual([
    2,
    expect.stringContaining('is no git repository'),
  ]);
  expect(await say('rig', 'add', 'mail', '--repo', repo.top)).toEqual([
    2,
    expect.stringContaining('is a folder of the town'),
  ]);
  expect(await say('rig', 'add', 'shop', '--repo', repo.top)).toEqual([
    0,
    expect.stringContaining('town polecat spawn shop'),
  ]);
  expect(await say('rig', 'add', 'shop', '--repo', repo.top)).toEqual([
    5,
    expect.stringContaining('town rig remove shop'),
  ]);
  expect(await town.cli.data('rig', 'list')).toMatchObject([
    { name: 'shop', repo: repo.top, max_polecats: 1, polecats: [] },
  ]);
  expect(await town.cli.data('rig', 'show', 'shop')).toMatchObject({ name: 'shop' });
  expect(await say('rig', 'show', 'shpo')).toEqual([2, expect.stringContaining('did you mean shop?')]);
});

test('a polecat runs in its worktree, has its mail, is refused to go while it lives, and goes when all is elsewhere', async () => {
  expect(await say('polecat', 'spawn', 'shop', 'nux', '--bead', 'gt-1', '--', 'sleep', '1')).toEqual([
    1,
    expect.stringContaining('there is no bead'),
  ]);
  const command = ['sh', '-c', 'cat "$TOWN_PROMPT_FILE" > built; exec sleep 1000'];
  const spawned = await town.cli.data('polecat', 'spawn', 'shop', 'nux', '--', ...command);
  expect(spawned).toMatchObject({ session: 'gt-shop-nux', branch: 'polecat/nux', step: 'running' });
  expect(town.tmux('list-sessions', '-F', '#{session_name}')).toContain('gt-shop-nux');
  expect(await say('polecat', 'spawn', 'shop', 'max', '--', ...command)).toEqual([
    5,
    expect.stringContaining('max_polecats'),
  ]);
  expect(await town.cli.data('polecat', 'list', 'shop')).toMatchObject([
    { name: 'nux', session_state: 'lives', git: { place: 'there' } },
  ]);

  await town.cli.run('mail', 'send', 'gt-shop-nux', '--subject', 'by session');
  await town.cli.run('mail', 'send', 'shop/nux', '--subject', 'by name');
  const inbox = await town.cli.data<{ to: string; subject: string }[]>('mail', 'inbox', '--for', 'shop/polecats/nux');
  expect(inbox.map((one) => [one.to, one.subject]).sort()).toEqual([
    ['shop/polecats/nux', 'by name'],
    ['shop/polecats/nux', 'by session'],
  ]);

  expect(await say('polecat', 'nuke', 'shop/nux')).toEqual([
    5,
    expect.stringContaining('town session stop gt-shop-nux'),
  ]);
  expect(await say('session', 'stop', 'gt-shop-nux', '--force')).toEqual([0, expect.anything()]);
  expect(await say('polecat', 'nuke', 'shop/nux')).toEqual([5, expect.stringContaining('1 untracked file')]);
  const state = await town.cli.data('polecat', 'git-state', 'shop/nux');
  expect(state).toMatchObject({ states: ['dirty'], may: 'keep', untracked: ['built'] });
  expect(readFileSync(join(dir(), 'built'), 'utf8')).toMatch(/^You are the polecat nux of the rig shop: /);
  writeFileSync(join(dir(), '.gitignore'), 'built\n');
  execFileSync('git', ['-C', dir(), '-c', 'user.name=n', '-c', 'user.email=e', 'commit', '-qam', 'ignores']);
  expect(await say('polecat', 'nuke', 'shop/nux')).toEqual([5, expect.stringContaining('--push')]);
  expect(await say('rig', 'remove', 'shop')).toEqual([5, expect.stringContaining('town polecat nuke shop/nux')]);
  expect(await town.cli.data('polecat', 'nuke', 'shop/nux', '--push')).toMatchObject({
    ignored: ['built'],
    branch: null,
  });
  expect(existsSync(dir())).toBe(false);
  expect(await town.cli.data('polecat', 'list')).toEqual([]);
  expect(town.cli.record('gt-shop-nux')).toBeNull();
  expect(await say('polecat', 'status', 'shop/nux')).toEqual([2, expect.stringContaining('no polecat')]);
  expect(await say('rig', 'remove', 'shop')).toEqual([0, expect.stringContaining('stays as it is')]);
});

test('a rig whose repository is not there hides no other polecat, and is told as what it is', async () => {
  const other = new RigOn();
  try {
    await say('rig', 'add', 'gone', '--repo', other.top);
    await say('polecat', 'spawn', 'gone', 'ace', '--', 'sleep', '1000');
    renameSync(other.top, `${other.top}-moved`);
    const [code, said] = await say('polecat', 'list');
    expect([code, said]).toEqual([0, expect.stringMatching(/gone\/ace .* unknown/)]);
    expect(await say('polecat', 'git-state', 'gone/ace')).toEqual([
      0,
      expect.stringContaining(`${join(other.top, '.git')} is not there; put it back there`),
    ]);
  } finally {
    other.end();
  }
});
