/** Work whose change another pushed to main and reverted: on real git. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { BY_HAND, Shop } from '../shop.ts';

let town: Shop;
let clone: string;
let id: string;
const remove = (dir: string): void => {
  writeFileSync(join(dir, 'lines'), 'a\nb\nc\nd\nf\ng\nh\n');
  town.git(dir, 'commit', '-qam', 'remove e');
};

beforeEach(async () => {
  town = new Shop(`${BY_HAND}[rig.shop]\nmax_polecats = 4\n`);
  await town.open();
  clone = join(town.home, 'clone');
  town.git(town.home, 'clone', '-q', town.remote, clone);
  writeFileSync(join(clone, 'lines'), 'a\nb\nc\nd\ne\nf\ng\nh\n');
  town.git(clone, 'add', '.');
  town.git(clone, 'commit', '-qm', 'lines');
  town.git(clone, 'push', '-q', 'origin', 'main');
  id = await town.bead('remove e');
  const dir = await town.polecat('nux', id, 'sleep', '100000');
  remove(dir);
  town.git(dir, 'push', '-q', 'origin', 'HEAD');
  await town.ends('nux');
  await town.run('mail', 'send', 'shop/witness', '-s', 'POLECAT_DONE nux', '-m', `Issue: ${id}`);
  await town.cycle();
});

// Rules: P-2, law 1.
test('a person is asked, no refinery is, and nothing is closed; given out again, it is asked no more', async () => {
  remove(clone);
  town.git(clone, 'revert', '--no-edit', 'HEAD');
  town.git(clone, 'push', '-q', 'origin', 'main');
  expect(await town.stands()).toEqual([
    expect.stringMatching(new RegExp(`^main had ${id} \\(remove e\\) .* took it out again`)),
  ]);
  expect(await town.shown(id)).toMatchObject({ status: 'in_progress', assignee: 'shop/refinery' });
  expect(await town.subjects('shop/refinery')).toEqual([]);
  // Opening what is not closed says what to type instead.
  const refused = await town.run('bead', 'reopen', id);
  expect([refused.code, refused.stderr.includes(`town bead update ${id} --assignee ""`)]).toEqual([5, true]);
  await town.run('bead', 'update', id, '--assignee', '');
  expect(await town.stands()).toEqual([]);
  expect(await town.shown(id)).toMatchObject({ status: 'open' });
});

test('without the revert its bead is closed as merged', async () => {
  remove(clone);
  town.git(clone, 'push', '-q', 'origin', 'main');
  await town.cycle();
  expect(await town.shown(id)).toMatchObject({ status: 'closed' });
});
