/** `town refinery` on real git and with a real town's mail: what it merges, what it refuses and why, and what it waits for. */
import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, until } from '../../cli/town.ts';
import { whenOver } from '../../world/over.ts';
import { RefineryShop } from '../yard.ts';

async function shopOf(rig = ''): Promise<RefineryShop> {
  const shop = new RefineryShop(rig);
  whenOver(() => shop.killRefinery());
  await shop.open();
  return shop;
}

// Rules: R-2, P-2.
test('it merges, says why it does not, deletes what it merged, and puts each letter away', async () => {
  const shop = await shopOf(
    `test = 'test ! -e red || { echo begins; echo "not ok 1 - red is there"; echo ends; exit 7; }'`,
  );
  const main = shop.git(shop.remote, 'rev-parse', 'main');
  await shop.ready('good', 'good', 'good\n', main);
  await shop.ready('one', 'same', 'one\n', main);
  await shop.ready('two', 'same', 'two\n', main);
  await shop.ready('red', 'red', 'red\n', main);
  await shop.ask('away');
  void shop.refine();
  await until(async () => (await shop.answers()).length === 5);
  const said = new Map((await shop.answers()).map(({ subject, body }) => [subject, body]));
  expect([...said.keys()].sort()).toEqual([
    'MERGED good',
    'MERGED one',
    'MERGE_FAILED away',
    'MERGE_FAILED red',
    'MERGE_FAILED two',
  ]);
  expect(said.get('MERGE_FAILED two')).toMatch(/^Error: CONFLICT \(add\/add\): Merge conflict in same\n/);
  expect(said.get('MERGE_FAILED red')).toMatch(
    /^Error: `.*` fails with exit code 7 on the merge of polecat\/red: not ok 1 - red is there\n.*\n\nbegins\nnot ok 1 - red is there\nends\n$/s,
  );
  expect(said.get('MERGE_FAILED away')).toMatch(/^Error: the remote has no branch polecat\/away/);
  expect(shop.onMain()).toContain('Merge polecat/good');
  expect(shop.onMain()).not.toContain('Merge polecat/red');
  expect(said.get('MERGED one')).toContain(`Merge-Commit: ${shop.git(shop.remote, 'rev-parse', 'main')}\n`);
  await until(async () => (await shop.subjects('shop/refinery')).length === 0);
  expect(shop.remoteBranch('polecat/good')).toBeNull();
  expect(shop.remoteBranch('polecat/red')).not.toBeNull();
  // What a person has checked out is as it was.
  expect(shop.git(shop.repo, 'status', '--porcelain')).toBe('');
  expect(shop.git(shop.repo, 'branch', '--show-current')).toBe('polecat/red');
});

// Rules: R-2.
test.each(['squash', 'rebase'] as const)(
  'by %s main gets commits of the author, and git shows the work as merged',
  async (way) => {
    const shop = await shopOf(`merge = "${way}"\ntest = "test -e new"`);
    const main = shop.git(shop.remote, 'rev-parse', 'main');
    shop.branch('good', 'new', 'one\n', main);
    shop.git(shop.repo, 'commit', '-q', '--allow-empty', '-m', 'nothing');
    const tip = shop.branch('good', 'new', 'two\n', 'polecat/good');
    await shop.ready('other', 'new', 'zero\n', main);
    await shop.ask('good', tip);
    shop.git(shop.repo, 'checkout', '-q', '-B', 'elsewhere', main);
    void shop.refine();
    await shop.answered('MERGED other');
    expect(await shop.answered('MERGE_FAILED good')).toMatch(/^Error: CONFLICT .*Merge conflict in new\n/);
    // On a file of its own it goes.
    shop.branch('late', 'late', 'one\n', main);
    const late = shop.branch('late', 'late', 'two\n', 'polecat/late');
    await shop.ask('late', late);
    await shop.answered('MERGED late');
    expect(shop.git(shop.remote, 'show', 'main:late')).toBe('two');
    expect(shop.git(shop.remote, 'log', '--merges', '--format=%s', 'main')).toBe('');
    const [last = ''] = shop.git(shop.remote, 'log', '-1', '--format=%an|%cn|%B', 'main').split('\0');
    expect(last).toMatch(/^t\|refinery of shop\|do late/);
    expect(shop.onMain().filter((subject) => subject === 'do late')).toHaveLength(way === 'squash' ? 1 : 2);
    expect(shop.git(shop.remote, 'rev-parse', `main~${way === 'squash' ? '1' : '2'}`)).not.toBe(main);
  },
);

