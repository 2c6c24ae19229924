/** Main was pushed back by force, and a refinery or the town had not looked since: on real git. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BY_HAND, Shop } from '../shop.ts';

let town: Shop;
let clone: string;
let id: string;
let began: string;
let tip: string;

const requests = (): Promise<unknown[]> => town.data('mail', 'inbox', `${town.own}/refinery`);
function commit(dir: string, name: string): string {
  writeFileSync(join(dir, name), `${name}\n`);
  town.git(dir, 'add', '.');
  town.git(dir, 'commit', '-qm', `add ${name}`);
  return town.git(dir, 'rev-parse', 'HEAD');
}
const says = (subject: string): Promise<unknown> =>
  town.run('mail', 'send', `${town.own}/witness`, '-s', subject, '-m', `Issue: ${id}`);
interface Escalation {
  readonly title: string;
  readonly description: string;
}
/** Of this test's rig: each names its repository. */
async function escalations(): Promise<Escalation[]> {
  const all = await town.data<Escalation[]>('escalation', 'list', '--all');
  return all.filter(({ title, description }) => `${title}${description}`.includes(town.repo));
}
const alerts = async (): Promise<string[]> =>
  (await escalations()).map(({ title }) => title).filter((one) => one.includes('brought back'));

beforeAll(async () => {
  town = new Shop(BY_HAND);
  await town.up();
});

let rigs = 0;
/** A rig of its own, with a polecat that began with a commit of main which goes, pushed its branch and ended. */
beforeEach(async () => {
  rigs += 1;
  await town.moveTo(`shop${String(rigs)}`);
  clone = join(town.repo, '../clone');
  town.git(town.home, 'clone', '-q', town.remote, clone);
  began = commit(clone, 'secret');
  town.git(clone, 'push', '-q', 'origin', 'main');
  id = await town.bead('mend the parser');
  const dir = await town.polecat('nux', id, 'sleep', '100000');
  tip = commit(dir, 'parser');
  town.git(dir, 'push', '-q', 'origin', 'HEAD');
  await town.ends('nux');
});
const pushBack = (): string => town.git(clone, 'push', '-q', '--force', 'origin', 'HEAD~1:main');

// Rules: R-1.
test('a forced push right before the work is handed over: the refinery never reads of it', async () => {
  pushBack();
  await says('POLECAT_DONE nux');
  expect(await town.acts()).not.toContain('nuke done: nux');
  await town.cycle();
  await town.cycle();
  expect(await requests()).toEqual([]);
  const agent = `${town.own}/polecats/nux`;
  const cases = await town.data<{ agent: string }[]>('triage', 'list');
  expect(cases.filter((one) => one.agent === agent)).toMatchObject([{ type: 'dirty_polecat' }]);
});

// Rules: R-1.
test('a refinery that merges before the next look brings it back: an alert names the commits and commands that work', async () => {
  await says('POLECAT_DONE nux');
  expect(await town.acts()).toContain('nuke done: nux');
  pushBack();
  town.git(clone, 'fetch', '-q');
  town.git(clone, 'reset', '-q', '--hard', 'origin/main');
  town.git(clone, 'merge', '-q', '--no-ff', 'origin/polecat/nux');
  const merge = town.git(clone, 'rev-parse', 'HEAD');
  town.git(clone, 'push', '-q', 'origin', 'main');
  await says('MERGED nux');
  await town.cycle();
  expect(await town.shown(id)).toMatchObject({ status: 'closed' });
  const [text, ...others] = await alerts();
  expect(others).toEqual([]);
  expect(text).toContain(`the merge ${merge.slice(0, 12)} brought back into main`);
  const body = (await escalations()).map(({ title, description }) => title + description).join('\n');
  const [revert, pick] = [
    `revert -m 1 ${merge.slice(0, 12)}`,
    `cherry-pick ${began.slice(0, 12)}..${tip.slice(0, 12)}`,
  ];
  expect([body.includes(`(${began.slice(0, 12)})`), body.includes(revert), body.includes(pick)]).toEqual([
    true,
    true,
    true,
  ]);
  town.git(clone, ...revert.split(' '), '--no-edit');
  town.git(clone, ...pick.split(' '));
  expect(town.git(clone, 'ls-files').split('\n')).toEqual(['README', 'parser']);
});

