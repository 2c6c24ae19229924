/** Worktrees that are gone: the disk tells so, and git is asked once for all of them. What neither can tell is unknown. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import { treeStateOf, treeTextOf } from '../../../src/patrols/witness/tree-state.ts';
import { treesOf } from '../../../src/patrols/witness/trees.ts';
import { RigOn } from '../../rigs/yard.ts';

const MANY = 12;

let it: RigOn;
let base: string;
beforeEach(() => {
  it = new RigOn();
  base = it.git('rev-parse', 'HEAD').trim();
});

const recordOf = (name: string): PolecatRecord => {
  const main = { branch: 'main', commit: base };
  return {
    rig: 'shop',
    name,
    uuid: `u-${name}`,
    step: 'running',
    base,
    main,
    tip: null,
    bead: null,
    command: ['x'],
    at: 1,
  };
};
const goneOnes = Array.from({ length: MANY }, (_, nth) => `p${nth}`);

async function judged(record: PolecatRecord, trees = treesOf(it.at())): Promise<string> {
  const facts = await trees.look(record);
  return `${treeStateOf(facts, record)}: ${treeTextOf(facts)}`;
}

/** Starts of git from now on, by a program of the name that notes each and goes on as git. */
function startsOfGit(): () => number {
  const [folder, log] = [join(it.root, 'shim'), join(it.root, 'starts')];
  const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  mkdirSync(folder);
  writeFileSync(log, '');
  writeFileSync(join(folder, 'git'), `#!/bin/sh\necho >> ${log}\nexec ${git} "$@"\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}:${process.env['PATH'] ?? ''}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return () => readFileSync(log, 'utf8').length;
}

// Rules: P-3.
test('a look at many starts git no more often than a look at one', async () => {
  for (const name of goneOnes) it.git('branch', `polecat/${name}`);
  const starts = startsOfGit();
  const trees = treesOf(it.at());
  await judged(recordOf('p0'), trees);
  const forOne = starts();
  const others = goneOnes.map((name) => judged(recordOf(name), trees));
  expect(new Set(await Promise.all(others))).toEqual(new Set(['wrong: it is not there']));
  expect(starts()).toBe(forOne);
  expect(forOne).toBeGreaterThan(0);
});

test('whether the branch of one that worked for hours has moved starts no git where it is packed away and has no log', async () => {
  for (const name of goneOnes) it.git('branch', `polecat/${name}`);
  it.git('pack-refs', '--all');
  rmSync(join(it.top, '.git/logs/refs/heads/polecat'), { recursive: true });
  const starts = startsOfGit();
  expect(await treesOf(it.at()).movedAt(recordOf('p1'))).toBe(0);
  expect(starts()).toBe(0);
});

test('one whose branch has commits of its own says so', async () => {
  const record = await it.spawn();
  it.gitIn(it.dirOf(), 'commit', '-q', '--allow-empty', '-m', 'work');
  const commit = it.git('rev-parse', 'polecat/nux').slice(0, 12);
  rmSync(it.dirOf(), { recursive: true });
  expect(await judged(record)).toBe(`wrong: it is not there; git keeps commits of its branch, up to ${commit}`);
});

test('one of which neither worktree nor branch is there is missing too', async () => {
  expect(await judged(recordOf('ace'))).toBe('wrong: it is not there');
});

test('one whose removal was begun is being taken away', async () => {
  expect(await judged({ ...recordOf('ace'), step: 'going' })).toBe('going: it is not there');
});

// Rules: P-6.
test('a repository that git cannot open makes each unknown', async () => {
  writeFileSync(join(it.top, '.git/packed-refs'), 'no refs at all\n');
  const trees = treesOf(it.at());
  for (const name of ['p1', 'p2'])
    expect(await judged(recordOf(name), trees)).toMatch(/^unknown: it could not be looked at: .*packed-refs/);
  renameSync(join(it.top, '.git'), join(it.top, 'away'));
  expect(await judged(recordOf('p1'))).toMatch(/^unknown: it could not be looked at: /);
});

// Rules: P-6.
test('a folder that the disk cannot look into makes it unknown', async () => {
  mkdirSync(join(it.town, 'shop'));
  symlinkSync('polecats', join(it.town, 'shop/polecats'));
  expect(await judged(recordOf('p1'))).toMatch(/^unknown: it could not be looked at: .*ELOOP/);
});

test('a folder that git cannot open is there, and no worktree', async () => {
  mkdirSync(it.dirOf('p1'), { recursive: true });
  writeFileSync(join(it.dirOf('p1'), 'file'), '');
  expect(await judged(recordOf('p1'))).toBe('wrong: it holds no .git, so it is no worktree');
  writeFileSync(join(it.dirOf('p1'), '.git'), 'gitdir: /nowhere\n');
  expect(await judged(recordOf('p1'))).toBe('wrong: it has a .git that leads to no repository');
});
