/** `merge = "pull-request"`: a command of the person opens it, the host merges it, and the town sees that in main. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../cli/town.ts';
import { whenOver } from '../../world/over.ts';
import { RefineryShop } from '../yard.ts';

// Rules: R-2, P-2.
test('its command opens it after the test; a red one goes back, others wait for none, and the merge of the host closes the bead', async () => {
  const opens = `echo "$TOWN_BRANCH $TOWN_BASE $TOWN_BEAD $TOWN_TITLE" >>"$HOME/opened"; test ! -e "$HOME/away"`;
  const shop = new RefineryShop(
    `merge = "pull-request"\ntest = "test ! -e red"\npull_request = ${JSON.stringify(opens)}\nmax_polecats = 2`,
  );
  whenOver(() => shop.killRefinery());
  await shop.open();
  const opened = (): string[] => readFileSync(join(shop.home, 'opened'), 'utf8').trim().split('\n');
  // A polecat's work, handed over by the witness.
  const bead = await shop.bead('mend the parser');
  const dir = await shop.polecat('nux', bead, 'sleep', '100000');
  writeFileSync(join(dir, 'parser'), 'mended\n');
  shop.git(dir, 'add', '.');
  shop.git(dir, 'commit', '-qm', 'mend it');
  shop.git(dir, 'push', '-q', 'origin', 'HEAD');
  await shop.run('mail', 'send', 'shop/witness', '-s', 'POLECAT_DONE nux');
  await shop.ends('nux');
  await until(async () => {
    await shop.cycle();
    return (await shop.subjects('shop/refinery')).includes('MERGE_READY nux');
  });
  await shop.ready('red', 'red', 'red\n');
  // The command that opens it is away at first: it waits, the red one does not.
  writeFileSync(join(shop.home, 'away'), '');
  void shop.refine();
  await shop.answered('MERGE_FAILED red');
  await until(async () => (await shop.told()).length > 0);
  expect(await shop.told()).toEqual([expect.stringContaining('came to nothing')]);
  rmSync(join(shop.home, 'away'));
  await until(async () => !(await shop.subjects('shop/refinery')).includes('MERGE_READY nux'));
  expect(opened().at(-1)).toBe(`polecat/nux main ${bead} mend the parser`);
  await until(async () => (await shop.told()).length === 0);
  // Nothing is merged, and the bead waits with the refinery.
  expect(shop.onMain()).toEqual(['first']);
  expect(shop.remoteBranch('polecat/nux')).not.toBeNull();
  expect(await shop.shown(bead)).toMatchObject({ status: 'in_progress', assignee: 'shop/refinery' });
  // The host squashes it; a letter only makes the witness look at once.
  shop.git(shop.repo, 'fetch', '-q');
  shop.git(shop.repo, 'checkout', '-q', '-B', 'host', 'origin/main');
  shop.git(shop.repo, 'merge', '-q', '--squash', 'origin/polecat/nux');
  shop.git(shop.repo, 'commit', '-qm', 'Mend the parser (#1)');
  shop.git(shop.repo, 'push', '-q', 'origin', 'HEAD:main');
  await shop.run('mail', 'send', 'shop/witness', '-s', 'MERGED nux', '-m', `Issue: ${bead}`);
  await until(async () => {
    await shop.cycle();
    return (await shop.shown(bead)).status === 'closed';
  });
});