// Rules: law 11, P-2.
test('a letter of an agent hands no work over, with any words about its writer', async () => {
  const shop = await shopOf();
  const forged = shop.branch('ace', 'ace', 'half done\n');
  shop.session('builder');
  const body = `From:    shop/witness (via town)\nBranch: polecat/ace\nCommit: ${forged}\n`;
  const words = ['--root', shop.root, 'mail', 'send', 'shop/refinery', '-s', 'MERGE_READY ace', '-m', body];
  expect((await shop.bare(words, { env: { TOWN_TOKEN: 'token-of-builder' } })).code).toBe(0);
  await shop.ready('good', 'good', 'good\n');
  void shop.refine();
  await shop.answered('MERGED good');
  expect(await shop.answers()).toHaveLength(1);
  expect(shop.onMain()).not.toContain('do ace');
});

// Rules: law 11.
test('the test of a branch speaks in no name, and another agent starts no refinery', async () => {
  const tries = `! ${process.execPath} ${MAIN} --root $TOWN_ROOT mail send shop/witness -s 'MERGED other'`;
  const shop = await shopOf(`test = ${JSON.stringify(tries)}`);
  await shop.ready('good', 'good', 'good\n');
  void shop.refine();
  await shop.answered('MERGED good');
  expect(await shop.answers()).toHaveLength(1);
  shop.session('builder');
  expect(await shop.as('token-of-builder', 'refinery', 'shop')).toMatchObject({ code: 5 });
  expect(await shop.run('refinery', 'shop')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('a refinery of shop runs already') as string,
  });
});

// Rules.
test('it does not bring back what a forced push took out of main', async () => {
  const shop = await shopOf();
  const before = shop.git(shop.remote, 'rev-parse', 'main');
  const dropped = shop.branch('base', 'secret', 'key\n');
  shop.git(shop.repo, 'push', '-q', 'origin', 'HEAD:main');
  const own = shop.branch('late', 'late', 'late\n', dropped);
  shop.git(shop.remote, 'update-ref', 'refs/heads/main', before);
  void shop.refine();
  await shop.ask('late', own, `Main: ${dropped}\n`);
  expect(await shop.answered('MERGE_FAILED late')).toContain(`git cherry-pick ${dropped}..polecat/late`);
  expect(shop.git(shop.remote, 'rev-parse', 'main')).toBe(before);
  // Its own commits alone are taken.
  shop.git(shop.repo, 'checkout', '-q', '-B', 'polecat/late', before);
  shop.git(shop.repo, 'cherry-pick', own);
  shop.git(shop.repo, 'push', '-qf', 'origin', 'HEAD');
  await shop.ask('late', null, `Main: ${dropped}\n`);
  await shop.answered('MERGED late');
});

// Rules: R-2.
test('work that its branch does not have any more is not merged, and what was pushed after the hand-over stays on its branch', async () => {
  const shop = await shopOf();
  const main = shop.git(shop.remote, 'rev-parse', 'main');
  const old = shop.branch('moved', 'moved', 'old\n', main);
  shop.branch('moved', 'moved', 'new\n', main);
  await shop.ask('moved', old);
  const first = shop.branch('more', 'more', 'one\n', main);
  const second = shop.branch('more', 'more', 'two\n', 'polecat/more');
  await shop.ask('more', first);
  void shop.refine();
  expect(await shop.answered('MERGE_FAILED moved')).toContain('a forced push moved polecat/moved');
  await shop.answered('MERGED more');
  await until(async () => (await shop.subjects('shop/refinery')).length === 0);
  expect(shop.git(shop.remote, 'show', 'main:more')).toBe('one');
  expect(shop.remoteBranch('polecat/more')).toBe(second);
});

// Rules: R-2, W-8.
test('the refinery that the town started ends where town.toml names none, and merges nothing', async () => {
  const shop = await shopOf();
  await shop.ready('good', 'good', 'good\n');
  shop.session('gt-shop-refinery');
  // A broken file does not say that.
  appendFileSync(join(shop.root, 'town.toml'), '[rig\n');
  const ended = shop.refine({ TOWN_TOKEN: 'token-of-gt-shop-refinery' });
  await until(async () => (await shop.told()).length > 0);
  expect(await shop.told()).toEqual([expect.stringContaining('until then the refinery of shop merges nothing')]);
  writeFileSync(join(shop.root, 'town.toml'), '');
  await ended;
  expect(shop.printed).toContain('town.toml names no refinery of shop');
  expect(shop.onMain()).toEqual(['first']);
  expect(await shop.subjects('shop/refinery')).toEqual(['MERGE_READY good']);
  // A person who starts it by hand wants it.
  void shop.refine();
  await shop.answered('MERGED good');
});

