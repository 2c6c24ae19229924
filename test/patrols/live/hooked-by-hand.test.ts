/** Work that was hooked on a polecat by hand is its work, on real git, ledger and tmux: it ends as if it had been spawned for it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { until } from '../../cli/town.ts';
import { BY_HAND, Shop } from '../shop.ts';

const IDLE = ['sleep', '100000'];

let town: Shop;

beforeAll(async () => {
  town = new Shop(BY_HAND);
  await town.up();
});

let rigs = 0;
/** Each test has a rig of its own. */
beforeEach(async () => {
  rigs += 1;
  await town.moveTo(`shop${String(rigs)}`);
});

/** One that has no bead. Its worktree. */
const alone = async (): Promise<string> =>
  (await town.data<{ dir: string }>('polecat', 'spawn', town.own, 'nux', '--', ...IDLE)).dir;
const hook = (id: string): Promise<unknown> => town.data('bead', 'hook', id, `${town.own}/polecats/nux`);
const ended = async (): Promise<void> => {
  await town.ends('nux');
  await until(town.acts.bind(town), (all) => all.includes('nuke done: nux'));
};

function commit(dir: string, name: string): void {
  writeFileSync(join(dir, name), `${name}\n`);
  town.git(dir, 'add', '.');
  town.git(dir, 'commit', '-qm', `add ${name}`);
}

test('a polecat that was spawned without work, and pushed to main what was hooked on it, closes its bead', async () => {
  const id = await town.bead('mend the parser');
  const dir = await alone();
  await hook(id);
  await town.cycle();
  expect(await town.data('polecat', 'status', `${town.own}/nux`)).toMatchObject({ bead: id });
  commit(dir, 'parser');
  town.git(dir, 'push', '-q', 'origin', 'HEAD:main');
  await ended();
  expect(await town.shown(id)).toMatchObject({ status: 'closed' });
});

test('a second bead is its work once the first is closed, and is given back when it ends without a commit', async () => {
  const [first, second] = [await town.bead('mend the parser'), await town.bead('write the docs')];
  await town.polecat('nux', first, ...IDLE);
  await hook(second);
  await town.cycle();
  expect(await town.data('polecat', 'status', `${town.own}/nux`)).toMatchObject({ bead: first });
  await town.run('bead', 'close', first);
  await town.cycle();
  expect(await town.data('polecat', 'status', `${town.own}/nux`)).toMatchObject({ bead: second });
  await ended();
  expect(await town.shown(second)).toMatchObject({ status: 'open', attempts: 1 });
});

test('a nuke frees all that is on its hook', async () => {
  const [first, second] = [await town.bead('mend the parser'), await town.bead('write the docs')];
  await town.polecat('nux', first, ...IDLE);
  await hook(second);
  await town.ends('nux');
  await town.data('polecat', 'nuke', `${town.own}/nux`);
  expect([await town.shown(first), await town.shown(second)]).toMatchObject([{ status: 'open' }, { status: 'open' }]);
});
