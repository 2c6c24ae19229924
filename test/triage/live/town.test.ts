/**
 * What is chosen, carried out by a running town with a real rig: work is kept before anything goes, who lives is heard and not killed, and
 * who moved on is left alone.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TRIAGE } from '../../../machines/triage/policy.ts';
import { requestTriage } from '../../../src/triage/requests.ts';
import { openLedger } from '../../../state/ledger/sqlite.ts';
import { TestTown, until } from '../../cli/town.ts';

const LIMIT = { timeout: 240_000 };

let town: TestTown;
let repo: string;
const git = (dir: string, ...words: string[]): string =>
  execFileSync('git', ['-C', dir, '-c', 'user.name=t', '-c', 'user.email=t@t', ...words], {
    encoding: 'utf8',
    env: { ...town.env(), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
  }).trim();

beforeEach(async () => {
  town = new TestTown(
    '[patrol]\nactive = "1h"\nidle = "1h"\n[sessions]\nscan_every = "200ms"\n[nudge]\nevery = "100ms"\n[rig.shop]\nmax_polecats = 3\n',
  );
  repo = join(town.home, 'repo');
  const remote = join(town.home, 'remote.git');
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', remote]);
  execFileSync('git', ['init', '-q', '-b', 'main', repo]);
  writeFileSync(join(repo, 'README'), 'shop\n');
  git(repo, 'add', '.');
  git(repo, 'commit', '-qm', 'first');
  git(repo, 'remote', 'add', 'origin', remote);
  git(repo, 'push', '-q', '-u', 'origin', 'main');
  git(repo, 'remote', 'set-head', 'origin', 'main');
  expect((await town.run('up')).code).toBe(0);
  expect((await town.run('rig', 'add', 'shop', '--repo', repo)).code).toBe(0);
});
afterEach(async () => {
  await town.run('down', '--purge');
  town.tmux('kill-server');
  town.remove();
});

const bead = async (title: string): Promise<string> =>
  (await town.data<{ id: string }>('bead', 'create', title, '--rig', 'shop')).id;
const spawn = async (name: string, id: string, ...words: string[]): Promise<string> =>
  (await town.data<{ dir: string }>('polecat', 'spawn', 'shop', name, '--bead', id, '--', ...words)).dir;
async function ends(name: string): Promise<void> {
  town.tmux('kill-session', '-t', `=gt-shop-${name}`);
  await until(
    () => town.data<{ name: string; session_state: string }[]>('polecat', 'list', 'shop'),
    (all) => all.find((one) => one.name === name)?.session_state !== 'lives',
  );
}
/** As a witness asks. */
async function ask(type: 'dirty_polecat' | 'stuck_agent' | 'zombie_confirm', name: string): Promise<string> {
  const ledger = openLedger({ root: town.root, wall: Date.now });
  try {
    const about = { type, agent: `shop/polecats/${name}`, rig: 'shop', why: 'it is odd', by: 'shop/witness' } as const;
    return (await requestTriage(ledger, { ...about, now: Date.now(), policy: TRIAGE })).id;
  } finally {
    ledger.close();
  }
}
const show = async (id: string): Promise<{ status: string; assignee?: string; attempts?: number }> =>
  town.data('bead', 'show', id);

test(
  'DISCARD keeps what was uncommitted and unpushed under refs, then worktree and branch are gone',
  LIMIT,
  async () => {
    const dir = await spawn('nux', await bead('mend the parser'), 'sleep', '100000');
    writeFileSync(join(dir, 'committed'), 'in a commit\n');
    git(dir, 'add', '.');
    git(dir, 'commit', '-qm', 'not pushed');
    writeFileSync(join(dir, 'README'), 'changed\n');
    writeFileSync(join(dir, 'untracked'), 'never added\n');
    const id = await ask('dirty_polecat', 'nux');
    // While it lives nothing is thrown away.
    const early = await town.run('triage', 'resolve', id, 'DISCARD');
    expect(early).toMatchObject({ code: 5, stderr: expect.stringContaining('gt-shop-nux has not ended') as string });
    expect(existsSync(join(dir, 'untracked'))).toBe(true);
    await ends('nux');
    expect(await town.run('triage', 'resolve', id, 'DISCARD')).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(dir)).toBe(false);
    expect(git(repo, 'branch', '--list', 'polecat/nux')).toBe('');
    const ref = `refs/town/rescue/${id}`;
    expect(git(repo, 'show', `${ref}:untracked`)).toBe('never added');
    expect(git(repo, 'show', `${ref}:README`)).toBe('changed');
    expect(git(repo, 'show', `${ref}-commits:committed`)).toBe('in a commit');
    expect(await town.data('triage', 'show', id)).toMatchObject({
      state: 'closed',
      outcome: expect.stringContaining(ref) as string,
    });
  },
);

