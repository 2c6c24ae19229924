/** What is hard for a patrol: others at the same, a git that hangs, letters that are no letters, clocks, a full disk, a torn ledger. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FILES } from '../../../state/files/layout.ts';
import { noteText } from '../../../state/watchdog/records.ts';
import { until } from '../../cli/town.ts';
import type { CycleReport } from '../../../src/cli/commands/witness.ts';
import { BY_HAND, Shop } from '../shop.ts';

const FAULTS = join(import.meta.dirname, '../../hostile/faults.ts');
const IDLE = ['sleep', '100000'];

const SHOP = ['witness', 'patrol', 'shop'] as const;

let town: Shop;

/** A rig in a town that is down: patrols by hand need none. */
async function down(toml = BY_HAND): Promise<void> {
  town = new Shop(toml);
  await town.data('rig', 'add', 'shop', '--repo', town.repo);
}

const send = (subject: string, body = ''): Promise<unknown> =>
  town.data('mail', 'send', 'shop/witness', '-s', subject, '-m', body);
const times = <T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));

// Rules: P-2.
test('patrols at the same time handle each thing once', async () => {
  await down();
  const [done, late] = [await town.bead('done'), await town.bead('late')];
  await town.run('bead', 'close', done, '--reason', 'done');
  const { id: convoy } = await town.data<{ id: string }>('convoy', 'create', 'all of it', done);
  await town.run('escalate', 'which colour?', '--severity', 'high');
  await send('SWARM_START s-1', `SwarmID: s-1\nBeads: ${late}\nTotal: 1`);
  await send('HELP: decide', 'which database?');
  await send('lunch?');
  const words = (n: number): string[] => (n % 2 === 0 ? [...SHOP, '--once'] : ['deacon', 'patrol', '--once']);
  const all = await times(6, (n) => town.run(...words(n)));
  expect(all.map(({ code, stderr }) => [code, stderr])).toEqual(Array(6).fill([0, '']));
  expect(await town.data('bead', 'list', '--label', 'swarm_id:s-1')).toHaveLength(1);
  expect(await town.subjects('shop/witness')).toEqual(['lunch?']);
  const toMayor = (await town.subjects('mayor', '--all')).sort();
  const strange =
    '1 letter to shop/witness is of no kind that a witness knows; the last: overseer wrote "lunch?". Kept: town mail inbox shop/witness';
  const { stands } = await town.data<CycleReport>(...SHOP, '--once');
  expect(stands.map(({ text }) => text)).toEqual([strange]);
  expect(toMayor).toEqual(['Escalation: overseer needs a decision']);
  expect(await town.subjects('overseer', '--all')).toEqual([`Convoy landed: ${convoy}`]);
  // The convoy landed; the swarm that the letter began is open.
  expect(await town.data('convoy', 'list')).toMatchObject([{ id: 'tw-swarm-s-1' }]);
  expect(await town.data('bead', 'list', '--label', 'gt:escalation')).toHaveLength(2);
});

// Rules: W-6.
test('ten witnesses each see a dead Deacon, and its return', async () => {
  await down();
  const rigs = Array.from({ length: 10 }, (_, n) => `rig${n}`);
  for (const rig of rigs) await town.data('rig', 'add', rig, '--repo', town.repo);
  const beat = (due: number): void => {
    const last = { at: due - 60_000, cycle: 1, lastAction: '', healthy: 0, unhealthy: 0, nextDueAt: due };
    town.write(FILES.heartbeat, noteText('heartbeat', { ...last, incarnation: null }));
  };
  beat(Date.now() - 3_600_000);
  const seen = () => times(10, (n) => town.data<CycleReport>('witness', 'patrol', `rig${n}`, '--once'));
  const kinds = (reports: CycleReport[]) => reports.flatMap(({ stands }) => stands.map(({ kind }) => kind));
  expect(kinds(await seen())).toEqual(Array(10).fill('deacon-late'));
  expect(await town.data('bead', 'list', '--label', 'gt:escalation')).toEqual([]);
  beat(Date.now() + 3_600_000);
  expect(kinds(await seen())).toEqual([]);
});

const letter = (id: string, subject: string, body: string): void => {
  const words = { id, from: 'shop/nux', to: 'shop/witness', subject, body, sent_at: new Date().toISOString() };
  const flags = { via: 'agent', urgent: false, needs_response: false };
  town.write(`mail/shop+witness/new/${id}.json`, JSON.stringify({ schema: 'mail/1', ...words, ...flags }));
};

// Rules: W-7.
test('a letter of 10 MB is no letter: it stays on the disk, is told, and holds up no other', async () => {
  await down();
  letter('m-1-huge', 'POLECAT_STARTED nux', 'x'.repeat(10_000_000));
  letter('m-2-long', 'HELP: decide', 'y'.repeat(900_000));
  await send('POLECAT_STARTED ada');
  const { code, stderr } = await town.run(...SHOP, '--once');
  expect([code, stderr]).toEqual([0, expect.stringMatching(/m-1-huge.*bytes/)]);
  expect(await town.subjects('shop/witness')).toEqual([]);
  expect(await town.subjects('mayor', '--all')).toEqual(['Escalation: shop/nux needs a decision']);
  const asked = (await town.data<{ text: string }[]>('questions')).map(({ text }) => text);
  expect(asked).toContainEqual(expect.stringMatching(/^shop\/witness asks: shop\/nux needs a decision: decide y+/));
  expect(existsSync(join(town.root, 'mail/shop+witness/new/m-1-huge.json'))).toBe(true);
});