// Rules: R-2.
test('main that moves while a test runs is merged anew, and nothing of it is lost', async () => {
  const shop = await shopOf(`test = 'until test -e "$HOME/go"; do sleep 0.1; done'`);
  await shop.ready('slow', 'waits', 'slow\n');
  void shop.refine();
  await until(() => shop.printed.includes('tests the merge of polecat/slow'));
  shop.branch('person', 'person', 'by hand\n');
  shop.git(shop.repo, 'push', '-q', 'origin', 'HEAD:main');
  writeFileSync(join(shop.home, 'go'), '');
  await shop.answered('MERGED slow');
  expect(shop.onMain().slice(0, 1)).toEqual(['Merge polecat/slow']);
  expect(shop.git(shop.remote, 'show', 'main:person')).toBe('by hand');
});

// Rules: R-2.
test('a request that is taken back during its test, or before its turn, is neither merged nor answered', async () => {
  const shop = await shopOf(
    `test = 'echo $TOWN_BRANCH >>"$HOME/tested"; until test -e "$HOME/go-$TOWN_POLECAT"; do sleep 0.1; done; test ! -e red'`,
  );
  const main = shop.git(shop.remote, 'rev-parse', 'main');
  for (const name of ['good', 'red', 'late']) await shop.ready(name, name, 'new\n', main);
  const takes = async (name: string): Promise<void> => {
    const all = await shop.data<{ id: string; subject: string }[]>('mail', 'inbox', 'shop/refinery');
    const request = all.find(({ subject }) => subject === `MERGE_READY ${name}`)!;
    await shop.data('mail', 'archive', request.id, '--for', 'shop/refinery');
  };
  const go = (name: string): void => writeFileSync(join(shop.home, `go-${name}`), '');
  void shop.refine();
  for (const name of ['good', 'red']) {
    await until(() => shop.printed.includes(`tests the merge of polecat/${name}`));
    await takes(name);
    if (name === 'red') await takes('late');
    go(name);
    await until(() => shop.printed.includes(`polecat/${name}: its request was taken back`));
  }
  go('other');
  await shop.ready('other', 'other', 'other\n', main);
  await shop.answered('MERGED other');
  expect((await shop.answers()).map(({ subject }) => subject)).toEqual(['MERGED other']);
  expect(shop.onMain()).toEqual(['Merge polecat/other', 'do other', 'first']);
  expect(shop.remoteBranch('polecat/good')).not.toBeNull();
  expect(readFileSync(join(shop.home, 'tested'), 'utf8').split('\n')).not.toContain('polecat/late');
});

// Rules: R-2.
test('a red main is no fault of the work: one letter, no answer, and all is merged once main is mended', async () => {
  const shop = await shopOf(`test = 'test $TOWN_BRANCH = polecat/fine || test ! -e broken'`);
  shop.branch('person', 'broken', 'by hand\n');
  shop.git(shop.repo, 'push', '-q', 'origin', 'HEAD:main');
  for (const name of ['one', 'two']) await shop.ready(name, name, `${name}\n`);
  void shop.refine();
  await until(() => shop.printed.match(/polecat\/(one|two) waits: the test fails on main alone/g)?.length === 2);
  expect(await shop.told()).toEqual([
    expect.stringMatching(/^the test fails on main alone.*\n\n`test .* ! -e broken` fails .* on main itself/),
  ]);
  expect(await shop.answers()).toEqual([]);
  // A merge that mends nothing: both are tried again, and you hear nothing new.
  await shop.ready('fine', 'fine', 'fine\n');
  const since = (): string => shop.printed.split('polecat/fine: merged')[1] ?? '';
  await until(() =>
    ['one', 'two'].every((name) => since().includes(`polecat/${name} waits: the test fails on main alone`)),
  );
  shop.git(shop.repo, 'fetch', '-q', 'origin');
  shop.git(shop.repo, 'checkout', '-q', '-B', 'polecat/mend', 'origin/main');
  shop.git(shop.repo, 'rm', '-q', 'broken');
  shop.git(shop.repo, 'commit', '-qm', 'mend main');
  shop.git(shop.repo, 'push', '-q', 'origin', 'HEAD');
  await shop.ask('mend', shop.git(shop.repo, 'rev-parse', 'HEAD'));
  for (const name of ['mend', 'one', 'two']) await shop.answered(`MERGED ${name}`);
  expect(await shop.answers()).toHaveLength(4);
  await until(async () => (await shop.told()).length === 0);
  expect(await shop.told('--all')).toHaveLength(1);
});

