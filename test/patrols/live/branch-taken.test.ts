/** A branch `polecat` that is made after the rig was added, through whole cycles on real git: no branch of a polecat can be made. */
import { expect, test } from 'vitest';
import { until } from '../../cli/town.ts';
import { BY_HAND, Shop } from '../shop.ts';

const AGENT = `agent = ${JSON.stringify(['sleep', '100000'])}`;

// Rules: P-8.
test.each([
  [
    'in the repository',
    (town: Shop) => town.git(town.repo, 'branch', 'polecat'),
    'git branch -m polecat <other>',
    (town: Shop) => town.git(town.repo, 'branch', '-m', 'polecat', 'animals'),
  ],
  [
    'on the remote, as a person fetched it',
    (town: Shop) => town.git(town.repo, 'push', '-q', 'origin', 'main:refs/heads/polecat'),
    'git push origin origin/polecat:refs/heads/<other> :polecat, then git fetch --prune origin',
    (town: Shop) => {
      town.git(town.repo, 'push', '-q', 'origin', 'origin/polecat:refs/heads/animals', ':polecat');
      town.git(town.repo, 'fetch', '-q', '--prune', 'origin');
    },
  ],
])(
  '%s: one alert says what to type, no work begins, and both are over once that was typed',
  async (_, make, words, mend) => {
    const town = new Shop(`${BY_HAND}[rig.shop]\n${AGENT}\nmax_polecats = 2\n`);
    await town.open();
    make(town);
    const id = await town.bead('mend the parser');
    for (let n = 0; n < 3; n += 1) await town.cycle();
    expect(await town.stands()).toEqual([expect.stringContaining(words)]);
    await until(async () => (await town.episodes()).includes('remote-changed/shop'));
    expect(await town.shown(id)).toMatchObject({ status: 'open' });
    expect(await town.data('polecat', 'list', 'shop')).toEqual([]);
    expect(await town.run('polecat', 'spawn', 'shop', 'nux', '--', 'sleep', '1')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(words) as string,
    });

    mend(town);
    await town.cycle();
    await until(async () => {
      await town.cycle();
      return (await town.shown(id)).status === 'hooked';
    });
    await until(async () => !(await town.episodes()).includes('remote-changed/shop'));
    expect(await town.data('bead', 'list', '--label', 'gt:escalation')).toEqual([]);
  },
);
