/**
 * What a person decides about the work of a polecat that died, through a whole town: the next polecat, which the town starts by itself,
 * goes on with that work, and a refinery merges all of it once.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { MAIN, until } from '../../cli/town.ts';
import { Shop } from '../shop.ts';

vi.setConfig({ testTimeout: 300_000 });
const TOWN = [process.execPath, MAIN];
const programs = (name: string): string => join(import.meta.dirname, '../programs', name);
const PACE = `[patrol]
active = "300ms"
idle = "300ms"
redispatch_cooldown = "100ms"
[ledger]
look_every = "500ms"
[nudge]
every = "100ms"
[process]
restart = "100ms"
stable = "1ms"
[rig.shop]
max_polecats = 2
`;

let town: Shop;

/** A polecat that committed a half, left the rest uncommitted, and died; its work is taken back, and a case is open. */
async function begin(): Promise<{ readonly bead: string; readonly dir: string; readonly id: string }> {
  town = new Shop(PACE);
  await town.open();
  const bead = await town.bead('mend the parser');
  const dir = await town.polecat('nux', bead, 'sleep', '100000');
  writeFileSync(join(dir, 'half'), 'committed by nux\n');
  town.git(dir, 'add', '.');
  town.git(dir, 'commit', '-qm', 'half of it');
  writeFileSync(join(dir, 'left'), 'never committed by nux\n');
  await town.ends('nux');
  await until(async () => (await town.shown(bead)).status === 'open');
  const cases = () => town.data<{ id: string; type: string }[]>('triage', 'list');
  const [one] = await until(cases, (all) => all.length > 0);
  expect(one).toMatchObject({ type: 'dirty_polecat', agent: 'shop/polecats/nux' });
  return { bead, dir, id: one?.id ?? '' };
}

/** From now on the town starts a polecat for what is ready, and a refinery for what is done. */
async function works(): Promise<void> {
  const refinery = [...TOWN, 'refinery'];
  const agent = ['bash', programs('heir'), ...TOWN];
  town.set('rig.shop', `agent = ${JSON.stringify(agent)}\nrefinery = ${JSON.stringify(refinery)}`);
  await town.data('restart');
}

// Rules: P-13.
test.each([
  ['CONTINUE', 'nux'],
  ['COMMIT_AND_PUSH', 'mend-the-parser'],
])('%s: the next polecat finishes what the dead one left, and main has all of it once', async (choice, heir) => {
  const { bead, id } = await begin();
  expect(await town.run('triage', 'resolve', id, choice)).toMatchObject({ code: 0, stderr: '' });
  const saved = choice === 'COMMIT_AND_PUSH' ? town.git(town.remote, 'rev-parse', 'polecat/nux') : null;
  if (saved !== null)
    expect(await town.shown(bead)).toMatchObject({ metadata: { branch: 'polecat/nux', branch_commit: saved } });
  await works();
  await until(async () => (await town.shown(bead)).status === 'closed');
  expect(town.git(town.remote, 'log', '--merges', '--format=%s', 'main')).toBe(
    `Merge polecat/${heir}: mend the parser`,
  );
  expect(town.git(town.remote, 'show', 'main:left')).toBe('never committed by nux\nfinished by another life');
  expect(town.git(town.remote, 'show', 'main:half')).toBe('committed by nux');
  expect(await town.shown(bead)).toMatchObject({ attempts: 1 });
  await until(async () => (await town.data<unknown[]>('polecat', 'list', 'shop')).length === 0);
  expect(await town.data('triage', 'list')).toEqual([]);
});
