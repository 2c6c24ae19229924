/**
 * What is chosen, carried out by a running town with a real rig: work is kept before anything goes, who lives is heard and not killed, and
 * who moved on is left alone.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { TRIAGE } from '../../../machines/triage/policy.ts';
import { requestTriage } from '../../../src/triage/requests.ts';
import { openLedger } from '../../../state/ledger/sqlite.ts';
import { until } from '../../cli/town.ts';
import { BY_HAND, Shop } from '../../patrols/shop.ts';

let town: Shop;
beforeEach(async () => {
  const heard = '[notify]\ncommand = ["sh", "-c", "cat >> \\"$HOME/heard\\"; echo >> \\"$HOME/heard\\""]\n';
  town = new Shop(`${BY_HAND}${heard}[nudge]\nevery = "100ms"\n[rig.shop]\nmax_polecats = 3\n`);
  await town.open();
});

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

// Rules: P-15.
test('DISCARD keeps what was uncommitted and unpushed under refs, then worktree and branch are gone', async () => {
  const bead = await town.bead('mend the parser');
  const dir = await town.polecat('nux', bead, 'sleep', '100000');
  writeFileSync(join(dir, 'committed'), 'in a commit\n');
  town.git(dir, 'add', '.');
  town.git(dir, 'commit', '-qm', 'not pushed');
  writeFileSync(join(dir, 'README'), 'changed\n');
  writeFileSync(join(dir, 'untracked'), 'never added\n');
  const id = await ask('dirty_polecat', 'nux');
  // While it lives nothing is thrown away.
  const early = await town.run('triage', 'resolve', id, 'DISCARD');
  expect(early).toMatchObject({ code: 5, stderr: expect.stringContaining('gt-shop-nux has not ended') as string });
  expect(existsSync(join(dir, 'untracked'))).toBe(true);
  await town.ends('nux');
  expect(await town.run('triage', 'resolve', id, 'DISCARD')).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync(dir)).toBe(false);
  expect(town.git(town.repo, 'branch', '--list', 'polecat/nux')).toBe('');
  const ref = `refs/town/rescue/${id}`;
  expect(town.git(town.repo, 'show', `${ref}:untracked`)).toBe('never added');
  expect(town.git(town.repo, 'show', `${ref}:README`)).toBe('changed');
  expect(town.git(town.repo, 'show', `${ref}-commits:committed`)).toBe('in a commit');
  expect(await town.data('triage', 'show', id)).toMatchObject({
    state: 'closed',
    outcome: expect.stringContaining(ref) as string,
  });
  expect(await town.shown(bead)).toMatchObject({ status: 'open', attempts: 1 });
});

test('DISCARD touches nothing where another repository stands in the worktree', async () => {
  const dir = await town.polecat('nux', await town.bead('mend the parser'), 'sleep', '100000');
  const inner = join(dir, 'inner');
  mkdirSync(inner);
  town.git(inner, 'init', '-q');
  writeFileSync(join(inner, 'own'), 'of another history\n');
  town.git(inner, 'add', '.');
  town.git(inner, 'commit', '-qm', 'nowhere else');
  writeFileSync(join(dir, 'untracked'), 'never added\n');
  await town.ends('nux');
  const id = await ask('dirty_polecat', 'nux');
  const refused = await town.run('triage', 'resolve', id, 'DISCARD');
  expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('holds other repositories') as string });
  expect([existsSync(join(inner, 'own')), existsSync(join(dir, 'untracked'))]).toEqual([true, true]);
});

// Rules: P-14.
test('the running town asks the reasoner by itself, and does what it chose', async () => {
  const command = JSON.stringify([process.execPath, join(import.meta.dirname, '../programs/agent.ts'), 'works']);
  const more = `[triage]\ncommand = ${command}\n`;
  town.write('town.toml', `${town.read('town.toml').replaceAll('"240h"', '"500ms"')}${more}`);
  await town.polecat('nux', await town.bead('mend the parser'), 'sleep', '100000');
  const id = await ask('stuck_agent', 'nux');
  expect((await town.run('restart')).code).toBe(0);
  await until(async () => (await town.data<{ for_a_person: boolean }>('triage', 'show', id)).for_a_person);
  expect(await town.data('triage', 'show', id)).toMatchObject({ state: 'open', resolution: null });
  expect(await town.data('report')).toMatchObject({ model_calls: 1 });
  const asked = await town.data<{ text: string }[]>('questions');
  expect(asked.map(({ text }) => text)).toContainEqual(expect.stringContaining('stuck agent shop/polecats/nux'));
});

test('COMMIT_AND_PUSH puts everything on its branch at the remote; then it is clean', async () => {
  const dir = await town.polecat('ada', await town.bead('paint'), 'sleep', '100000');
  writeFileSync(join(dir, 'half'), 'half done\n');
  await town.ends('ada');
  const id = await ask('dirty_polecat', 'ada');
  expect(await town.run('triage', 'resolve', id, 'COMMIT_AND_PUSH')).toMatchObject({ code: 0 });
  expect(town.git(town.remote, 'show', 'polecat/ada:half')).toBe('half done');
  expect(town.git(dir, 'status', '--porcelain')).toBe('');
  expect(await town.run('polecat', 'nuke', 'shop/ada')).toMatchObject({ code: 0 });
});

const LISTED = 50;
// Rules: P-13, law 11.
test.each<[mode: string, files: number, code: string, isPushed: boolean]>([
  ['publishes', 1, '', true],
  ['publishes', LISTED, '', true],
  ['publishes', LISTED + 1, 'not all that COMMIT_AND_PUSH would publish was shown', false],
  ['adds', 1, 'has changed since it was shown', false],
])('a reasoner that %s %i files: only what its prompt showed is published', async (mode, files, why, isPushed) => {
  const command = JSON.stringify([process.execPath, join(import.meta.dirname, '../programs/agent.ts'), mode]);
  town.write('town.toml', `${town.read('town.toml')}[triage]\ncommand = ${command}\n`);
  const dir = await town.polecat('ada', await town.bead('paint'), 'sleep', '100000');
  for (let n = 0; n < files; n += 1) writeFileSync(join(dir, `half${String(n)}`), 'half done\n');
  await town.ends('ada');
  const id = await ask('dirty_polecat', 'ada');
  const { stdout } = await town.run('--json', 'triage', 'run');
  const seen = readFileSync(join(town.home, 'seen.json'), 'utf8');
  expect(`${stdout}${seen}`).toContain(why);
  expect(town.git(town.remote, 'branch', '--list', 'polecat/ada') !== '').toBe(isPushed);
  const one = await town.data<{ state: string; for_a_person: boolean }>('triage', 'show', id);
  expect(one.state).toBe(isPushed ? 'closed' : 'open');
  expect(one.for_a_person).toBe(mode === 'adds');
});

// Rules: P-15.
test('NUDGE is typed, RESTART files a warrant, and one that moved on is left alone', async () => {
  const work = await town.bead('stand still');
  await town.polecat('cat', work, 'cat');
  const nudge = await ask('stuck_agent', 'cat');
  expect(await town.run('triage', 'resolve', nudge, 'NUDGE', '--note', 'any news')).toMatchObject({ code: 0 });
  await until(() => town.tmux('capture-pane', '-p', '-t', '=gt-shop-cat:').includes('any news'));
  const restart = await ask('zombie_confirm', 'cat');
  expect(await town.run('triage', 'resolve', restart, 'RESTART')).toMatchObject({ code: 0 });
  const warrants = await town.data<{ id: string; target: string; requester: string }[]>('warrant', 'list', '--all');
  expect(warrants).toMatchObject([{ id: `w-${restart}`, target: 'gt-shop-cat', requester: 'triage' }]);
  expect(await town.shown(work)).toMatchObject({ status: 'hooked' });
  // Heard, not killed: it still runs.
  expect(await town.data('polecat', 'status', 'shop/cat')).toMatchObject({ session_state: 'lives' });
  expect(await town.run('triage', 'resolve', restart, 'CLOSE_BEAD')).toMatchObject({ code: 1 });
});

test('who is gone loses its work to the next one; who has none any more is spared', async () => {
  const [one, other] = [await town.bead('one'), await town.bead('other')];
  await town.polecat('eve', one, 'sleep', '100000');
  const id = await ask('zombie_confirm', 'eve');
  await town.ends('eve');
  expect(await town.run('triage', 'resolve', id, 'REASSIGN')).toMatchObject({ code: 0 });
  expect(await town.shown(one)).toMatchObject({ status: 'open', attempts: 1 });
  await town.polecat('kim', other, 'sleep', '100000');
  const late = await ask('zombie_confirm', 'kim');
  await town.run('bead', 'close', other, '--reason', 'done');
  const spared = await town.run('triage', 'resolve', late, 'RESTART');
  expect(spared).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing was done') as string });
  expect(await town.data('warrant', 'list')).toEqual([]);
});

// Rules: P-11.
test('a case without a reasoner starts the command of the person once, and the mayor gets one letter', async () => {
  await town.polecat('nux', await town.bead('mend the parser'), 'sleep', '100000');
  const heard = (): string[] => {
    const file = join(town.home, 'heard');
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    return lines.filter((line) => line.includes('decide about'));
  };
  await ask('stuck_agent', 'nux');
  for (let twice = 0; twice < 2; twice += 1) expect(await town.run('triage', 'run')).toMatchObject({ code: 0 });
  await until(() => heard().length > 0);
  for (let twice = 0; twice < 2; twice += 1) await town.run('deacon', 'patrol', '--once');
  expect(heard()).toHaveLength(1);
  expect(await town.data('mail', 'inbox', 'mayor')).toMatchObject([
    { subject: expect.stringContaining('decide about shop/polecats/nux: stuck_agent') as string },
  ]);
});
