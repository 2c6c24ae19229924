/**
 * `kill -9` of the refinery at every step that it takes: a git of ours in its PATH kills it at its first call of git, its next life at the
 * second one, and so on until a life comes to its end. What it had asked of git then happens or does not, in turn.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
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

// Rules: R-2, I-1.
test('killed at each of its calls of git, it merges once and loses nothing', async () => {
  const shop = new RefineryShop('merge = "squash"\ntest = "test -e new && sleep 0.2"');
  whenOver(() => shop.killRefinery());
  await shop.open();
  const dir = deadly(shop);
  const work = await shop.ready('good', 'new', 'new\n');
  shop.git(shop.repo, 'checkout', '-q', '--detach');
  const env = { PATH: `${dir}:${process.env['PATH'] ?? ''}` };
  let lives = 0;
  const waits = (): boolean => ['new', 'cur'].some((box) => shop.names(`mail/shop+refinery/${box}`).length > 0);
  while (waits()) {
    lives += 1;
    writeFileSync(join(dir, 'at'), String(lives));
    writeFileSync(join(dir, 'calls'), '');
    let isGone = false;
    void shop.refine(env, (pid) => writeFileSync(join(dir, 'pid'), String(pid))).then(() => (isGone = true));
    await until(() => isGone || !waits());
  }
  await shop.killRefinery();
  // A dozen calls at the least: the remote asked, the work found, the commit made, checked out, pushed, the branch deleted.
  expect(lives).toBeGreaterThan(12);
  // Once, and by a commit that git cannot tell by its parents.
  expect(shop.onMain()).toEqual(['do good', 'first']);
  expect(shop.git(shop.remote, 'show', 'main:new')).toBe('new');
  expect((await shop.answers()).map(({ subject }) => subject)).toEqual(['MERGED good']);
  expect(shop.remoteBranch('polecat/good')).toBeNull();
  expect(shop.git(shop.repo, 'cat-file', '-t', work)).toBe('commit');
  // Killed after its answer, and before it put the request away.
  const box = join(
    shop.root,
    'mail',
    readdirSync(join(shop.root, 'mail')).find((name) => name.includes('refinery'))!,
  );
  for (const name of readdirSync(join(box, 'archive'))) renameSync(join(box, 'archive', name), join(box, 'new', name));
  const before = shop.git(shop.remote, 'rev-parse', 'main');
  void shop.refine();
  await until(async () => (await shop.subjects('shop/refinery')).length === 0);
  expect(shop.git(shop.remote, 'rev-parse', 'main')).toBe(before);
  expect((await shop.answers()).map(({ subject }) => subject)).toEqual(['MERGED good']);
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