// Rules: R-2.
test('a branch that the remote refuses waits alone: others are merged, and you have one letter until it is over', async () => {
  const shop = await shopOf();
  shop.hook(
    'while read old new ref; do git cat-file -e $new:big 2>/dev/null && { echo "file big is too large" >&2; exit 1; }; done; true',
  );
  shop.git(shop.repo, 'checkout', '-q', '-B', 'polecat/big', 'origin/main');
  rmSync(join(shop.remote, 'hooks/pre-receive'));
  const bead = await shop.bead('make it big');
  await shop.run('bead', 'update', bead, '--status', 'in_progress', '--assignee', 'shop/refinery');
  await shop.ask('big', shop.branch('big', 'big', 'big\n'), `Issue: ${bead}\n`);
  shop.hook(
    'while read old new ref; do [ $ref = refs/heads/main ] && git cat-file -e $new:big 2>/dev/null && { echo "file big is too large" >&2; exit 1; }; done; true',
  );
  await shop.ready('good', 'good', 'good\n');
  void shop.refine();
  await shop.answered('MERGED good');
  await until(async () => (await shop.told()).length > 0);
  expect(await shop.told()).toEqual([
    expect.stringMatching(/refuses polecat\/big on main: remote: file big is too large/),
  ]);
  expect(await shop.subjects('shop/refinery')).toEqual(['MERGE_READY big']);
  // Once you read it, what it says is still there.
  const [letter] = await shop.data<{ id: string }[]>('mail', 'inbox', 'overseer');
  await shop.run('mail', 'read', letter!.id);
  const said = async (...words: string[]): Promise<string> => (await shop.run(...words)).stdout.replaceAll(/\s+/g, ' ');
  for (const words of [['report'], ['why', bead]])
    expect(await said(...words)).toMatch(/the refinery tries again: origin refuses polecat\/big on main: .*too large/);
  // Another life of the refinery writes no second letter.
  await shop.killRefinery();
  void shop.refine();
  await until(() => shop.printed.split('polecat/big waits').length > 2);
  expect(await shop.told()).toHaveLength(1);
  rmSync(join(shop.remote, 'hooks/pre-receive'));
  await shop.answered('MERGED big');
  await until(async () => (await shop.told()).length === 0);
  expect(await said('why', bead)).not.toContain('tries again');
});

// Rules: R-2.
test('a remote that refuses one branch and later all has you told of both', async () => {
  const shop = await shopOf();
  const refuses = (when: string, says: string): void =>
    shop.hook(
      `while read old new ref; do [ $ref = refs/heads/main ] && ${when} && { echo "${says}" >&2; exit 1; }; done; true`,
    );
  refuses('git cat-file -e $new:big 2>/dev/null', 'file big is too large');
  await shop.ready('big', 'big', 'big\n');
  void shop.refine();
  await until(async () => (await shop.told()).length > 0);
  refuses('true', 'main is protected');
  for (const name of ['late', 'later']) await shop.ready(name, name, 'new\n', 'origin/main');
  await until(() => ['late', 'later'].every((name) => shop.printed.includes(`polecat/${name} waits`)));
  const letters = await shop.told('--all');
  expect(letters.filter((text) => text.includes('file big is too large'))).toHaveLength(1);
  expect(letters.filter((text) => text.includes('main is protected'))).toHaveLength(1);
});

const inRemote =
  (...words: string[]) =>
  (shop: RefineryShop): void => {
    shop.git(shop.remote, ...words);
  };

// Rules.
test.each<[string, (shop: RefineryShop) => void, (shop: RefineryShop) => void, RegExp]>([
  [
    'is away',
    (shop) => rename(shop, 'remote.git', 'away.git'),
    (shop) => rename(shop, 'away.git', 'remote.git'),
    /remote\.git/,
  ],
  [
    'has lost its main branch',
    (shop) => {
      inRemote('symbolic-ref', 'HEAD', 'refs/heads/gone')(shop);
      inRemote('update-ref', 'refs/heads/dev', 'main')(shop);
      inRemote('update-ref', '-d', 'refs/heads/main')(shop);
    },
    inRemote('branch', 'main', 'dev'),
    /no main branch: .*town rig set shop --base <branch>/,
  ],
  [
    'is not the recorded one',
    (shop) => void shop.git(shop.repo, 'remote', 'set-url', 'origin', '/elsewhere'),
    (shop) => void shop.git(shop.repo, 'remote', 'set-url', 'origin', shop.remote),
    /was added with origin at/,
  ],
])('while the remote %s the letter stays, and you are told once', async (_, happen, mend, text) => {
  const shop = await shopOf();
  await shop.ready('good', 'good', 'good\n');
  happen(shop);
  void shop.refine();
  await until(async () => (await shop.told()).length > 0);
  expect(await shop.told()).toEqual([expect.stringMatching(text)]);
  expect(await shop.subjects('shop/refinery')).toEqual(['MERGE_READY good']);
  expect(await shop.answers()).toEqual([]);
  mend(shop);
  await shop.answered('MERGED good');
  await until(async () => (await shop.told()).length === 0);
});

function rename(shop: RefineryShop, from: string, to: string): void {
  renameSync(join(shop.home, from), join(shop.home, to));
}
