/** Which works a forced push took out of main, and how often git is started to see what main lost: on real git. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BranchWork } from '../../../src/rigs/in-main.ts';
import { mainOf } from '../../../src/rigs/main-branch.ts';
import { RigOn } from '../yard.ts';

const { PATH } = process.env;
afterEach(() => {
  process.env['PATH'] = PATH;
});

let it: RigOn;
let works: Map<string, BranchWork>;
let starts: () => number;
const commitOf = (name: string): string => it.git('rev-parse', name).trim();
const pushed = async (): Promise<void> => {
  it.git('push', '-q', '--force', 'origin', 'main');
  await mainOf(it.rig);
};
/** A branch with a commit of its own on main, or on what an earlier attempt left. */
function work(
  name: string,
  { onto = 'main', base = commitOf('main') }: { onto?: string; base?: string | null } = {},
): void {
  it.git('checkout', '-q', '-b', name, onto);
  it.commit(name, `${name}\n`);
  works.set(name, { commit: commitOf(name), base });
  it.git('checkout', '-q', 'main');
}
function squash(name: string): void {
  it.git('merge', '-q', '--squash', name);
  it.git('commit', '-q', '-m', `squash of ${name}`);
}
/** As a process that has asked nothing yet. */
async function lost(): Promise<string[]> {
  vi.resetModules();
  return lostAgain();
}
async function lostAgain(): Promise<string[]> {
  const { lostFrom } = await import('../../../src/rigs/lost-work.ts');
  const found = (await lostFrom(it.rig, () => Promise.resolve([...works.values()]))).flatMap(({ commits }) => commits);
  return [...works].flatMap(([name, { commit }]) => (found.includes(commit) ? [name] : []));
}
/** Puts a git in front that notes each of its starts and then is the real one. */
function countStarts(): () => number {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const [log, bin] = [join(it.root, 'starts'), join(it.root, 'bin')];
  mkdirSync(bin);
  writeFileSync(join(bin, 'git'), `#!/bin/sh\necho >> '${log}'\nexec '${real}' "$@"\n`, { mode: 0o755 });
  process.env['PATH'] = `${bin}:${PATH ?? ''}`;
  return () => {
    const count = readFileSync(log, 'utf8').length;
    writeFileSync(log, '');
    return count;
  };
}

const KEPT = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];
/** The push takes out a squash, a merge commit, and the first part of a work of two attempts. */
beforeEach(async () => {
  it = new RigOn();
  works = new Map();
  for (const name of KEPT) {
    work(name);
    squash(name);
  }
  const kept = commitOf('main');
  work('squashed');
  squash('squashed');
  work('merged');
  it.commit('beside', 'beside\n');
  it.git('merge', '-q', '--no-ff', 'merged');
  work('unknown-base', { base: null });
  squash('unknown-base');
  work('attempt');
  squash('attempt');
  works.delete('attempt');
  work('attempts', { onto: 'attempt' });
  squash('attempts');
  const last = commitOf('main');
  await pushed();
  it.git('reset', '-q', '--hard', kept);
  it.git('cherry-pick', last);
  await pushed();
  starts = countStarts();
  writeFileSync(join(it.root, 'starts'), '');
});
const LOST = ['squashed', 'merged', 'unknown-base', 'attempts'];

// Rules: law 4, R-4.
test('only what it took out is asked for again, each time that main moves and by each other process', async () => {
  expect(await lost()).toEqual(LOST);
  it.commit('six', 'another\n');
  await pushed();
  starts();
  expect(await lostAgain()).toEqual(LOST);
  const moved = starts();
  expect(await lost()).toEqual(LOST);
  const other = starts();
  // Each work that it left alone would be four starts more, and 'six' others.
  expect([moved < 64, other < 84]).toEqual([true, true]);
  squash('squashed');
  await pushed();
  expect(await lostAgain()).toEqual(['merged', 'unknown-base', 'attempts']);
  // Work that is merged later was in no main before that push.
  work('later');
  squash('later');
  await pushed();
  expect(await lostAgain()).toEqual(['merged', 'unknown-base', 'attempts']);
});

test('a record that tells nothing is no trouble', async () => {
  await lost();
  const [ref = ''] = it.git('for-each-ref', '--format=%(refname)', 'refs/town/lost').trim().split('\n');
  writeFileSync(join(it.root, 'blob'), 'of another version\ntaken\n');
  it.git('update-ref', ref, it.git('hash-object', '-w', join(it.root, 'blob')).trim());
  expect(await lost()).toEqual(LOST);
});
