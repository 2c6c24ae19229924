/**
 * A rig as a person uses it: a real repository with a remote, beads, polecats in tmux, and a witness's cycle by hand. One polecat
 * finishes and is gone with its worktree; another dies with uncommitted work, which is not thrown away.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { realDisk } from '../../../state/files/disk.ts';
import { RigRecords } from '../../../state/rigs/records.ts';
import { until } from '../../cli/town.ts';
import { environmentOf } from '../../tmux/yard.ts';
import { actsIn, BY_HAND, Shop } from '../shop.ts';

const IDLE = ['sleep', '100000'];

let town: Shop;

beforeEach(async () => {
  town = new Shop(`${BY_HAND}[rig.shop]\nmax_polecats = 2\n`);
  await town.open();
});

// Rules: W-7.
test('who is done and pushed is gone in the same cycle, and its work goes to the refinery', async () => {
  const id = await town.bead('mend the parser');
  const dir = await town.polecat('nux', id, ...IDLE);
  expect(await town.shown(id)).toMatchObject({ status: 'hooked', assignee: 'shop/polecats/nux' });
  writeFileSync(join(dir, 'parser'), 'mended\n');
  town.git(dir, 'add', '.');
  town.git(dir, 'commit', '-qm', 'mend the parser');
  town.git(dir, 'push', '-q', 'origin', 'HEAD');
  await town.ends('nux');
  await town.run('mail', 'send', 'shop/witness', '-s', 'POLECAT_DONE nux', '-m', `Exit: COMPLETED\nIssue: ${id}`);
  const report = await town.cycle();
  expect(report.model_calls).toBe(0);
  expect(actsIn(report)).toEqual(expect.arrayContaining(['nuke done: nux', expect.stringMatching(/^archive done/)]));
  expect(existsSync(dir)).toBe(false);
  expect(await town.subjects('shop/refinery')).toEqual(['MERGE_READY nux']);
  expect(await town.subjects('shop/witness')).toEqual([]);
  expect(await town.shown(id)).toMatchObject({ status: 'in_progress', assignee: 'shop/refinery' });
  // The remote merges it; the witness checks that before it believes so.
  const tip = town.git(town.remote, 'rev-parse', 'polecat/nux');
  await town.run('mail', 'send', 'shop/witness', '-s', 'MERGED nux', '-m', `Merge-Commit: ${tip}`);
  expect(await town.acts()).toContain('send done: mayor');
  const isOfCase = (one: string): boolean => one.startsWith('[HIGH] decide about');
  const letters = async (): Promise<string[]> => (await town.subjects('mayor')).filter((one) => !isOfCase(one));
  // The alerts actor writes the second one, after the cycle.
  await until(async () => (await letters()).length > 1);
  expect(await letters()).toEqual([
    'RECOVERY_NEEDED shop/nux',
    expect.stringMatching(/mend the parser.*does not have it/),
  ]);
  town.git(town.remote, 'update-ref', 'refs/heads/main', tip);
  // Which commit, and which work, it left to the refinery itself.
  await town.run('mail', 'send', 'shop/witness', '-s', 'MERGED nux');
  await town.cycle();
  expect(await town.shown(id)).toMatchObject({ status: 'closed' });
  expect(await town.subjects('shop/witness')).toEqual([]);
  expect(await town.shown(id)).toMatchObject({ status: 'closed' });
});

// Rules: P-3, W-7.
test('who says that it is done ends without a question, and is gone with its work pushed', async () => {
  const id = await town.bead('mend the parser');
  const dir = await town.polecat('nux', id, ...IDLE);
  town.git(dir, 'commit', '-qm', 'mend the parser', '--allow-empty');
  town.git(dir, 'push', '-q', 'origin', 'HEAD');
  await town.run('mail', 'send', 'shop/witness', '-s', 'POLECAT_DONE nux', '-m', `Issue: ${id}`);
  expect(await town.acts()).toEqual(['end done: shop/polecats/nux']);
  // It is asked for once, and its letter stays until it is gone.
  await until(async () => (await town.acts()).includes('nuke done: nux'));
  expect(await town.data('warrant', 'list', '--all')).toMatchObject([
    { target: 'gt-shop-nux', requester: 'shop/witness', verdict: 'stopped' },
  ]);
  expect(existsSync(dir)).toBe(false);
  expect(await town.subjects('shop/refinery')).toEqual(['MERGE_READY nux']);
  await until(async () => (await town.cycle(), (await town.subjects('shop/witness')).length === 0));
});

// Rules: P-3.
test('who began to finish and died is finished, also where not all is pushed', async () => {
  town.witness('done_intent = "1ms"\n');
  const id = await town.bead('mend the parser');
  const dir = await town.polecat('nux', id, ...IDLE);
  town.git(dir, 'commit', '-qm', 'mend the parser', '--allow-empty');
  await town.run('bead', 'update', id, '--add-label', `done-intent:COMPLETED:${Math.floor(Date.now() / 1_000)}`);
  await town.ends('nux');
  expect(await town.acts()).toEqual(['wisp done: cleanup:nux']);
  expect(await town.acts()).toEqual(expect.arrayContaining(['nuke done: nux']));
  expect(await town.shown(id)).toMatchObject({ status: 'in_progress', assignee: 'shop/refinery' });
  expect(town.git(town.remote, 'log', '-1', '--format=%s', 'polecat/nux')).toBe('mend the parser');
});

// Rules: P-3, P-4.
test('a report ends no polecat that works, and one that waits for a person is left alone', async () => {
  town.witness('hook_nudge = "1ms"\nhook_case = "1h"\nhook_stalled = "2h"\n');
  const id = await town.bead('mend the parser');
  const dir = await town.polecat('nux', id, 'bash', '-c', 'while read -r line; do echo "got $line"; done');
  const token = environmentOf(town.life('gt-shop-nux')?.agent.pid ?? 0)['TOWN_TOKEN'] ?? '';
  town.git(dir, 'commit', '-qm', 'step 1 of 3', '--allow-empty');
  town.git(dir, 'push', '-q', 'origin', 'HEAD');
  await town.as(token, 'report-status', 'waiting_for_input', '--message', 'which database?');
  await town.as(token, 'evidence', 'add', 'done', '--kind', 'report');
  expect([await town.acts(), await town.acts()]).toEqual([[], []]);
  await town.as(token, 'report-status', 'complete', '--outcome', 'success');
  await until(async () => (await town.acts()).includes('nudge done: shop/polecats/nux'));
  expect(await town.shown(id)).toMatchObject({ status: 'hooked', assignee: 'shop/polecats/nux' });
  expect([town.life('gt-shop-nux') !== null, await town.subjects('shop/refinery')]).toEqual([true, []]);
});

// Rules: P-3.
test('what an earlier polecat of the name said ends no later one', async () => {
  await town.run('evidence', 'add', 'done', '--kind', 'done-intent', '--author', 'shop/polecats/nux');
  const [first, next] = [await town.bead('of the first'), await town.bead('of the next')];
  await town.run('bead', 'update', next, '--add-label', `done-intent:COMPLETED:${Math.floor(Date.now() / 1_000) - 60}`);
  await town.run('mail', 'send', 'shop/witness', '-s', 'POLECAT_DONE nux', '-m', `Issue: ${first}`);
  const dir = await town.polecat('nux', next, ...IDLE);
  expect(await town.acts()).toEqual([expect.stringMatching(/^archive done/), `strand done: ${first}`]);
  expect(await town.acts()).toEqual([`strand done: ${first}`]);
  expect(existsSync(dir)).toBe(true);
});

// Rules: P-3.
test('a decision is asked for about one that was seen dead and is heard of after that', async () => {
  const id = await town.bead('haunt the shop');
  await town.polecat('ghost', id, ...IDLE);
  await town.ends('ghost');
  expect(await town.acts()).toEqual([]);
  await town.run('evidence', 'add', 'working', '--author', 'shop/polecats/ghost');
  expect(await town.acts()).toEqual(['triage done: shop/polecats/ghost']);
  expect(await town.data('triage', 'list')).toMatchObject([{ type: 'zombie_confirm', state: 'open' }]);
  expect(await town.shown(id)).toMatchObject({ status: 'hooked', assignee: 'shop/polecats/ghost' });
});

// Rules: P-3.
test('whose work was closed, and who goes on, is told first, then heard, and not just ended', async () => {
  town.write('town.toml', `${town.read('town.toml')}[dance]\nlook_every = "100ms"\nwindows = ["2s", "2s", "2s"]\n`);
  town.witness('deadline = "1ms"\n');
  const id = await town.bead('go on for ever');
  const dir = await town.polecat('nux', id, 'cat');
  await town.run('bead', 'close', id, '--reason', 'not needed');
  expect(await town.firstActs()).toEqual(['nudge done: shop/polecats/nux']);
  expect(town.tmux('capture-pane', '-p', '-t', '=gt-shop-nux:')).toContain('The work on your hook was closed');
  expect(await town.acts()).toEqual(['end done: shop/polecats/nux']);
  const heard = async () => (await town.data<unknown[]>('warrant', 'list', '--all'))[0];
  expect(await until(heard)).toMatchObject({ target: 'gt-shop-nux', requester: 'shop/witness' });
  expect(existsSync(dir)).toBe(true);
});

test('who dies with uncommitted work keeps it, and its bead is open again', async () => {
  const id = await town.bead('paint the shop');
  const dir = await town.polecat('ada', id, ...IDLE);
  writeFileSync(join(dir, 'half'), 'half done\n');
  await town.ends('ada');
  // Seen once is not enough.
  await town.cycle();
  expect(await town.shown(id)).toMatchObject({ status: 'hooked' });
  expect(await town.acts()).toContain(`reopen done: ${id}`);
  expect(await town.shown(id)).toMatchObject({ status: 'open', attempts: 1 });
  const later = await town.acts();
  expect(later.filter((act) => act.startsWith('nuke'))).toEqual([]);
  expect(existsSync(join(dir, 'half'))).toBe(true);
  await until(async () => (await town.cycle(), await town.subjects('mayor')).includes('RECOVERY_NEEDED shop/ada'));
  // Said once, however many cycles come.
  await town.cycle();
  // The Deacon may have put the case before a person by then, which is another letter.
  const recoveries = (await town.subjects('mayor')).filter((one) => one.startsWith('RECOVERY_NEEDED'));
  expect(recoveries).toEqual(['RECOVERY_NEEDED shop/ada']);
  expect(existsSync(join(dir, 'half'))).toBe(true);
});

test('ready work is given out where the rig names an agent, and told as stranded where not', async () => {
  const id = await town.bead('sweep');
  expect(await town.acts()).toContain(`strand done: ${id}`);
  town.set('rig.shop', `agent = ${JSON.stringify(IDLE)}`);
  expect(await town.acts()).toContain(`spawn done: ${id}`);
  expect(await town.shown(id)).toMatchObject({ status: 'hooked', assignee: 'shop/polecats/sweep' });
  expect((await town.acts()).filter((act) => act.startsWith('spawn'))).toEqual([]);
  // The rig has room for two.
  const [next, last] = [await town.bead('dust'), await town.bead('mop')];
  const full = await town.cycle();
  expect(actsIn(full).filter((act) => act.startsWith('spawn'))).toEqual([`spawn done: ${next}`]);
  expect([full.observed.waiting, (await town.shown(last)).status]).toEqual([1, 'open']);
});

// Rules: P-8.
test('a polecat whose making was cut off before its session is gone on with, and no attempt has failed', async () => {
  town.set('rig.shop', `agent = ${JSON.stringify(IDLE)}`);
  const id = await town.bead('begin it');
  await town.polecat('ada', id, ...IDLE);
  await town.ends('ada');
  const records = new RigRecords({ disk: realDisk(town.root, 0) });
  const made = await records.polecat({ rig: 'shop', name: 'ada' });
  await records.savePolecat({ ...made!, step: 'hooked' });
  expect(await town.acts()).toContain(`spawn done: ${id}`);
  expect(await town.shown(id)).toMatchObject({ status: 'hooked', assignee: 'shop/polecats/ada' });
  expect((await town.shown(id)).attempts ?? 0).toBe(0);
  expect(await town.data('session', 'status', 'gt-shop-ada')).toMatchObject({ alive: true });
});

// Rules: P-8.
test('work whose branch a remote has already, of an earlier polecat, gets one of another name', async () => {
  town.set('rig.shop', `agent = ${JSON.stringify(IDLE)}`);
  const id = await town.bead('mend it once more');
  town.git(town.repo, 'commit', '-qm', 'of the earlier one', '--allow-empty');
  town.git(town.repo, 'push', '-q', 'origin', 'HEAD:polecat/mend-it-once-more');
  expect(await town.acts()).toContain(`spawn done: ${id}`);
  expect(await town.shown(id)).toMatchObject({ assignee: 'shop/polecats/mend-it-once-more-2' });
});

// Rules: P-8.
test('work whose attempts are used up has failed and is told; by hand it is given out again', async () => {
  town.set('patrol', 'redispatch_attempts = 1');
  const id = await town.bead('too hard');
  await town.polecat('nux', id, ...IDLE);
  expect((await town.run('deacon', 'redispatch', id)).code).toBe(5);
  await town.ends('nux');
  await until(async () => (await town.acts()).includes(`fail done: ${id}`));
  expect(await town.data('deacon', 'redispatch')).toMatchObject([{ id, attempts: 1 }]);
  expect(await town.data('bead', 'list', '--label', 'gt:escalation')).toHaveLength(1);
  expect(await town.data('deacon', 'redispatch', id)).toMatchObject({ id, attempts: 1 });
  expect(await town.shown(id)).toMatchObject({ status: 'open' });
  expect((await town.shown(id)).attempts ?? 0).toBe(0);
  expect(await town.data('bead', 'list', '--label', 'gt:escalation')).toEqual([]);
  expect(await town.data('deacon', 'redispatch')).toEqual([]);
});
