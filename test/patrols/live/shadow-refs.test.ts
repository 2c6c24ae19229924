/** A branch `HEAD`, which takes the pushes of all other agents, through whole cycles on real git. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { until } from '../../cli/town.ts';
import { BY_HAND, Shop } from '../shop.ts';

// Rules: R-1.
test('one alert names the ref with the line that deletes it, work goes on, and it is over once that was typed', async () => {
  const town = new Shop(`${BY_HAND}[rig.shop]\nagent = ${JSON.stringify(['sleep', '100000'])}\n`);
  await town.open();
  town.git(town.repo, 'push', '-q', 'origin', 'main:refs/heads/HEAD');
  const id = await town.bead('mend the parser');
  await until(async () => {
    await town.cycle();
    return (await town.shown(id)).status === 'hooked';
  });
  const line = `git -C ${town.repo} push origin --delete refs/heads/HEAD`;
  for (let n = 0; n < 2; n += 1)
    expect(await town.stands()).toEqual([expect.stringContaining(`refs/heads/HEAD on origin (${line})`)]);
  await until(async () => (await town.episodes()).includes('ref-shadows/shop/origin/refs/heads/HEAD'));
  execFileSync('sh', ['-c', line], { stdio: 'pipe', env: { ...process.env, HOME: town.home } });
  expect(await town.stands()).toEqual([]);
  await until(async () => !(await town.episodes()).includes('ref-shadows/shop/origin/refs/heads/HEAD'));
});
