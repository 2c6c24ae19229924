/** A decision about the dirt of a living polecat says nothing of the dirt that it makes after that. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../cli/town.ts';
import { environmentOf } from '../../tmux/yard.ts';
import { BY_HAND, Shop } from '../shop.ts';

interface Case {
  readonly id: string;
  readonly type: string;
  readonly agent: string;
}

// Rules: P-13.
test('one that lives and is dirty again after COMMIT_AND_PUSH is a case again, and the mayor reads of it once', async () => {
  const town = new Shop(`${BY_HAND}[triage]\nagain_after = "1ms"\n[rig.shop]\nmax_polecats = 2\n`);
  await town.open();
  const dir = await town.polecat('nux', await town.bead('mend the parser'), 'sleep', '100000');
  const cases = () => town.data<Case[]>('triage', 'list');
  writeFileSync(join(dir, 'half'), 'half done\n');
  await town.run('mail', 'send', 'shop/witness', '-s', 'POLECAT_DONE nux', '-m', 'Exit: COMPLETED');
  await town.cycle();
  await town.cycle();
  const [first] = await cases();
  expect(first).toMatchObject({ type: 'dirty_polecat', agent: 'shop/polecats/nux' });
  expect(await town.run('triage', 'resolve', first?.id ?? '', 'COMMIT_AND_PUSH')).toMatchObject({ code: 0 });
  expect([town.git(town.remote, 'show', 'polecat/nux:half'), await cases()]).toEqual(['half done', []]);

  writeFileSync(join(dir, 'more'), 'begun after the decision\n');
  await town.cycle();
  const [second, ...others] = await cases();
  expect([second, others]).toMatchObject([{ type: 'dirty_polecat', agent: 'shop/polecats/nux' }, []]);
  expect(second?.id).not.toBe(first?.id);
  await town.cycle();
  expect((await cases()).map(({ id }) => id)).toEqual([second?.id]);
  // The Deacon may have put the case before a person by then, which is another letter.
  const recoveries = (await town.subjects('mayor', '--all')).filter((one) => one.startsWith('RECOVERY_NEEDED'));
  expect(recoveries).toEqual(['RECOVERY_NEEDED shop/nux']);

  expect(await town.run('triage', 'resolve', second?.id ?? '', 'COMMIT_AND_PUSH')).toMatchObject({ code: 0 });
  expect(town.git(town.remote, 'show', 'polecat/nux:more')).toBe('begun after the decision');
});

// Rules: P-3, W-2, law 3.
test('one that got the list of what it left works on, until it says again that it is done', async () => {
  const town = new Shop(`${BY_HAND}[rig.shop]\n`);
  await town.open();
  const id = await town.bead('mend the parser');
  const dir = await town.polecat('nux', id, 'bash', '-c', 'while read -r line; do echo "got $line"; done');
  const token = environmentOf(town.life('gt-shop-nux')?.agent.pid ?? 0)['TOWN_TOKEN'] ?? '';
  const done = () => town.as(token, 'mail', 'send', 'shop/witness', '-s', 'POLECAT_DONE nux');
  const commit = (what: string): void => {
    town.git(dir, 'add', '.');
    town.git(dir, 'commit', '-qm', what);
  };
  const push = (): string => town.git(dir, 'push', '-q', 'origin', 'HEAD');
  writeFileSync(join(dir, 'half'), 'half done\n');
  await done();
  await until(async () => (await town.acts()).some((act) => act === 'nudge done: shop/polecats/nux'));

  commit('a step');
  push();
  expect(await town.acts()).toEqual([]);
  writeFileSync(join(dir, 'rest'), 'the rest\n');
  commit('the rest');
  expect(await town.acts()).toEqual([]);
  expect(town.life('gt-shop-nux')).not.toBeNull();

  push();
  await done();
  await until(async () => (await town.acts()).includes('nuke done: nux'));
  const [request] = await town.data<{ body: string }[]>('mail', 'inbox', 'shop/refinery');
  expect(request?.body).toContain(town.git(town.remote, 'rev-parse', 'polecat/nux'));
  expect(town.git(town.remote, 'show', 'polecat/nux:rest')).toBe('the rest');
});
