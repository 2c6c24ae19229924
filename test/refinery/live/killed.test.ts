/**
 * `kill -9` of the refinery at every step that it takes: a git of ours in its PATH kills it at its first call of git, its next life at the
 * second one, and so on until a life comes to its end. What it had asked of git then happens or does not, in turn.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { until } from '../../cli/town.ts';
import { whenOver } from '../../world/over.ts';
import { RefineryShop } from '../yard.ts';

vi.setConfig({ testTimeout: 900_000 });

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A folder for PATH whose git kills the process in `pid` at the call whose number is in `at`. */
function deadly(shop: RefineryShop): string {
  const dir = join(shop.home, 'deadly');
  mkdirSync(dir);
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const lines = [
    '#!/bin/bash',
    `cd_=${dir}`,
    'printf x >>$cd_/calls',
    'n=$(stat -c %s $cd_/calls)',
    'if [ "$n" = "$(cat $cd_/at)" ]; then',
    '  kill -9 "$(cat $cd_/pid)"',
    '  [ $((n % 3)) = 0 ] && exit 1',
    'fi',
    `exec ${real} "$@"`,
  ];
  writeFileSync(join(dir, 'git'), `${lines.join('\n')}\n`, { mode: 0o755 });
  return dir;
}

/** Begins it again and again, each life killed at a later call, until it has put its letters away. How many lives that took. */
async function livesOf(shop: RefineryShop, step: number): Promise<number> {
  const dir = deadly(shop);
  const env = { PATH: `${dir}:${process.env['PATH'] ?? ''}` };
  let lives = 0;
  const waits = (): boolean => ['new', 'cur'].some((box) => shop.names(`mail/shop+refinery/${box}`).length > 0);
  while (waits()) {
    lives += 1;
    writeFileSync(join(dir, 'at'), String(1 + (lives - 1) * step));
    writeFileSync(join(dir, 'calls'), '');
    let isGone = false;
    void shop.refine(env, (pid) => writeFileSync(join(dir, 'pid'), String(pid))).then(() => (isGone = true));
    await until(() => isGone || !waits());
  }
  await shop.killRefinery();
  return lives;
}

/** Its answered request is before it again, as of one that was killed before it put that away. */
async function asksAgain(shop: RefineryShop): Promise<void> {
  const boxes = readdirSync(join(shop.root, 'mail'));
  const box = join(
    shop.root,
    'mail',
    boxes.find((name) => name.includes('refinery'))!,
  );
  for (const name of readdirSync(join(box, 'archive'))) renameSync(join(box, 'archive', name), join(box, 'new', name));
  void shop.refine();
  await until(async () => (await shop.subjects('shop/refinery')).length === 0);
}

// Rules: R-2, I-1.
test.each([
  ['squash', 1],
  // Two in three calls are left out: it takes as many as a squash, and every third of them is another step.
  ['rebase', 3],
  ['merge', 3],
])('killed at its calls of git, it merges once by %s and loses nothing', async (way, step) => {
  const shop = new RefineryShop(`merge = "${way}"\ntest = "test -e new && sleep 0.2"`);
  whenOver(() => shop.killRefinery());
  await shop.open();
  const work = await shop.ready('good', 'new', 'new\n');
  // Main moved on, so that a rebase makes another commit of it.
  shop.git(shop.repo, 'checkout', '-q', '-B', 'moved', 'origin/main');
  shop.git(shop.repo, 'commit', '-q', '--allow-empty', '-m', 'moved');
  shop.git(shop.repo, 'push', '-q', 'origin', 'HEAD:main');
  shop.git(shop.repo, 'checkout', '-q', '--detach');
  // A dozen calls at the least: the remote asked, the work found, the commit made, checked out, pushed, the branch deleted.
  expect((await livesOf(shop, step)) * step).toBeGreaterThan(12);
  const subjects = shop.onMain();
  expect(subjects.filter((one) => one === 'do good')).toHaveLength(1);
  expect(subjects).toHaveLength(way === 'merge' ? 4 : 3);
  expect(subjects.slice(-1)).toEqual(['first']);
  expect(shop.git(shop.remote, 'show', 'main:new')).toBe('new');
  expect((await shop.answers()).map(({ subject }) => subject)).toEqual(['MERGED good']);
  expect(shop.remoteBranch('polecat/good')).toBeNull();
  expect(shop.git(shop.repo, 'cat-file', '-t', work)).toBe('commit');
  const before = shop.git(shop.remote, 'rev-parse', 'main');
  await asksAgain(shop);
  expect(shop.git(shop.remote, 'rev-parse', 'main')).toBe(before);
  expect((await shop.answers()).map(({ subject }) => subject)).toEqual(['MERGED good']);
});

// Rules: R-2, I-1.
test('killed at its calls of git, it opens a pull request and neither merges nor loses the work', async () => {
  const opens = `echo "$TOWN_BRANCH" >>"$HOME/opened"`;
  const shop = new RefineryShop(
    `merge = "pull-request"\ntest = "test -e new"\npull_request = ${JSON.stringify(opens)}`,
  );
  whenOver(() => shop.killRefinery());
  await shop.open();
  const work = await shop.ready('good', 'new', 'new\n');
  shop.git(shop.repo, 'checkout', '-q', '--detach');
  expect(await livesOf(shop, 2)).toBeGreaterThan(2);
  expect(shop.onMain()).toEqual(['first']);
  expect(shop.remoteBranch('polecat/good')).toBe(work);
  expect((await shop.answers()).map(({ subject }) => subject)).toEqual([]);
  const opened = readFileSync(join(shop.home, 'opened'), 'utf8').trim().split('\n');
  expect(new Set(opened)).toEqual(new Set(['polecat/good']));
});

// Rules: R-2.
test('what a kill left in its worktree, and what a killed test left running, is in the way of nothing', async () => {
  const shop = new RefineryShop(
    `test = 'test -e wait && { sleep 1000 & echo $! >"$HOME/left"; sleep 1000; }; test ! -e stray'`,
  );
  whenOver(() => shop.killRefinery());
  await shop.open();
  const first = await shop.ready('first', 'wait', 'wait\n');
  void shop.refine();
  await until(() => readdirSync(shop.home).includes('left'));
  await shop.killRefinery();
  const left = Number(execFileSync('cat', [join(shop.home, 'left')], { encoding: 'utf8' }));
  process.kill(left, 0);
  // Its branch was pushed anew meanwhile, and a git in the worktree was killed in the middle of a checkout.
  shop.branch('first', 'mended', 'mended\n', `${first}~1`);
  const tree = join(shop.root, 'shop/refinery');
  writeFileSync(join(tree, 'stray'), '');
  writeFileSync(shop.git(tree, 'rev-parse', '--git-path', 'index.lock'), '');
  await shop.ask('first');
  void shop.refine();
  expect(await shop.answered('MERGED first')).toContain('Merge-Commit: ');
  await until(() => !lives(left));
  // Its folder is gone: it makes another.
  execFileSync('rm', ['-rf', tree]);
  await shop.ready('second', 'second', 'second\n');
  await shop.answered('MERGED second');
  // … and is in its place without git's part of it.
  execFileSync('rm', ['-rf', join(shop.repo, '.git/worktrees/refinery')]);
  await shop.ready('third', 'third', 'third\n');
  await shop.answered('MERGED third');
});
