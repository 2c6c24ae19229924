/** A decision about the dirt of a living polecat says nothing of the dirt that it makes after that. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
