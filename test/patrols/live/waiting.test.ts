/** Work that waits in a rig, as a person meets it: gates, convoys, idle agents, what cannot be done, and what a polecat leaves running. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { CycleReport } from '../../../src/cli/commands/witness.ts';
import { until } from '../../cli/town.ts';
import { mayMount, withSmallDisk } from '../../rigs/small-disk.ts';
import { BY_HAND, Shop } from '../shop.ts';

const IDLE = ['sleep', '100000'];

interface Asked {
  readonly number: string;
  readonly text: string;
}
const WAITING = join(import.meta.dirname, '../../fixtures/agents/waiting');

let town: Shop;

beforeEach(async () => {
  town = new Shop(`${BY_HAND}[rig.shop]\nmax_polecats = 2\n`);
  await town.open();
});

// Rules: W-5.
test('a gate of the rig whose time is over is put before a person once, by any patrol, and stays shut', async () => {
  const gate = (...rest: string[]) =>
    town.data<{ id: string }>('bead', 'gate', 'create', 'wait for it', '--timeout', '1ms', ...rest);
  const [{ id }, { id: elsewhere }] = [await gate('--rig', 'shop'), await gate()];
  const escalated = ({ steps }: CycleReport) => steps.find(({ step }) => step === 'check-timer-gates')?.acts ?? [];
  expect(escalated(await town.cycle())).toMatchObject([{ act: 'escalate', about: id, done: true }]);
  const alerts = async () => (await town.data<{ text: string }[]>('alerts', 'list')).map(({ text }) => text);
  const told = `shop/witness asks: the time of gate ${id} is over: wait for it`;
  await until(alerts, (all) => all.includes(told));
  expect(escalated(await town.cycle())).toEqual([]);
  const { done } = await town.data<{ done: { act: string; about: string }[] }>('deacon', 'patrol');
  expect(done.filter(({ act }) => act === 'escalate')).toMatchObject([{ about: elsewhere }]);
  expect(await town.shown(id)).toMatchObject({ status: 'open' });
});

// Rules: P-4.
test('work on a hook that does not move is nudged, then a case is made of it; a commit moves it', async () => {
  town.witness('hook_nudge = "1ms"\nhook_case = "2ms"\n');
  const id = await town.bead('stand still');
  const dir = await town.polecat('cat', id, 'cat');
  const wanted = async () => (await town.acts()).filter((act) => /^(?:nudge|triage)/.test(act));
  const [NUDGE, CASE] = ['nudge done: shop/polecats/cat', 'triage done: shop/polecats/cat'];
  const first = await until(wanted, (acts) => acts.length > 0);
  expect([first, await wanted(), await wanted()]).toEqual([[NUDGE], [CASE], []]);
  expect(await town.data('triage', 'list')).toMatchObject([{ type: 'stuck_agent', snapshot_hook_bead_id: id }]);
  town.witness('hook_nudge = "40s"\n');
  await until(wanted, (acts) => acts.length > 0);
  town.git(dir, 'commit', '-qm', 'a step', '--allow-empty');
  expect(await wanted()).toEqual([]);
});

// Rules: P-4.
test('one that asks a person something is left alone, and the person is alerted once, until it has its answer', async () => {
  town.witness('hook_nudge = "1ms"\nnudge_again = "1ms"\n');
  const id = await town.bead('ask first');
  await town.polecat('nux', id, WAITING);
  const wanted = async () => (await town.acts()).filter((act) => !act.startsWith('pass'));
  const NUDGE = 'nudge not done: shop/polecats/nux';
  await until(wanted, (acts) => acts.includes(NUDGE));
  expect(await wanted()).toEqual([NUDGE]);
  expect(await town.data('triage', 'list')).toEqual([]);
  const alerts = async () =>
    (await town.data<{ episode: string; text: string }[]>('alerts', 'list')).map((one) => one.text);
  expect(await until(alerts, (all) => all.length > 0)).toEqual([
    expect.stringMatching(/^gt-shop-nux waits for a person\. It asks: ".*y\/N/),
  ]);
  const [view] = await town.data<{ asks: string | null }[]>('session', 'list');
  expect(view?.asks).toMatch(/y\/N/);
  expect(await town.subjects('overseer')).toEqual([]);
  town.tmux('send-keys', '-t', '=gt-shop-nux:', 'y', 'Enter');
  await until(alerts, (all) => all.length === 0);
});

// Rules: law 7.
test('what cannot be done cycle after cycle is an alert, told once, and over when it was done', async () => {
  const numbers = 'undone_cycles = 2\nundone_for = "1ms"\n';
  town.set('patrol', numbers);
  town.set('rig.shop', `agent = ${JSON.stringify(IDLE)}`);
  const id = await town.bead('sweep');
  const place = join(town.root, 'shop/polecats/sweep');
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'notes'), 'of a person\n');
  expect(await town.acts()).toContain(`spawn not done: ${id}`);
  const alerts = () => town.data<{ text: string; count: number }[]>('alerts', 'list');
  expect(await alerts()).toEqual([]);
  expect(await town.acts()).toContain(`spawn not done: ${id}`);
  const text = expect.stringMatching(/^The patrol of the rig shop could not give .* to a new polecat: /) as string;
  expect(await until(alerts, (all) => all.length > 0)).toMatchObject([{ text, count: 1 }]);
  await town.cycle();
  await town.data('deacon', 'patrol');
  expect(await alerts()).toMatchObject([{ text, count: 1 }]);
  rmSync(place, { recursive: true });
  expect(await town.acts()).toContain(`spawn done: ${id}`);
  await until(alerts, (all) => all.length === 0);
});

// Rules: law 7.
test.runIf(mayMount())(
  'a disk without room for a worktree is an alert after one cycle, until there is room, however often it was tried',
  async () => {
    town.set('rig.shop', `agent = ${JSON.stringify(IDLE)}`);
    town.set('patrol', 'breaker_attempts = 2\n');
    writeFileSync(join(town.repo, 'movie'), randomBytes(3_000_000));
    town.git(town.repo, 'add', 'movie');
    town.git(town.repo, 'commit', '-qm', 'a movie');
    town.git(town.repo, 'push', '-q', 'origin', 'main');
    const id = await town.bead('sweep');
    const disk = join(town.root, 'shop');
    await withSmallDisk(disk, '1m', async () => {
      expect(await town.acts()).toContain(`spawn not done: ${id}`);
      const alerts = () => town.data<{ text: string }[]>('alerts', 'list');
      const why = `no room for the worktree of shop/sweep, which takes 3.0 MB: ${disk} has [0-9.]+ [kM]B left; free some space there`;
      const text = expect.stringMatching(new RegExp(`${id} to a new polecat: ${why}`)) as string;
      expect(await until(alerts, (all) => all.length > 0)).toMatchObject([{ text }]);
      expect(await town.data('polecat', 'list')).toEqual([]);
      const written = () => statSync(disk).ctimeMs;
      const before = written();
      const acts = [await town.acts(), await town.acts()];
      expect(acts).toEqual(acts.map(() => [`spawn not done: ${id}`]));
      expect(await alerts()).toMatchObject([{ text }]);
      expect(written()).toBe(before);
      execFileSync('mount', ['-o', 'remount,size=16m', disk]);
      expect(await town.acts()).toContain(`spawn done: ${id}`);
      await until(alerts, (all) => all.length === 0);
      await town.data('session', 'stop', 'gt-shop-sweep');
    });
  },
);

// Rules: P-9.
test('work on the hook of an unknown agent is free after its time, that of a session of the town is not', async () => {
  town.set('patrol', 'stale_hook = "1ms"');
  const [one, other] = [await town.bead('of a session'), await town.bead('of a stranger')];
  await town.data('session', 'start', 'builder', '--', ...IDLE);
  await town.run('bead', 'hook', one, 'builder');
  await town.run('bd', 'update', other, '--status', 'hooked', '--assignee', 'stranger');
  expect(await town.data('deacon', 'stale-hooks', '--dry-run')).toMatchObject({
    stale: [{ bead: other, unhooked: false }],
  });
  expect(await town.shown(other)).toMatchObject({ status: 'hooked' });
  const { done } = await town.data<{ done: { act: string; about: string }[] }>('deacon', 'patrol');
  expect(done).toMatchObject([{ act: 'unhook', about: other }]);
  expect(await town.shown(other)).toMatchObject({ status: 'open' });
  expect(await town.shown(one)).toMatchObject({ status: 'hooked', assignee: 'builder' });
  expect(await town.data('deacon', 'stale-hooks')).toMatchObject({ stale: [] });
});

// Rules: P-16.
test('a process that outlives a polecat is seen twice, then ends; one without its mark does not', async () => {
  town.set('patrol', 'orphan_grace = "1ms"');
  const pids = join(town.home, 'pids');
  const leave = `setsid sleep 100001 & echo $! >> ${pids}; env -i setsid sleep 100002 & echo $! >> ${pids}; exec sleep 100003`;
  const id = await town.bead('leave something');
  await town.polecat('nux', id, 'bash', '-c', leave);
  const left = () => (existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n').map(Number) : []);
  const [marked = 0, other = 0] = await until(left, (all) => all.length === 2);
  try {
    await town.ends('nux');
    const look = () => town.data<{ done: { act: string; about: string; text: string }[] }>('deacon', 'patrol');
    const { done } = await until(look, (said) => said.done.length > 0);
    expect(done).toMatchObject([{ act: 'orphan', text: 'it outlives its agent: TERM is next' }]);
    await until(async () => (await look(), !isThere(marked)));
    expect(isThere(other)).toBe(true);
  } finally {
    process.kill(other, 'SIGKILL');
  }
});

const isThere = (pid: number): boolean => {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
  return stat !== '' && !/\) Z /.test(stat);
};

test('a convoy lands once', async () => {
  const id = await town.bead('one of one');
  await town.run('convoy', 'create', 'all of it', id);
  expect(await town.data('deacon', 'patrol')).toMatchObject({ done: [] });
  await town.run('bead', 'close', id, '--reason', 'done');
  expect(await town.data('deacon', 'patrol')).toMatchObject({ done: [{ act: 'land' }] });
  expect(await town.data('deacon', 'patrol')).toMatchObject({ done: [] });
});

test('an idle agent is spoken to once in a spell, and the town’s own pace outranks a patrol', async () => {
  const numbers = 'nudge_after = "1ms"\ndeadline_after = "1h"\ndeadline = "1ms"\n';
  town.witness(numbers);
  const id = await town.bead('stand still');
  await town.data('polecat', 'spawn', 'shop', 'cat', '--bead', id, '--', 'cat');
  await town.run('evidence', 'add', 'began', '--author', 'shop/polecats/cat');
  const nudges = async () => (await town.acts()).filter((act) => act.startsWith('nudge'));
  expect(await until(nudges, (acts) => acts.length > 0)).toEqual(['nudge done: shop/polecats/cat']);
  expect(await nudges()).toEqual([]);
  town.witness(numbers.replace('"1h"', '"2ms"'));
  // The town itself says nothing twice within five minutes.
  expect(await nudges()).toEqual(['nudge not done: shop/polecats/cat']);
});

// Rules: W-3.
test('a refinery is started and woken while merge requests wait, again once it ended, and not while none waits', async () => {
  town.set('rig.shop', 'refinery = ["cat"]');
  const about = async () => (await town.acts()).filter((act) => act.endsWith('shop/refinery'));
  expect(await about()).toEqual([]);
  await town.run('mail', 'send', 'shop/refinery', '-s', 'MERGE_READY nux', '-m', 'Branch: polecat/nux');
  expect(await about()).toEqual(['start done: shop/refinery']);
  await until(about, (acts) => acts.includes('nudge done: shop/refinery'));
  expect(town.tmux('capture-pane', '-p', '-t', '=gt-shop-refinery:')).toContain('PATROL: Wake up');
  expect(await about()).toEqual([]);
  const { uuid } = await town.viewed('gt-shop-refinery', ({ state }) => state === 'running');
  town.tmux('kill-session', '-t', '=gt-shop-refinery');
  await town.viewed('gt-shop-refinery', (view) => view.state === 'running' && view.uuid !== uuid);
  await until(about, (acts) => acts.includes('nudge done: shop/refinery'));
});

// Rules: W-3, W-8.
test('a refinery goes on while town.toml names its command, and ends once that names another, or none', async () => {
  const NAME = 'gt-shop-refinery';
  const [first, second] = ['refinery = "cat"', 'refinery = "sleep 100000"'];
  const names = (old: string, lines: string): void =>
    town.write('town.toml', town.read('town.toml').replace(old, lines));
  town.set('rig.shop', first);
  town.witness('refinery_start = "1ms"\n');
  await town.run('mail', 'send', 'shop/refinery', '-s', 'MERGE_READY nux', '-m', 'Branch: polecat/nux');
  const starts = () => until(async () => (await town.acts()).includes('start done: shop/refinery'));
  const ends = async () =>
    (await town.data<{ done: { act: string; about: string }[] }>('deacon', 'patrol')).done.filter(
      ({ about }) => about === NAME,
    );
  await starts();
  const { uuid } = await town.viewed(NAME, ({ state }) => state === 'running');
  expect(await ends()).toEqual([]);
  names(first, second);
  expect(await ends()).toMatchObject([{ act: 'stop' }]);
  await town.viewed(NAME, ({ state }) => state === 'ended');
  await starts();
  await town.viewed(NAME, (view) => view.state === 'running' && view.uuid !== uuid);
  expect(await ends()).toEqual([]);
  names(second, '');
  expect(await ends()).toMatchObject([{ act: 'stop' }]);
  await until(ends, (acts) => acts.some(({ act }) => act === 'forget'));
  expect(await town.view(NAME)).toBeUndefined();
});

/** The number of the question about the copy. */
async function copyAsked(): Promise<string> {
  const asks = ({ text }: Asked): boolean => text.includes('came back from a copy');
  const asked = await until(
    () => town.data<Asked[]>('questions'),
    (all) => all.some(asks),
  );
  return asked.find(asks)?.number ?? '';
}

