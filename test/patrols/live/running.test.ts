/**
 * The patrols of a running town: no command of theirs is typed. A bead is given out by itself; its polecat dies while the town
 * is down, and the next town sees that, opens the bead again and gives it to the next polecat.
 */
import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { realDisk } from '../../../state/files/disk.ts';
import { RigRecords } from '../../../state/rigs/records.ts';
import { until } from '../../cli/town.ts';
import { Shop } from '../shop.ts';

let town: Shop;

const PACE = `[patrol]
active = "300ms"
idle = "300ms"
redispatch_cooldown = "100ms"
[ledger]
look_every = "500ms"
[state]
remind_every = "500ms"
`;

beforeEach(() => {
  town = new Shop(`${PACE}[rig.shop]\nagent = ["sleep", "100000"]\n`);
});

/** What the running town's own words say of it. */
const workIn = async (): Promise<{
  rigs: { name: string; patrol: { cycle: number; why: string | null } | null }[];
  model_calls: number;
}> => (await town.data<{ work: Awaited<ReturnType<typeof workIn>> }>('status')).work;

interface Status {
  readonly pid: number;
  readonly actors: readonly { readonly id: string; readonly state: string }[];
}
const status = (): Promise<Status> => town.data<Status>('status');
const actors = async (): Promise<string[]> => (await status()).actors.map(({ id }) => id);

test('a town without rigs patrols none; one that is added is patrolled, one that is removed is not', async () => {
  expect((await town.run('up')).code).toBe(0);
  expect((await actors()).filter((id) => id.includes('witness:'))).toEqual([]);
  expect(existsSync(join(town.root, 'ledger/town.db'))).toBe(false);
  expect((await town.run('rig', 'add', 'shop', '--repo', town.repo)).code).toBe(0);
  await until(actors, (all) => all.includes('town/watch/witnesses/witness:shop'));
  await until(() => existsSync(join(town.root, 'patrols/shop.json')));
  expect(existsSync(join(town.root, 'ledger/town.db'))).toBe(true);
  expect(await workIn()).toMatchObject({ rigs: [{ name: 'shop', patrol: { why: null } }], model_calls: 0 });
  expect((await town.run('status')).stdout).toMatch(/rig shop: no polecats; patrolled .* ago/);
  expect(await town.data('witness', 'list')).toMatchObject([
    { rig: 'shop', patrolled_at: expect.stringMatching(/Z$/) as string, why: null },
  ]);
  expect((await town.run('rig', 'remove', 'shop')).code).toBe(0);
  await until(actors, (all) => !all.includes('town/watch/witnesses/witness:shop'));
});

// Rules: P-5.
test('a bead whose polecat died while the town was down goes to the next one', async () => {
  expect((await town.run('rig', 'add', 'shop', '--repo', town.repo)).code).toBe(0);
  const { id } = await town.data<{ id: string }>('bead', 'create', 'sweep', '--rig', 'shop');
  expect((await town.run('up')).code).toBe(0);
  await assigned(id, 'sweep');
  expect(await town.shown(id)).toMatchObject({ status: 'hooked' });
  const session = 'gt-shop-sweep';
  // A start that is cut off is made again.
  await until(async () => (await stateOf(session)) === 'running');
  const before = await status();
  // It leaves work behind: its worktree stays, and the next one has another name.
  writeFileSync(join(town.root, 'shop/polecats/sweep/half'), 'half done\n');
  // Its tmux server lives on: with that one it would go on where it was.
  town.tmux('new-session', '-d', '-s', 'other', 'sleep 100000');
  process.kill(before.pid, 'SIGKILL');
  town.tmux('kill-session', '-t', `=${session}`);
  await assigned(id, 'sweep-2');
  expect(await town.shown(id)).toMatchObject({ status: 'hooked', attempts: 1 });
  expect(existsSync(join(town.root, 'shop/polecats/sweep/half'))).toBe(true);
  expect((await status()).pid).not.toBe(before.pid);
});

