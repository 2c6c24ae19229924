/** Two towns at once on one root, ten commands at once and a backup beside them: what was acknowledged is there, and a hook is one agent's. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, test } from 'vitest';
import { openLedger } from '../../../state/ledger/sqlite.ts';
import { TestTown, until } from '../../cli/town.ts';

const CROWD = 10;
const ROUNDS = 3;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

const town = new TestTown('[patrol]\nactive = "300ms"\nidle = "300ms"\n[ledger]\nlook_every = "500ms"\n');
beforeAll(() => {
  const repo = join(town.home, 'repo');
  mkdirSync(repo);
  execFileSync('git', ['init', '-q', repo]);
});

test('two towns, ten commands and a backup', async () => {
  expect((await town.run('rig', 'add', 'shop', '--repo', join(town.home, 'repo'))).code).toBe(0);
  const { id: wanted } = await town.data<{ id: string }>('bead', 'create', 'wanted by all');
  const ups = await Promise.all([town.run('up'), town.run('up')]);
  expect(ups.map(({ code }) => code)).toContain(0);
  const { pid } = await town.data<{ pid: number }>('status');

  const ledger = openLedger({ root: town.root, wall: Date.now });
  const create = async (n: number): Promise<string[]> => {
    const made: string[] = [];
    for (const round of numbers(ROUNDS))
      made.push((await town.data<{ id: string }>('bead', 'create', `work ${n}-${round}`, '--rig', 'shop')).id);
    return made;
  };
  const [made, hooks, backup] = await Promise.all([
    Promise.all(numbers(CROWD / 2).map(create)),
    Promise.all(numbers(CROWD / 2).map((n) => town.run('bead', 'hook', wanted, `shop/agent-${n}`))),
    ledger.backUp(Date.now()),
  ]);

  const ids = made.flat();
  expect(new Set(ids).size).toBe((CROWD / 2) * ROUNDS);
  expect((await ledger.beads(ids)).map(({ id }) => id)).toEqual(ids);
  expect(hooks.map(({ code }) => code).sort()).toEqual([0, 5, 5, 5, 5]);
  const winner = hooks.findIndex(({ code }) => code === 0);
  expect(await ledger.beads([wanted])).toMatchObject([{ status: 'hooked', assignee: `shop/polecats/agent-${winner}` }]);
  expect(ledger.damage).toBeNull();
  ledger.close();

  const copy = new DatabaseSync(backup, { readOnly: true });
  expect(copy.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  expect(copy.prepare('SELECT count(*) AS n FROM beads WHERE id = ?').get(wanted)).toEqual({ n: 1 });
  copy.close();

  // One town it still is, and it patrols with the same ledger.
  const status = () => town.data<{ pid: number; work: { rigs: { patrol: { cycle: number } | null }[] } }>('status');
  const { work } = await until(status, (now) => (now.work.rigs[0]?.patrol?.cycle ?? 0) > 1);
  expect(work.rigs).toHaveLength(1);
  expect(await status()).toMatchObject({ pid });
});