test('a merge into a main that has what the work began with raises no alert', async () => {
  await says('POLECAT_DONE nux');
  await town.cycle();
  commit(clone, 'later');
  town.git(clone, 'fetch', '-q');
  town.git(clone, 'merge', '-q', '--no-ff', 'origin/polecat/nux');
  town.git(clone, 'push', '-q', 'origin', 'main');
  await says('MERGED nux');
  await town.cycle();
  expect(await town.shown(id)).toMatchObject({ status: 'closed' });
  expect(await alerts()).toEqual([]);
});

/** The ways in which a host or a person takes a branch into main, where its first commit is no part of main any more. */
const WAYS: readonly (readonly [string, () => void])[] = [
  ['a merge commit', () => town.git(clone, 'merge', '-q', '--no-ff', 'origin/polecat/nux')],
  ['a fast-forward', () => town.git(clone, 'merge', '-q', '--ff-only', 'origin/polecat/nux')],
  [
    'a squash',
    () => {
      town.git(clone, 'merge', '-q', '--squash', 'origin/polecat/nux');
      town.git(clone, 'commit', '-qm', 'squashed');
    },
  ],
  ['a rebase', () => rebased()],
];
function rebased(): void {
  commit(clone, 'other');
  town.git(clone, 'cherry-pick', `origin/polecat/nux~2..origin/polecat/nux`);
}
function mergedBy(way: () => void): void {
  town.git(clone, 'fetch', '-q');
  town.git(clone, 'reset', '-q', '--hard', 'origin/main');
  way();
  town.git(clone, 'push', '-q', 'origin', 'main');
}
/** The command of the alert, typed in the rig's own repository. */
async function typed(): Promise<string[]> {
  const bodies = [...(await escalations()).map(({ description }) => description), ...(await town.stands())];
  const body = bodies.find((one) => one.includes(' revert '));
  const [, words = ''] = /git -C \S+ (revert [^;\n]*)/.exec(body ?? '') ?? [];
  town.git(town.repo, 'fetch', '-q');
  town.git(town.repo, 'reset', '-q', '--hard', 'origin/main');
  town.git(town.repo, ...words.trim().replace(/\.$/, '').split(' '));
  return town.git(town.repo, 'ls-files').split('\n');
}
const told = async (): Promise<string[]> =>
  [...(await escalations()).map(({ title }) => title), ...(await town.stands())].filter((one) =>
    /holds again|brought back/.test(one),
  );

// Rules: P-2, R-1.
describe.each(WAYS)('what a forced push took out comes back by %s', (name, way) => {
  test('which the town saw: one high alert, with a command that takes it out', async () => {
    await says('POLECAT_DONE nux');
    await town.cycle();
    pushBack();
    await town.data('rig', 'show', town.own);
    mergedBy(way);
    await town.data('rig', 'show', town.own);
    await town.cycle();
    await town.cycle();
    expect(await told()).toEqual([
      expect.stringContaining(`main holds again what a forced push had taken out (${began.slice(0, 12)})`),
    ]);
    expect(await typed()).toEqual(expect.arrayContaining(['README', 'parser']));
    expect(town.git(town.repo, 'ls-files').split('\n')).not.toContain('secret');
  });

  test('between two looks', async () => {
    await says('POLECAT_DONE nux');
    await town.cycle();
    pushBack();
    mergedBy(way);
    await says('MERGED nux');
    await town.cycle();
    expect(await town.shown(id)).toMatchObject({ status: 'closed' });
    // Main was where it is now, as far as git can show.
    expect(await told()).toHaveLength(name === 'a fast-forward' ? 0 : 1);
  });
});

test.each([
  ['put back where it was', () => town.git(clone, 'reset', '-q', '--hard', began)],
  ['gone on without it', () => commit(clone, 'later')],
])('a main that is %s raises no alert', async (_, way) => {
  pushBack();
  await town.data('rig', 'show', town.own);
  mergedBy(way);
  await town.data('rig', 'show', town.own);
  await town.cycle();
  expect(await told()).toEqual([]);
});