/** As its record has it; undefined = there is none yet. */
const stateOf = async (session: string): Promise<string | undefined> =>
  (await town.data<{ name: string; state: string }[]>('session', 'list')).find(({ name }) => name === session)?.state;

/** The episodes that are told, by which a test waits for one to begin or to be over. */
const episodes = () => town.episodes();
const isBackedUp = () => town.names('ledger/backups').some((name) => /^\d/.test(name));
/** A bead of the rig has its polecat. */
const assigned = (id: string, polecat: string) =>
  until(async () => (await town.shown(id)).assignee === `shop/polecats/${polecat}`);

// Rules: law 8.
test('a cycle that hangs is ended at its limit and told, and it is over when the rig is free', async () => {
  town.set('patrol', 'limit = "5s"');
  expect((await town.run('rig', 'add', 'shop', '--repo', town.repo)).code).toBe(0);
  const records = new RigRecords({ disk: realDisk(town.root, 0) });
  const lock = await records.lock(town.root, 'shop');
  expect(lock).not.toBeNull();
  expect((await town.run('up')).code).toBe(0);
  await until(episodes, (all) => all.includes('patrol-fails/shop'));
  const { rigs } = await workIn();
  expect(rigs[0]?.patrol?.why).toMatch(/took longer than 5 s/);
  lock?.release();
  await until(episodes, (all) => !all.includes('patrol-fails/shop'));
  expect((await workIn()).rigs[0]?.patrol).toMatchObject({ why: null, failures: 0 });
});

// Rules: I-15.
test('a ledger that was damaged while the town was down is told, and what was backed up is there', async () => {
  const { id } = await town.data<{ id: string }>('bead', 'create', 'kept');
  expect((await town.run('up')).code).toBe(0);
  await until(isBackedUp);
  expect((await town.run('down')).code).toBe(0);
  const path = join(town.root, 'ledger/town.db');
  for (const more of ['-wal', '-shm']) rmSync(`${path}${more}`, { force: true });
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0x5a, 4_096, 16_384));
  expect((await town.run('up')).code).toBe(0);
  const refused = async () => (await episodes()).find((one) => one.startsWith('file-refused/'));
  const told = (await until(refused)) ?? '';
  expect(await town.shown(id)).toMatchObject({ status: 'open' });
  // A person who has seen to it takes the damaged file away.
  rmSync(join(town.root, told.slice('file-refused/'.length)));
  await until(episodes, (all) => !all.includes(told));
});

// Rules: P-8.
test('a ledger whose pages are damaged under running patrols is put aside, and its backup gives no work to a second one', async () => {
  const add = ['rig', 'add', 'shop', '--repo', town.repo];
  expect((await town.run(...add)).code).toBe(0);
  const { id } = await town.data<{ id: string }>('bead', 'create', 'sweep', '--rig', 'shop');
  // Nothing is given out before the backup has it.
  expect((await town.run('rig', 'remove', 'shop', '--force')).code).toBe(0);
  expect((await town.run('up')).code).toBe(0);
  await until(isBackedUp);
  expect((await town.run(...add)).code).toBe(0);
  const hooked = { status: 'hooked', assignee: 'shop/polecats/sweep' };
  await assigned(id, 'sweep');
  await until(async () => (await town.data<{ step: string }[]>('polecat', 'list'))[0]?.step === 'running');
  const path = join(town.root, 'ledger/town.db');
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(statSync(path).size - 4_096, 0x5a), 0, null, 4_096);
  closeSync(file);
  const isPutAside = () => town.names('quarantine').some((name) => name.endsWith('-ledger-town.db'));
  await until(async () => (await town.shown(id), isPutAside()));
  const cycles = async (): Promise<number> => (await workIn()).rigs[0]?.patrol?.cycle ?? 0;
  const before = await cycles();
  await until(cycles, (now) => now > before + 3);
  expect(await town.shown(id)).toMatchObject(hooked);
  expect(await town.data('polecat', 'list')).toHaveLength(1);
  expect((await workIn()).rigs[0]?.patrol).toMatchObject({ why: null });
});
