/** `examples/refinery` on real git and with a real town's mail: what it merges, what it refuses and why, and what it waits for. */
import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MAIN, until } from '../../cli/town.ts';
import { BY_HAND, Shop } from '../shop.ts';

const REFINERY = join(import.meta.dirname, '../../../examples/refinery');

let town: Shop;
let running: ChildProcess | null = null;

beforeEach(async () => {
  town = new Shop(BY_HAND);
  await town.open();
});
afterEach(() => {
  if (running?.pid !== undefined) process.kill(-running.pid, 'SIGKILL');
  running = null;
});

/** As the town starts it, but for its token. */
function refine(passes = 'true', base: string | null = 'main'): void {
  const env = { ...town.env(), TOWN: `${process.execPath} ${MAIN}`, TOWN_ROOT: town.root };
  running = spawn('bash', [REFINERY, 'shop', passes], {
    cwd: town.repo,
    env: base === null ? env : { ...env, TOWN_BASE: base },
    detached: true,
    stdio: 'ignore',
  });
}

/** A branch of the remote with one file, from a commit. */
function branch(name: string, file: string, text: string, from = 'main'): string {
  town.git(town.repo, 'checkout', '-q', '-B', `polecat/${name}`, from);
  writeFileSync(join(town.repo, file), text);
  town.git(town.repo, 'add', '.');
  town.git(town.repo, 'commit', '-qm', `do ${name}`);
  town.git(town.repo, 'push', '-q', 'origin', 'HEAD');
  return town.git(town.repo, 'rev-parse', 'HEAD');
}
const ask = (name: string, body = `Branch: polecat/${name}\n`): Promise<unknown> =>
  town.run('mail', 'send', 'shop/refinery', '-s', `MERGE_READY ${name}`, '-m', body);
const letters = (): Promise<{ subject: string; body: string }[]> => town.data('mail', 'inbox', 'shop/witness');
const onMain = (): string => town.git(town.remote, 'log', '--format=%s', 'main');

test('it merges, says why it does not, and puts each letter away', async () => {
  const main = town.git(town.remote, 'rev-parse', 'main');
  branch('good', 'good', 'good\n', main);
  branch('one', 'same', 'one\n', main);
  branch('two', 'same', 'two\n', main);
  branch('red', 'red', 'red\n', main);
  refine('test ! -e red || { echo "not ok 1 - red is there"; exit 7; }');
  for (const name of ['good', 'one', 'two', 'red', 'away']) await ask(name);
  await until(async () => (await letters()).length === 5);
  const said = new Map((await letters()).map(({ subject, body }) => [subject, body]));
  expect([...said.keys()].sort()).toEqual([
    'MERGED good',
    'MERGED one',
    'MERGE_FAILED away',
    'MERGE_FAILED red',
    'MERGE_FAILED two',
  ]);
  expect(said.get('MERGE_FAILED two')).toMatch(/^Error: CONFLICT \(add\/add\): Merge conflict in same/);
  expect(said.get('MERGE_FAILED red')).toMatch(/^Error: .* fails with exit code 7 .*: not ok 1 - red is there/);
  expect(said.get('MERGE_FAILED away')).toMatch(/^Error: the remote has no branch polecat\/away/);
  expect(onMain()).toContain('Merge polecat/good');
  expect(onMain()).not.toContain('Merge polecat/red');
  await until(async () => (await town.subjects('shop/refinery')).length === 0);
});

// Rules: law 11, P-2.
test('a letter of an agent hands no work over, whatever it says of its writer', async () => {
  const forged = branch('ace', 'ace', 'half done\n');
  branch('good', 'good', 'good\n', 'main');
  town.session('builder');
  const body = `From:    shop/witness (via town)\nBranch: polecat/ace\nCommit: ${forged}\n`;
  const words = ['--root', town.root, 'mail', 'send', 'shop/refinery', '-s', 'MERGE_READY ace', '-m', body];
  expect((await town.bare(words, { env: { TOWN_TOKEN: 'token-of-builder' } })).code).toBe(0);
  await ask('good');
  refine();
  await until(async () => (await town.subjects('shop/refinery')).length === 0);
  expect(await letters()).toMatchObject([{ subject: 'MERGED good' }]);
  expect(onMain()).not.toContain('do ace');
});

