/** What `polecat list`, `git-state` and `why` say is so: about a remote that was changed, work that is closed, a polecat in the making. */
import { join } from 'node:path';
import { realpathSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { realDisk } from '../../../state/files/disk.ts';
import { RigRecords } from '../../../state/rigs/records.ts';
import { BY_HAND, Shop } from '../../patrols/shop.ts';

let town: Shop;
let dir: string;
let id: string;

beforeEach(async () => {
  town = new Shop(`${BY_HAND}[rig.shop]\nmax_polecats = 4\n`);
  await town.open();
  id = await town.bead('mend the parser');
  dir = await town.polecat('nux', id, 'sleep', '100000');
});

interface Row {
  readonly git: { readonly states: readonly string[]; readonly may: string };
}
const rows = (): Promise<Row[]> => town.data<Row[]>('polecat', 'list', 'shop');

// Rules: R-1.
test('where the remote is not the one on record, nothing counts as pushed', async () => {
  expect(await rows()).toMatchObject([{ git: { states: ['clean'], may: 'remove' } }]);
  town.git(dir, 'remote', 'set-url', 'origin', join(town.home, 'elsewhere.git'));
  expect(await rows()).toMatchObject([{ git: { states: ['other-remote'], may: 'keep' } }]);
  const { stdout } = await town.run('polecat', 'git-state', 'shop/nux');
  expect(stdout).toMatch(/^it counts as pushed nowhere: the rig shop was added with origin at /m);
  expect(stdout).toContain('a nuke is refused');
});

test('work that is closed is on no hook', async () => {
  expect((await town.run('why', 'gt-shop-nux')).stdout).toContain(`now: ${id} is on its hook`);
  await town.run('bead', 'close', id);
  const { stdout } = await town.run('why', 'gt-shop-nux');
  expect(stdout).toContain(`now: ${id} (mend the parser) is closed`);
  expect(stdout).not.toContain('is on its hook');
});

test('while a command works on its rig, a polecat that is half made is not called cut off', async () => {
  const records = new RigRecords({ disk: realDisk(town.root, performance.timeOrigin) });
  const record = (await records.polecat({ rig: 'shop', name: 'nux' }))!;
  await records.savePolecat({ ...record, name: 'ada', uuid: 'u-ada', step: 'placed', bead: null });
  const lock = (await records.lock(realpathSync(town.root), 'shop'))!;
  expect((await town.run('polecat', 'list', 'shop')).stderr).toBe(
    'town: shop/ada is half made: a command works on its rig now\n',
  );
  lock.release();
  expect((await town.run('polecat', 'list', 'shop')).stderr).toMatch(
    /a command was cut off; `town polecat nuke shop\/ada`/,
  );
  await records.savePolecat({ ...record, name: 'ada', uuid: 'u-ada', step: 'left' });
  expect((await town.run('polecat', 'list', 'shop')).stderr).toBe('');
});
