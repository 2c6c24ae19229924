/** Commits on several branches, through whole cycles on real git: a person brings them together, and no work is lost or given out twice. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../cli/town.ts';
import { BY_HAND, Shop } from '../shop.ts';

// Rules: P-2.
test('done on two branches: one alert has the line to type, nothing is handed over or taken back, and it goes on once that was typed', async () => {
  const town = new Shop(`${BY_HAND}[rig.shop]\nmax_polecats = 4\n`);
  await town.open();
  const id = await town.bead('mend the parser');
  const dir = await town.polecat('nux', id, 'sleep', '100000');
  const commit = (name: string): void => {
    writeFileSync(join(dir, name), `${name}\n`);
    town.git(dir, 'add', '.');
    town.git(dir, 'commit', '-qm', `add ${name}`);
  };
  town.git(dir, 'checkout', '-qb', 'part-one');
  commit('one');
  town.git(dir, 'checkout', '-q', 'polecat/nux');
  commit('two');
  town.git(dir, 'push', '-q', 'origin', 'polecat/nux');
  await town.ends('nux');
  await town.run('mail', 'send', 'shop/witness', '-s', 'POLECAT_DONE nux');
  const [said = ''] = await until(
    () => town.stands(),
    ({ length }) => length > 0,
  );
  expect(said).toMatch(
    /^shop\/polecats\/nux has ended, and its commits are in 2 places, .* on polecat\/nux, .* on part-one; bring them together: git /,
  );
  await until(async () => (await town.episodes()).includes('work-scattered/shop/nux'));
  expect(await town.shown(id)).toMatchObject({ status: 'hooked', assignee: 'shop/polecats/nux' });
  expect((await town.shown(id)).attempts).toBeUndefined();
  expect(await town.data('mail', 'inbox', 'shop/refinery')).toEqual([]);

  for (const line of said.slice(said.indexOf(': git ') + 2).split(' && ')) {
    const [, , , ...words] = line.split(' ');
    town.git(dir, ...words);
  }
  town.git(dir, 'push', '-q', 'origin', 'polecat/nux');
  expect(
    await until(
      () => town.acts(),
      (acts) => acts.includes('nuke done: nux'),
    ),
  ).toBeTruthy();
  const [ready] = await town.data<{ body: string }[]>('mail', 'inbox', 'shop/refinery');
  expect(ready?.body).toContain('Branch: polecat/nux');
  expect(town.git(town.remote, 'ls-tree', '--name-only', 'polecat/nux')).toBe('README\none\ntwo');
  await until(async () => !(await town.episodes()).includes('work-scattered/shop/nux'));
});
