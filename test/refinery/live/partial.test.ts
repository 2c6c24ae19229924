/** Work in a partial clone, which lacks what others changed: whether main has it is found out, and it is merged. On real git. */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { RigRecord } from '../../../machines/rigs/records.ts';
import { returnedTo } from '../../../src/rigs/forced-pushes.ts';
import { inMain } from '../../../src/rigs/in-main.ts';
import { mainOf } from '../../../src/rigs/main-branch.ts';
import { MergeRig } from '../merge-rig.ts';

/** The rig is on a partial clone; a person works in a whole one. */
class PartialRig extends MergeRig {
  readonly clone = join(this.root, 'clone');

  override get rig(): RigRecord {
    const commonDir = join(this.clone, '.git');
    return existsSync(commonDir) ? { ...super.rig, repo: this.clone, commonDir } : super.rig;
  }
}

const LINES = Array.from({ length: 40 }, (_, n) => `line ${String(n)}\n`);
const textWith = (...changed: readonly number[]): string =>
  LINES.map((line, n) => (changed.includes(n) ? `changed ${line}` : line)).join('');

let it: PartialRig;
let work: string;

const inClone = (...words: string[]): string => it.gitIn(it.clone, ...words).trim();
function personChanges(...changed: readonly number[]): void {
  it.commit('text', textWith(...changed));
  it.git('push', '-q', 'origin', 'main');
}
function clonedWith(filter: string): void {
  it = new PartialRig();
  personChanges();
  it.gitIn(it.origin, 'config', 'uploadpack.allowFilter', 'true');
  it.gitIn(it.root, 'clone', '-q', `--filter=${filter}`, `file://${it.origin}`, it.clone);
  inClone('checkout', '-q', '-b', 'polecat/nux');
  writeFileSync(join(it.clone, 'text'), textWith(3));
  inClone('commit', '-qam', 'work');
  inClone('push', '-q', 'origin', 'HEAD');
  work = inClone('rev-parse', 'HEAD');
  personChanges(30);
}

async function told(): Promise<unknown> {
  return (await inMain(it.rig, await mainOf(it.rig), [{ commit: work, base: null }])).get(work);
}

describe.each(['blob:none', 'tree:0'])('cloned with %s', (filter) => {
  beforeEach(() => {
    clonedWith(filter);
  });

  // Rules: R-2.
  test('work is merged into a file that others changed', async () => {
    expect(await told()).toBe('no');
    const request = { mail: 'ready', sentAt: 1, bead: null, polecat: 'nux', branch: null, commit: work, main: null };
    expect(await it.refine(request)).toMatchObject({ is: 'merged' });
    expect(it.onMain('text')).toBe(textWith(3, 30));
  });

  test('work that a person merged as another commit is found', async () => {
    personChanges(3, 30);
    personChanges(3, 12, 30);
    expect(await told()).toBe('yes');
  });
});

// Rules: R-1.
test('what a forced push took out of main is seen to come back, and to be reverted', async () => {
  clonedWith('blob:none');
  await mainOf(it.rig);
  const returned = async (): Promise<number> => {
    it.git('push', '-qf', 'origin', 'main');
    await mainOf(it.rig);
    return (await returnedTo(it.rig)).length;
  };
  const dropped = it.git('rev-parse', 'main').trim();
  it.git('reset', '-q', '--hard', 'HEAD~1');
  expect(await returned()).toBe(0);
  it.commit('text', textWith(12));
  it.git('cherry-pick', dropped);
  it.commit('text', textWith(12, 30, 39));
  expect(await returned()).toBe(1);
  it.git('revert', '--no-edit', 'HEAD~1');
  expect(await returned()).toBe(0);
});

// Rules: law 1.
test('while the remote is away nothing is known, and it is found out once the remote is there', async () => {
  clonedWith('blob:none');
  const main = await mainOf(it.rig);
  renameSync(it.origin, `${it.origin}.away`);
  const works = [{ commit: work, base: null }];
  expect((await inMain(it.rig, main, works)).get(work)).toBe('unknown');
  renameSync(`${it.origin}.away`, it.origin);
  expect((await inMain(it.rig, main, works)).get(work)).toBe('no');
});