test('the running town asks the reasoner by itself, and does what it chose', LIMIT, async () => {
  const command = JSON.stringify([process.execPath, join(import.meta.dirname, '../programs/agent.ts'), 'works']);
  const more = `[triage]\nreasoner = "command"\ncommand = ${command}\n`;
  town.write('town.toml', `${town.read('town.toml').replaceAll('"1h"', '"500ms"')}${more}`);
  const id = await ask('stuck_agent', 'nux');
  expect((await town.run('restart')).code).toBe(0);
  await until(
    () => town.data<{ state: string }>('triage', 'show', id),
    ({ state }) => state === 'closed',
  );
  expect(await town.data('triage', 'show', id)).toMatchObject({ resolution: { choice: 'ESCALATE', by: 'triage' } });
  expect(await town.data('report')).toMatchObject({ model_calls: 1 });
  expect((await town.data<{ subject: string }[]>('mail', 'inbox')).map(({ subject }) => subject)).toEqual([
    '[HIGH] stuck_agent: shop/polecats/nux',
  ]);
});

test('COMMIT_AND_PUSH puts everything on its branch at the remote; then it is clean', LIMIT, async () => {
  const dir = await spawn('ada', await bead('paint'), 'sleep', '100000');
  writeFileSync(join(dir, 'half'), 'half done\n');
  await ends('ada');
  const id = await ask('dirty_polecat', 'ada');
  expect(await town.run('triage', 'resolve', id, 'COMMIT_AND_PUSH')).toMatchObject({ code: 0 });
  expect(git(join(town.home, 'remote.git'), 'show', 'polecat/ada:half')).toBe('half done');
  expect(git(dir, 'status', '--porcelain')).toBe('');
  expect(await town.run('polecat', 'nuke', 'shop/ada')).toMatchObject({ code: 0 });
});

test('NUDGE is typed, RESTART files a warrant, and one that moved on is left alone', LIMIT, async () => {
  const work = await bead('stand still');
  await spawn('cat', work, 'cat');
  const nudge = await ask('stuck_agent', 'cat');
  expect(await town.run('triage', 'resolve', nudge, 'NUDGE', '--note', 'any news')).toMatchObject({ code: 0 });
  await until(
    () => town.tmux('capture-pane', '-p', '-t', '=gt-shop-cat:'),
    (screen) => screen.includes('any news'),
  );
  const restart = await ask('zombie_confirm', 'cat');
  expect(await town.run('triage', 'resolve', restart, 'RESTART')).toMatchObject({ code: 0 });
  const warrants = await town.data<{ id: string; target: string; requester: string }[]>('warrant', 'list', '--all');
  expect(warrants).toMatchObject([{ id: `w-${restart}`, target: 'gt-shop-cat', requester: 'triage' }]);
  expect(await show(work)).toMatchObject({ status: 'hooked' });
  // Heard, not killed: it still runs.
  expect(await town.data('polecat', 'status', 'shop/cat')).toMatchObject({ session_state: 'lives' });
  expect(await town.run('triage', 'resolve', restart, 'CLOSE_BEAD')).toMatchObject({ code: 1 });
});

test('who is gone loses its work to the next one; who has none any more is spared', LIMIT, async () => {
  const [one, other] = [await bead('one'), await bead('other')];
  await spawn('eve', one, 'sleep', '100000');
  const id = await ask('zombie_confirm', 'eve');
  await ends('eve');
  expect(await town.run('triage', 'resolve', id, 'REASSIGN')).toMatchObject({ code: 0 });
  expect(await show(one)).toMatchObject({ status: 'open', attempts: 1 });
  await spawn('kim', other, 'sleep', '100000');
  const late = await ask('zombie_confirm', 'kim');
  await town.run('bead', 'close', other, '--reason', 'done');
  const spared = await town.run('triage', 'resolve', late, 'RESTART');
  expect(spared).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing was done') as string });
  expect(await town.data('warrant', 'list')).toEqual([]);
});
