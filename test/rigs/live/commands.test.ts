/** `town rig` and `town polecat` as people type them, with a real town, tmux and git. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { LiveTown, until } from '../../crash/live.ts';
import { RigOn } from '../yard.ts';

let repo: RigOn;
let town: LiveTown;
beforeAll(async () => {
  repo = new RigOn();
  town = new LiveTown('[rig.shop]\nmax_polecats = 1\n');
  await town.up();
});

const dir = (): string => join(town.root, 'shop/polecats/nux');

async function says(words: string, code: number, text: string | RegExp, ...more: readonly string[]): Promise<void> {
  const { code: exit, stdout, stderr } = await town.cli.run(...words.split(' '), ...more);
  expect([words, exit]).toEqual([words, code]);
  expect(stdout + stderr).toMatch(text);
}

test('where the town starts agents by itself, work is what comes next', async () => {
  await says('rig add yard --agent sleep --repo', 0, 'next: town plan <file.md> --rig yard', repo.top);
  await says('rig remove yard', 0, 'yard');
});

test('a rig is added, found and refused twice; what is no repository or no name is refused', async () => {
  await says('polecat spawn shop nux -- sleep 1', 2, 'town rig add shop');
  await says('rig add shop', 2, 'town rig add shop <path>');
  await says('rig add shop --repo', 2, 'is no git repository', town.root);
  await says('rig add mail --repo', 2, 'is a folder of the town', repo.top);
  await says('rig add shop --repo', 0, 'town polecat spawn shop', repo.top);
  await says('rig add shop', 5, 'town rig remove shop', repo.top);
  await says('rig add shop /elsewhere --repo', 2, 'two folders', repo.top);
  expect(await town.cli.data('rig', 'list')).toMatchObject([
    { name: 'shop', repo: repo.top, max_polecats: 1, polecats: [] },
  ]);
  expect(await town.cli.data('rig', 'show', 'shop')).toMatchObject({ name: 'shop' });
  await says('rig show shpo', 2, 'did you mean shop?');
});

test('a remote that no worktree would find is refused with the line that mends it', async () => {
  const other = new RigOn();
  other.git('remote', 'set-url', 'origin', '../origin.git');
  const line = `git -C ${other.top} remote set-url origin ${other.origin}`;
  await says('rig add near --repo', 5, line, other.top);
  execFileSync('/bin/sh', ['-c', line]);
  await says('rig add near --repo', 0, 'town polecat spawn near', other.top);
  other.git('remote', 'set-url', 'origin', '../origin.git');
  await says('rig set near --remote', 5, line);
  await says('rig remove near', 0, 'near');
});

test('a rig with open work is forgotten by force alone, and what it has is named', async () => {
  await says('rig add barn --repo', 0, 'barn', repo.top);
  const made = async (title: string): Promise<string> =>
    (await town.cli.data<{ id: string }>('bead', 'create', title, '--rig', 'barn')).id;
  const [done, open] = [await made('sweep'), await made('mop')];
  await says(`bead hook ${done} barn/refinery`, 0, '');
  const left = `the rig barn has finished work that waits for its merge (${done}) and open beads (${open}); `;
  const { code, stderr } = await town.cli.run('rig', 'remove', 'barn');
  expect([code, stderr]).toEqual([5, expect.stringContaining(left)]);
  expect(stderr).toContain('town rig remove barn --force');
  await says(`bead close ${done}`, 0, '');
  await says('rig remove barn', 5, open);
  await says('rig remove barn --force', 0, 'stays as it is');
  await says(`bead close ${open}`, 0, '');
});

// Rules: R-1, F-4.
test('a rig that cannot be added for its base is added by the line that its refusal says', async () => {
  const place = `rig add barn ${repo.top}`;
  await says(`${place} --base nope`, 1, `has no branch nope; name it: town ${place} --base <branch>`);
  await says(`${place} --base main`, 0, 'barn');
  await says('rig remove barn', 0, 'barn');
});

test('a repository or a remote with a branch called polecat is refused in a sentence that says what to type', async () => {
  repo.git('push', '-q', 'origin', 'main:refs/heads/polecat');
  repo.git('update-ref', '-d', 'refs/remotes/origin/polecat');
  const there = /the remote origin has a branch polecat, beside which .*: git push origin .*:polecat, then git fetch/;
  await says('rig add barn --repo', 5, there, repo.top);
  repo.git('push', '-q', 'origin', ':polecat');
  repo.git('branch', 'polecat');
  await says(
    'rig add barn --repo',
    5,
    /has a branch polecat, beside which .*: git branch -m polecat <other>/,
    repo.top,
  );
  repo.git('branch', '-D', 'polecat');
  await says('rig show barn', 2, 'barn');
});

// Rules: R-1.
test('a rig shows its remote and its main branch, which can be named, and its agents are given it', async () => {
  const shown = await town.cli.data<{ base: string; base_commit: string }>('rig', 'show', 'shop');
  expect(shown).toMatchObject({ base: 'main', base_is: 'fetched', remote: { name: 'origin', url: repo.origin } });
  expect(shown.base_commit).toBe(repo.git('rev-parse', 'main').trim());
  await says('rig show shop', 0, /main branch +main at [0-9a-f]{12}, as just fetched/);
  await says('rig set shop', 2, '--base <branch> or --remote');
  await says('rig set shop --base', 1, 'origin has no branch nowhere', 'nowhere');
  repo.git('push', '-q', 'origin', 'main:develop');
  await says('rig set shop --base develop', 0, /work begins at develop at [0-9a-f]{12}/);
  const out = join(town.root, 'base-of-nux');
  const command = ['sh', '-c', `echo "$TOWN_BASE" > ${out}; exec sleep 1000`];
  await says('polecat spawn shop nux --', 0, /which begins with develop at [0-9a-f]{12}/, ...command);
  await until(() => existsSync(out) && readFileSync(out, 'utf8') === 'develop\n');
  await says('session stop gt-shop-nux --force', 0, '');
  await says('polecat nuke shop/nux', 0, '');
  await says('rig set shop --base', 0, 'work begins at main', '');
});

// Rules: R-1.
test('an agent that sets another remote takes nothing along: one alert says what to type, and ends with its cause', async () => {
  await says('polecat spawn shop nux --', 0, '', 'sleep', '1000');
  const evil = join(repo.root, 'evil.git');
  repo.gitIn(repo.root, 'clone', '-q', '--bare', repo.origin, evil);
  repo.gitIn(dir(), 'remote', 'set-url', 'origin', evil);
  const open = async (): Promise<string[]> =>
    (await town.cli.data<{ episode: string; text: string }[]>('alerts', 'list'))
      .filter(({ episode }) => episode.startsWith('remote-changed/'))
      .map(({ text }) => text);
  for (let cycles = 0; cycles < 3; cycles += 1) await town.cli.data('witness', 'patrol', 'shop');
  await until(async () => (await open()).length > 0);
  expect(await open()).toEqual([expect.stringContaining('put it back: git -C')]);
  await says('rig show shop', 0, 'town rig set shop --remote');
  await says('session stop gt-shop-nux --force', 0, '');
  await says('polecat nuke shop/nux', 5, 'town rig set shop --remote');
  repo.gitIn(dir(), 'remote', 'set-url', 'origin', repo.origin);
  await town.cli.data('witness', 'patrol', 'shop');
  await until(async () => (await open()).length === 0);
  await says('polecat nuke shop/nux', 0, '');
});

test('a polecat runs in its worktree, has its mail, is refused to go while it lives, and goes when all is elsewhere', async () => {
  await says('polecat spawn shop nux --bead gt-1 -- sleep 1', 2, 'there is no bead');
  const command = ['sh', '-c', 'cat "$TOWN_PROMPT_FILE" > built; exec sleep 1000'];
  const spawned = await town.cli.data('polecat', 'spawn', 'shop', 'nux', '--', ...command);
  expect(spawned).toMatchObject({ session: 'gt-shop-nux', branch: 'polecat/nux', step: 'running' });
  expect(town.tmux('list-sessions', '-F', '#{session_name}')).toContain('gt-shop-nux');
  await says('polecat spawn shop max --', 5, 'max_polecats', ...command);
  expect(await town.cli.data('polecat', 'list', 'shop')).toMatchObject([
    { name: 'nux', session_state: 'lives', screen: 'running', asks: null, ahead: 0, last_commit_at: null, title: null },
  ]);
  await says('polecat list', 0, /^POLECAT +AGENT +AGE .*\nshop\/nux +running +\d+ s +- +0 +- +\S+ +-\n/);

  await town.cli.run('mail', 'send', 'gt-shop-nux', '--subject', 'by session');
  await town.cli.run('mail', 'send', 'shop/nux', '--subject', 'by name');
  const inbox = await town.cli.data<{ to: string; subject: string }[]>('mail', 'inbox', '--for', 'shop/polecats/nux');
  expect(inbox.map((one) => [one.to, one.subject]).sort()).toEqual([
    ['shop/polecats/nux', 'by name'],
    ['shop/polecats/nux', 'by session'],
  ]);

  await says('polecat nuke shop/nux', 5, 'town session stop gt-shop-nux');
  await says('session stop gt-shop-nux --force', 0, '');
  await says('polecat nuke shop/nux', 5, '1 untracked file');
  const state = await town.cli.data('polecat', 'git-state', 'shop/nux');
  expect(state).toMatchObject({ states: ['dirty'], may: 'keep', untracked: ['built'] });
  writeFileSync(join(dir(), '.env'), 'KEY=1\n');
  await says('polecat git-state shop/nux', 0, 'COMMIT_AND_PUSH is refused now: ".env" (6 bytes) looks like a secret');
  rmSync(join(dir(), '.env'));
  expect(readFileSync(join(dir(), 'built'), 'utf8')).toMatch(/^You are the polecat nux of the rig shop: /);
  writeFileSync(join(dir(), '.gitignore'), 'built\n');
  execFileSync('git', ['-C', dir(), '-c', 'user.name=n', '-c', 'user.email=e', 'commit', '-qam', 'ignores']);
  await says('polecat nuke shop/nux', 5, '--push');
  await says('rig remove shop', 5, 'town polecat nuke shop/nux');
  expect(await town.cli.data('polecat', 'nuke', 'shop/nux', '--push')).toMatchObject({
    ignored: ['built'],
    branch: null,
  });
  expect(existsSync(dir())).toBe(false);
  expect(await town.cli.data('polecat', 'list')).toEqual([]);
  expect(town.cli.record('gt-shop-nux')).toBeNull();
  await says('polecat status shop/nux', 2, 'no polecat');
  await says('rig remove shop', 0, 'stays as it is');
});

test('a rig whose repository is not there hides no other polecat, and is told as what it is', async () => {
  const other = new RigOn();
  await town.cli.run('rig', 'add', 'gone', '--repo', other.top);
  await town.cli.run('polecat', 'spawn', 'gone', 'ace', '--', 'sleep', '1000');
  renameSync(other.top, `${other.top}-moved`);
  await says('polecat list', 0, /gone\/ace .* unknown/);
  await says('polecat git-state gone/ace', 0, `${join(other.top, '.git')} is not there; put it back there`);
});