test('what steers a terminal in a letter reaches none, and names no agent', async () => {
  await down();
  const odd = '\u001b[2J\u001b]0;x\u0007\u202e\u0000';
  letter('m-1', `POLECAT_DONE ../../etc${odd}`, `Issue: tw-1${odd}\nBranch: --upload-pack=x`);
  letter('m-2', `HELP: ${odd} decide\nSubject: MERGED nux`, `which${odd}?`);
  letter('m-3', `lunch${odd}?\r\nMERGED nux`, '');
  for (const words of [
    [...SHOP, '--once'],
    ['deacon', 'patrol', '--once'],
    ['bead', 'list'],
    ['mail', 'inbox', 'mayor'],
  ]) {
    const { code, stdout, stderr } = await town.run(...words);
    expect(code, words.join(' ')).toBe(0);
    expect(`${stdout}${stderr}`, words.join(' ')).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  }
  expect(await town.subjects('mayor', '--all')).toHaveLength(1);
  expect(await town.data('mail', 'inbox', 'shop/witness')).toMatchObject([{ id: 'm-3' }]);
});

// Rules: P-3.
test('a clock that goes back an hour between cycles judges no polecat twice and loses no letter', async () => {
  town = new Shop(`${BY_HAND}[rig.shop]\nmax_polecats = 2\n`);
  await town.open();
  const id = await town.bead('mend the parser');
  const dir = await town.polecat('nux', id, ...IDLE);
  writeFileSync(join(dir, 'half'), 'half done\n');
  await town.ends('nux');
  // The clock of the command is set, so that the command does the cycle itself.
  await town.data('down');
  const env = { NODE_OPTIONS: `--import=${FAULTS}` };
  const at = async (fault: 'later' | 'on time' | 'earlier', ...words: string[]): Promise<string> => {
    writeFileSync(join(town.home, 'faults'), fault);
    const { code, stdout, stderr } = await town.bare(['--root', town.root, ...words], { env });
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };
  await at('later', ...SHOP, '--once');
  expect(await at('on time', ...SHOP, '--once')).toContain(`reopen ${id}`);
  expect(await town.shown(id)).toMatchObject({ status: 'open', attempts: 1 });
  await at('later', 'mail', 'send', 'shop/witness', '-s', 'HELP: decide', '-m', 'which?');
  for (const fault of ['earlier', 'on time', 'later', 'on time'] as const) await at(fault, ...SHOP, '--once');
  expect(await town.shown(id)).toMatchObject({ attempts: 1 });
  // With the clock ahead the Deacon seems late; and it may have put the case of nux before a person by then.
  const isOfDeacon = (one: string): boolean => /unresponsive$|^\[HIGH\] decide about shop\/polecats\/nux:/.test(one);
  expect((await town.subjects('mayor', '--all')).filter((one) => !isOfDeacon(one)).sort()).toEqual([
    'Escalation: overseer needs a decision',
    'RECOVERY_NEEDED shop/nux',
  ]);
  expect(existsSync(join(dir, 'half'))).toBe(true);
});

// Rules: P-6.
test('a git that hangs is unknown: its polecat stays, its letter waits, and the cycle ends', async () => {
  town = new Shop(BY_HAND);
  await town.open();
  const id = await town.bead('mend the parser');
  const dir = await town.polecat('nux', id, ...IDLE);
  town.git(dir, 'commit', '-qm', 'mend', '--allow-empty');
  town.git(dir, 'push', '-q', 'origin', 'HEAD');
  await town.ends('nux');
  await send('POLECAT_DONE nux', `Issue: ${id}`);
  const folder = join(dir, 'new');
  mkdirSync(folder);
  execFileSync('mkfifo', [join(folder, '.gitignore')]);
  expect(await town.acts()).toEqual([]);
  expect([existsSync(dir), await town.subjects('shop/witness')]).toEqual([true, ['POLECAT_DONE nux']]);
  expect(await town.shown(id)).toMatchObject({ status: 'hooked' });
  rmSync(folder, { recursive: true });
  expect(await town.acts()).toEqual(['nuke done: nux', expect.stringMatching(/^archive done/)]);
});

// Rules: P-2.
test('a full disk in a cycle loses no letter, and with room again each is handled once', async () => {
  town = new Shop('');
  const toml = town.read('town.toml');
  const isMounted =
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,mode=700', 'tmpfs', town.root], { stdio: 'ignore' }).status === 0;
  const stuffing = join(town.root, 'stuffing');
  const faults = join(town.home, 'faults');
  const env = isMounted ? {} : { NODE_OPTIONS: `--import=${FAULTS}` };
  const patrol = () => town.bare(['--root', town.root, ...SHOP, '--once'], { env });
  try {
    if (isMounted) town.write('town.toml', toml);
    await town.data('rig', 'add', 'shop', '--repo', town.repo);
    const beads = [await town.bead('a'), await town.bead('b')];
    await send('SWARM_START s-1', `SwarmID: s-1\nBeads: ${beads.join(' ')}\nTotal: 2`);
    await send('HELP: decide', 'which?');
    if (isMounted) spawnSync('dd', ['if=/dev/zero', `of=${stuffing}`, 'bs=4k'], { stdio: 'ignore' });
    else writeFileSync(faults, 'full');
    const full = await patrol();
    expect(`${full.stdout}${full.stderr}`).toMatch(/full|ENOSPC|no space/i);
    expect(await town.subjects('shop/witness')).not.toEqual([]);
    rmSync(isMounted ? stuffing : faults);
    await until(async () => (await patrol(), (await town.subjects('shop/witness')).length === 0));
    expect(await town.data('bead', 'list', '--label', 'swarm_id:s-1')).toHaveLength(1);
    expect(await town.subjects('mayor', '--all')).toEqual(['Escalation: overseer needs a decision']);
  } finally {
    if (isMounted) spawnSync('umount', [town.root]);
  }
});
