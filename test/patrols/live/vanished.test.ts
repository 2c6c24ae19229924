/** A worktree that is removed while its agent works. */
import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BY_HAND, Shop } from '../shop.ts';

// Rules: P-3, law 8.
test('a person is asked, with a command that names the polecat; no agent is ended for it', async () => {
  const town = new Shop(`${BY_HAND}[rig.shop]\nmax_polecats = 2\n`);
  await town.open();
  const id = await town.bead('mend the parser');
  const dir = await town.polecat('nux', id, 'sleep', '100000');
  expect(await town.stands()).toEqual([]);
  rmSync(dir, { recursive: true });
  expect(await town.stands()).toEqual([expect.stringContaining('it is not there')]);
  expect(await town.shown(id)).toMatchObject({ status: 'hooked' });
  const { stdout } = await town.run('polecat', 'git-state', 'shop/nux');
  expect(stdout).toMatch(/its folder is not there.*town polecat nuke shop\/nux/);
});
