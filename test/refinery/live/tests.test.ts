/** Tests of a merge that hang, flood, or leave processes; and repositories with submodules, with Git LFS, and with much in them. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../cli/town.ts';
import { whenOver } from '../../world/over.ts';
import { RefineryShop } from '../yard.ts';

async function shopOf(rig = ''): Promise<RefineryShop> {
  const shop = new RefineryShop(rig);
  whenOver(() => shop.killRefinery());
  await shop.open();
  return shop;
}
const pidsIn = (shop: RefineryShop, name: string): number[] =>
  readFileSync(join(shop.home, name), 'utf8').trim().split('\n').map(Number);
function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Leaves one process in its group, one in a session of its own, one whose parent is gone. */
const LEAVES = [
  'sleep 1000 & echo $! >>"$HOME/pids"',
  'setsid sleep 1000 & echo $! >>"$HOME/pids"',
  '(setsid bash -c \'trap "" TERM HUP; echo $$ >>"$HOME/pids"; while :; do sleep 1; done\' &)',
  'until [ $(wc -l <"$HOME/pids") -ge 3 ]; do sleep 0.1; done',
].join('\n');

// Rules: R-2, I-14.
test('a test that hangs is ended with all that it started, and with nothing else; the next merge goes on', async () => {
  const shop = await shopOf('test = "bash \\"$HOME/check\\""\ntest_limit = "3s"');
  writeFileSync(join(shop.home, 'check'), `test -e hangs || exit 0\n${LEAVES}\necho "still at it"\nsleep 1000\n`);
  const bystander = execFileSync('bash', ['-c', 'setsid sleep 1000 >/dev/null 2>&1 & echo $!'], {
    encoding: 'utf8',
    env: shop.env(),
  });
  await shop.ready('hangs', 'hangs', 'hangs\n');
  await shop.ready('good', 'good', 'good\n');
  void shop.refine();
  await shop.answered('MERGED good');
  await until(async () => (await shop.told()).length > 0);
  expect(await shop.told()).toEqual([
    expect.stringMatching(/did not end within 3 s on the merge of polecat\/hangs.*\n.*still at it/s),
  ]);
  expect((await shop.answers()).map(({ subject }) => subject)).toEqual(['MERGED good']);
  expect(await shop.subjects('shop/refinery')).toEqual(['MERGE_READY hangs']);
  await until(
    () => pidsIn(shop, 'pids').filter(lives),
    (left) => left.length === 0,
  );
  expect(lives(Number(bystander))).toBe(true);
});

// Rules: R-2, I-14.
test('a test that passes and leaves processes counts, and they are ended', async () => {
  const shop = await shopOf('test = "bash \\"$HOME/check\\""');
  writeFileSync(join(shop.home, 'check'), `${LEAVES}\nexit 0\n`);
  await shop.ready('good', 'good', 'good\n');
  void shop.refine();
  await shop.answered('MERGED good');
  await until(
    () => pidsIn(shop, 'pids').filter(lives),
    (left) => left.length === 0,
  );
});

// Rules: R-2.
test('a test that prints a gigabyte fails by its last words, and costs no memory', async () => {
  const shop = await shopOf(
    `test = 'test -e loud || exit 0; head -c 1000000000 /dev/zero | tr "\\\\0" "x" | fold -w 100; echo; echo "not ok 1 - all of it is red"; exit 1'`,
  );
  await shop.ready('loud', 'loud', 'loud\n');
  const pid = await new Promise<number>((resolve) => void shop.refine({}, resolve));
  expect(await shop.answered('MERGE_FAILED loud')).toMatch(/^Error: .*: not ok 1 - all of it is red\n/);
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1];
  expect(Number(peak)).toBeLessThan(400_000);
});

// Rules: R-2.
test('the test finds submodules, and their commit on main is the merged one', async () => {
  const shop = await shopOf(`test = 'test "$TOWN_BRANCH" = main || grep -q two lib/code'`);
  const lib = join(shop.home, 'lib');
  execFileSync('git', ['init', '-q', '-b', 'main', lib]);
  const change = (text: string): void => {
    writeFileSync(join(lib, 'code'), text);
    shop.git(lib, 'add', '.');
    shop.git(lib, 'commit', '-qm', text);
  };
  change('one');
  // As a person allows it: git takes no submodule from a path otherwise.
  appendFileSync(join(shop.home, '.gitconfig'), '[protocol "file"]\n\tallow = always\n');
  shop.git(shop.repo, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', lib, 'lib');
  shop.git(shop.repo, 'commit', '-qm', 'with a library');
  shop.git(shop.repo, 'push', '-q', 'origin', 'HEAD:main');
  await shop.ready('old', 'old', 'old\n');
  change('two');
  shop.git(shop.repo, 'checkout', '-q', '-B', 'polecat/new', 'origin/main');
  shop.git(join(shop.repo, 'lib'), 'fetch', '-q');
  shop.git(join(shop.repo, 'lib'), 'checkout', '-q', 'origin/main');
  shop.git(shop.repo, 'commit', '-qam', 'take the new library');
  shop.git(shop.repo, 'push', '-q', 'origin', 'HEAD');
  await shop.ask('new', shop.git(shop.repo, 'rev-parse', 'HEAD'));
  void shop.refine();
  expect(await shop.answered('MERGE_FAILED old')).toContain('fails with exit code 1');
  await shop.answered('MERGED new');
  expect(shop.git(shop.remote, 'rev-parse', 'main:lib')).toBe(shop.git(lib, 'rev-parse', 'HEAD'));
});

// Rules: R-2.
test('the test finds the files that Git LFS keeps, not their pointers', async () => {
  const shop = await shopOf('test = "test $(wc -c <big.bin) = 100000"');
  shop.git(shop.repo, 'lfs', 'install', '--local');
  shop.git(shop.repo, 'lfs', 'track', '*.bin');
  shop.git(shop.repo, 'add', '.');
  shop.git(shop.repo, 'commit', '-qm', 'with LFS');
  shop.git(shop.repo, 'push', '-q', 'origin', 'HEAD:main');
  await shop.ready('good', 'big.bin', 'x'.repeat(100_000));
  expect(shop.git(shop.repo, 'cat-file', 'blob', 'HEAD:big.bin')).toContain('git-lfs');
  void shop.refine();
  await shop.answered('MERGED good');
  expect(shop.git(shop.remote, 'cat-file', 'blob', 'main:big.bin')).toContain('git-lfs');
  expect(existsSync(join(shop.root, 'shop/refinery/big.bin'))).toBe(true);
  await until(async () => (await shop.subjects('shop/refinery')).length === 0);
});