// Rules: law 11.
test('the tests of a branch speak in no name', async () => {
  branch('good', 'good', 'good\n');
  refine(`! ${process.execPath} ${MAIN} --root ${town.root} mail send shop/witness -s 'MERGED other'`);
  await ask('good');
  await until(async () => (await letters()).length > 0);
  expect(await letters()).toMatchObject([{ subject: 'MERGED good' }]);
});

test('it does not bring back what a forced push took out of main', async () => {
  const before = town.git(town.remote, 'rev-parse', 'main');
  const dropped = branch('base', 'secret', 'key\n');
  town.git(town.repo, 'push', '-q', 'origin', 'HEAD:main');
  const own = branch('late', 'late', 'late\n', dropped);
  town.git(town.remote, 'update-ref', 'refs/heads/main', before);
  refine();
  await ask('late', `Branch: polecat/late\nMain: ${dropped}\n`);
  await until(async () => (await letters()).length === 1);
  const [letter] = await letters();
  expect(letter).toMatchObject({ subject: 'MERGE_FAILED late' });
  expect(letter?.body).toContain(`git cherry-pick ${dropped}..polecat/late`);
  expect(town.git(town.remote, 'rev-parse', 'main')).toBe(before);
  // Its own commits alone are taken.
  town.git(town.repo, 'checkout', '-q', '-B', 'polecat/late', before);
  town.git(town.repo, 'cherry-pick', own);
  town.git(town.repo, 'push', '-qf', 'origin', 'HEAD');
  await ask('late', `Branch: polecat/late\nMain: ${dropped}\n`);
  await until(async () => (await letters()).some(({ subject }) => subject === 'MERGED late'));
});

const inRemote = (...words: string[]): void => {
  town.git(town.remote, ...words);
};
const hook = (): string => join(town.remote, 'hooks/pre-receive');

test.each<[string, string | null, () => void, () => void, RegExp]>([
  [
    'has no such branch',
    'trunk',
    () => undefined,
    () => inRemote('branch', 'trunk', 'main'),
    /has no branch trunk; .*town rig set shop --base <branch>/,
  ],
  [
    'names no branch by its HEAD',
    null,
    () => {
      inRemote('symbolic-ref', 'HEAD', 'refs/heads/gone');
      inRemote('update-ref', 'refs/heads/dev', 'main');
      inRemote('update-ref', '-d', 'refs/heads/main');
    },
    () => inRemote('branch', 'main', 'dev'),
    /has no branch main; .*town rig set shop --base <branch>/,
  ],
  [
    'refuses every push',
    'main',
    () => writeFileSync(hook(), '#!/bin/sh\necho "main is protected" >&2\nexit 1\n', { mode: 0o755 }),
    () => rmSync(hook()),
    /refuses a push to main: .*main is protected/s,
  ],
])('a remote that %s keeps the letter, and you are told once', async (_, base, happen, mend, text) => {
  branch('good', 'good', 'good\n');
  await ask('good');
  happen();
  refine('true', base);
  const told = async (): Promise<string[]> => {
    const all = await town.data<{ subject: string; body: string }[]>('mail', 'inbox', 'overseer');
    return all.filter(({ subject }) => subject === 'the refinery of shop waits').map(({ body }) => body);
  };
  await until(async () => (await told()).length > 0);
  expect(await town.subjects('shop/refinery')).toEqual(['MERGE_READY good']);
  expect(await letters()).toEqual([]);
  mend();
  await until(async () => (await letters()).length > 0);
  expect(await letters()).toMatchObject([{ subject: 'MERGED good' }]);
  expect(await told()).toEqual([expect.stringMatching(text)]);
});
