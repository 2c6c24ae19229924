/** `merge = "pull-request"`: a command of the person opens it, the host merges it, and the town sees that in main. */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, until } from '../../cli/town.ts';
import { whenOver } from '../../world/over.ts';
import { RefineryShop } from '../yard.ts';

/** The work of polecat nux, pushed and handed over by the witness: the refinery has its letter. */
async function handedOver(shop: RefineryShop): Promise<{ readonly bead: string; readonly commit: string }> {
  const bead = await shop.bead('mend the parser');
  const dir = await shop.polecat('nux', bead, 'sleep', '100000');
  writeFileSync(join(dir, 'parser'), 'mended\n');
  shop.git(dir, 'add', '.');
  shop.git(dir, 'commit', '-qm', 'mend it');
  shop.git(dir, 'push', '-q', 'origin', 'HEAD');
  const commit = shop.git(dir, 'rev-parse', 'HEAD');
  await shop.run('mail', 'send', 'shop/witness', '-s', 'POLECAT_DONE nux');
  await shop.ends('nux');
  await until(async () => {
    await shop.cycle();
    return (await shop.subjects('shop/refinery')).includes('MERGE_READY nux');
  });
  return { bead, commit };
}

/** Resolves when the refinery has asked for its pull request. */
const isAsked = (shop: RefineryShop): Promise<unknown> =>
  until(async () => !(await shop.subjects('shop/refinery')).includes('MERGE_READY nux'));

/** The host merges the work as a squash from another clone, and pushes `refs`. */
function squash(shop: RefineryShop, ...refs: readonly string[]): void {
  shop.git(shop.repo, 'fetch', '-q');
  shop.git(shop.repo, 'checkout', '-q', '-B', 'host', 'origin/main');
  shop.git(shop.repo, 'merge', '-q', '--squash', 'origin/polecat/nux');
  shop.git(shop.repo, 'commit', '-qm', 'Mend the parser (squashed)');
  shop.git(shop.repo, 'push', '-q', 'origin', ...refs);
}

// Rules: R-2, P-2.
test('its command opens it after the test; a red one goes back, others wait for none, and the merge of the host closes the bead', async () => {
  const opens = `echo "$TOWN_BRANCH $TOWN_BASE $TOWN_BEAD $TOWN_TITLE" >>"$HOME/opened"; test ! -e "$HOME/away"`;
  const shop = new RefineryShop(
    `merge = "pull-request"\ntest = "test ! -e red"\npull_request = ${JSON.stringify(opens)}\nmax_polecats = 2`,
  );
  whenOver(() => shop.killRefinery());
  await shop.open();
  const opened = (): string[] => readFileSync(join(shop.home, 'opened'), 'utf8').trim().split('\n');
  const { bead } = await handedOver(shop);
  await shop.ready('red', 'red', 'red\n');
  // The command that opens it is away at first: it waits, the red one does not.
  writeFileSync(join(shop.home, 'away'), '');
  void shop.refine();
  await shop.answered('MERGE_FAILED red');
  await until(async () => (await shop.told()).length > 0);
  expect(await shop.told()).toEqual([expect.stringContaining('came to nothing')]);
  rmSync(join(shop.home, 'away'));
  await isAsked(shop);
  expect(opened().at(-1)).toBe(`polecat/nux main ${bead} mend the parser`);
  await until(async () => (await shop.told()).length === 0);
  // Nothing is merged, and the bead waits with the refinery.
  expect(shop.onMain()).toEqual(['first']);
  expect(shop.remoteBranch('polecat/nux')).not.toBeNull();
  expect(await shop.shown(bead)).toMatchObject({ status: 'in_progress', assignee: 'shop/refinery' });
  // The host squashes it; a letter only makes the witness look at once.
  squash(shop, 'HEAD:main');
  await shop.run('mail', 'send', 'shop/witness', '-s', 'MERGED nux', '-m', `Issue: ${bead}`);
  await until(async () => {
    await shop.cycle();
    return (await shop.shown(bead)).status === 'closed';
  });
});

// Rules: R-2, P-2, R-4, A-4.
test('one that is open is named with its address; one that is closed unmerged is a question until it is handed over again', async () => {
  const opens = 'echo opened; echo "https://host.example/pull/7"';
  const shop = new RefineryShop(`merge = "pull-request"\npull_request = ${JSON.stringify(opens)}\nmax_polecats = 2`);
  whenOver(() => shop.killRefinery());
  await shop.open();
  const { bead, commit } = await handedOver(shop);
  void shop.refine();
  await isAsked(shop);
  const said = async (...words: string[]): Promise<string> => (await shop.run(...words)).stdout.replaceAll(/\s+/g, ' ');
  const open = /its pull request is open since \d\d:\d\d \(https:\/\/host.example\/pull\/7\)/;
  // The host has its branch: nothing is asked.
  expect(await shop.stands()).toEqual([]);
  expect(await said('report')).toMatch(open);
  expect(await said('why', bead)).toMatch(open);
  expect(await said('status')).toMatch(/pull request of \S+ \(mend the parser\), open since \d\d:\d\d: https/);
  // It is closed, and its branch deleted; the work of another way into main is none of it.
  shop.git(shop.remote, 'update-ref', '-d', 'refs/heads/polecat/nux');
  const [closed = '', ...others] = await shop.stands();
  expect([closed, others]).toEqual([
    expect.stringMatching(
      /^the pull request \(https:\/\/host.example\/pull\/7\) of \S+ \(mend the parser\) on polecat\/nux at /,
    ),
    [],
  ]);
  expect(closed).toContain(`the commit ${commit} is kept`);
  expect(await shop.shown(bead)).toMatchObject({ status: 'in_progress', assignee: 'shop/refinery' });
  await until(async () => (await said('questions')).includes('was closed, or merged with changes'));
  expect(await said('report')).toMatch(/waits for you .*was closed, or merged with changes/);
  expect(await said('why', bead)).toContain('was closed, or merged with changes');
  expect(await said('status')).not.toContain('open since');
  // As the question says; each line is typed as it stands.
  const again = closed.slice(closed.indexOf('type: ') + 'type: '.length);
  execFileSync('bash', ['-c', `town() { "$NODE" "$MAIN" --root "$ROOT" "$@"; }; ${again}`], {
    env: { ...shop.env(), NODE: process.execPath, MAIN, ROOT: shop.root },
    stdio: 'ignore',
  });
  expect(await shop.stands()).toEqual([]);
  await isAsked(shop);
  expect([await shop.stands(), shop.remoteBranch('polecat/nux')]).toEqual([[], commit]);
  await until(async () => !(await said('questions')).includes('was closed, or merged with changes'));
  // Merged as a squash by another clone, which deletes the branch.
  squash(shop, 'HEAD:main', ':polecat/nux');
  expect(await shop.stands()).toEqual([]);
  expect(await shop.shown(bead)).toMatchObject({ status: 'closed' });
  expect(shop.names('patrols/pull-requests')).toEqual([]);
  expect(await said('status')).not.toContain('pull request');
});
