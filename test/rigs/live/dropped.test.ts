/** A forced push takes commits out of main: no polecat that began with them brings them back. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import { mayOf, statesOf } from '../../../machines/rigs/worktree.ts';
import { treesOf } from '../../../src/patrols/witness/trees.ts';
import { mainOf } from '../../../src/rigs/main-branch.ts';
import { nuke } from '../../../src/rigs/nuke.ts';
import { discard, saveAndPush } from '../../../src/rigs/uncommitted.ts';
import { EXIT } from '../../../src/terminal/failure.ts';
import { RigOn } from '../yard.ts';

let it: RigOn;
let record: PolecatRecord;
let old: string;
const refusal = {
  exit: EXIT.refused,
  code: 'dropped',
  message: expect.stringContaining('git rebase --onto origin/main') as string,
};
const inWorktree = (...words: string[]): string => it.gitIn(it.dirOf(), ...words).trim();
const onRemote = (): string => it.gitIn(it.origin, 'log', '--all', '--format=%s');

beforeEach(async () => {
  it = new RigOn();
  old = it.git('rev-parse', 'main').trim();
  it.commit('secret', 'a key\n');
  it.git('push', '-q', 'origin', 'main');
  record = await it.spawn();
  it.gitIn(it.origin, 'update-ref', 'refs/heads/main', old);
});

// Rules: R-1.
test('its branch is neither saved nor pushed, and stays as it is, until its own commits are moved', async () => {
  writeFileSync(join(it.dirOf(), 'work'), 'work\n');
  // What was fetched last tells nothing of it: the remote is asked.
  await expect(saveAndPush(it.at(), record, 'saved')).rejects.toMatchObject(refusal);
  inWorktree('add', '.');
  inWorktree('commit', '-q', '-m', 'own work');
  for (const ref of ['refs/remotes/origin/main', 'refs/town/main/origin/main']) it.git('update-ref', ref, record.base);
  await expect(nuke(it.at(), record, { pushes: true })).rejects.toMatchObject(refusal);
  await mainOf(it.rig);
  const facts = await treesOf(it.at()).look(record);
  expect([statesOf(facts), mayOf(facts)]).toEqual([['unpushed', 'dropped'], 'keep']);
  expect(onRemote()).not.toContain('adds secret');

  inWorktree('rebase', '-q', '--onto', 'origin/main', record.base);
  expect(statesOf(await treesOf(it.at()).look(record))).toEqual(['unpushed']);
  expect(await saveAndPush(it.at(), record, 'saved')).toBe('polecat/nux is pushed');
  expect(onRemote()).toContain('own work');
  expect(onRemote()).not.toContain('adds secret');
});

test('pushed by its agent it is not clean: the refinery is not told of it', async () => {
  inWorktree('commit', '-q', '--allow-empty', '-m', 'own work');
  inWorktree('push', '-q', 'origin', 'HEAD');
  await mainOf(it.rig);
  const facts = await treesOf(it.at()).look(record);
  expect([statesOf(facts), mayOf(facts)]).toEqual([['dropped'], 'keep']);
});

describe('what was handed over counts by its own commits, since', () => {
  /** The commit of its own work. */
  function work(): string {
    writeFileSync(join(it.dirOf(), 'work'), 'work\n');
    inWorktree('add', '.');
    inWorktree('commit', '-q', '-m', 'own work');
    inWorktree('push', '-q', 'origin', 'HEAD');
    return inWorktree('rev-parse', 'HEAD');
  }
  /** A person's forced push of main: without what was dropped, with these commits. */
  function pushed(...commits: string[]): void {
    it.git('checkout', '-q', '-B', 'main', old);
    for (const commit of commits) it.git('cherry-pick', commit);
    it.git('push', '-q', '--force', 'origin', 'main');
  }
  const told = async (commit: string, base: string | null = record.main?.commit ?? null): Promise<unknown> =>
    (await treesOf(it.at()).merged([{ commit, base }])).get(commit);

  // Rules: P-2.
  test('it is merged once main has those, without what was dropped', async () => {
    const commit = work();
    pushed(commit);
    expect(await told(commit)).toBe('yes');
    // What it began with is no work of its own.
    expect(await told(commit, null)).toBe('no');
  });

  test('it would bring back what was dropped, as long as main has neither', async () => {
    const commit = work();
    pushed();
    expect(await told(commit)).toBe('dropped');
    it.gitIn(it.origin, 'update-ref', 'refs/heads/main', record.main?.commit ?? '');
    expect(await told(commit)).toBe('no');
  });

  test('of a remote that does not answer nothing is known', async () => {
    const commit = work();
    it.git('remote', 'set-url', 'origin', join(it.top, 'nowhere'));
    expect(await told(commit)).toBe('unknown');
  });
});

test('with nothing of its own it goes, and what is thrown away is kept under a ref', async () => {
  await mainOf(it.rig);
  expect(mayOf(await treesOf(it.at()).look(record))).not.toBe('push');
  inWorktree('commit', '-q', '--allow-empty', '-m', 'own work');
  const rescue = (): Promise<null> => Promise.resolve(null);
  expect(await discard(it.at(), record, { rescue, id: 'case-1' })).toContain('refs/town/rescue/case-1-commits');
  expect(it.git('log', '--format=%s', 'refs/town/rescue/case-1-commits')).toContain('own work');
});