// Rules: W-3, law 1.
test('a refinery of one’s own starts again in a root that came back from a copy once a person says to go on', async () => {
  const NAME = 'gt-shop-refinery';
  town.set('rig.shop', 'refinery = "cat"');
  await town.run('mail', 'send', 'shop/refinery', '-s', 'MERGE_READY nux', '-m', 'Branch: polecat/nux');
  await until(async () => (await town.acts()).includes('start done: shop/refinery'));
  const { uuid } = await town.viewed(NAME, ({ state }) => state === 'running');
  town.write('daemon/restored', 'a copy');
  town.tmux('kill-server');
  const note = 'waits with its start: this root came back from a copy, and waits for your word: town questions';
  await until(() => town.record(NAME)?.note === note);
  const number = await copyAsked();
  expect(town.record(NAME)).toMatchObject({ note, state: 'backing_off' });
  expect((await town.run('answer', number, 'go')).code).toBe(0);
  await town.viewed(NAME, (view) => view.state === 'running' && view.uuid !== uuid);
});

// Rules: P-8, law 1.
test('in a root that came back from a copy the patrols do nothing before a person says to go on', async () => {
  town.set('rig.shop', `agent = ${JSON.stringify(IDLE)}\nrefinery = "cat"`);
  const id = await town.bead('mend the parser');
  await town.run('mail', 'send', 'shop/refinery', '-s', 'MERGE_READY nux', '-m', 'Branch: polecat/nux');
  town.write('daemon/restored', 'a copy');
  for (const words of [
    ['witness', 'patrol', 'shop'],
    ['deacon', 'patrol'],
  ]) {
    const { stdout, stderr } = await town.run(...words);
    expect(stdout + stderr).toContain('this root came back from a copy, and waits for your word');
  }
  expect((await town.run('answer', await copyAsked(), 'go')).code).toBe(0);
  const acts = await town.acts();
  expect(acts).toEqual(expect.arrayContaining([`spawn done: ${id}`, 'start done: shop/refinery']));
});
