/** A push that can never be: a remote that protects its branches, a key in the commits; and one that can be later. On real git. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { BY_HAND, Shop } from '../shop.ts';

/** Put together here, so that no scanner takes it for a real one. */
const KEY = ['AKIA', 'IOSFODNN7', 'EXAMPLF'].join('');
const CYCLES = 4;

let town: Shop;
let dir: string;
beforeAll(async () => {
  town = new Shop(BY_HAND);
  await town.up();
});
let rigs = 0;
/** Each test has a rig of its own. */
beforeEach(async () => {
  rigs += 1;
  await town.moveTo(`shop${String(rigs)}`);
  dir = await town.polecat('nux', await town.bead('mend the parser'), 'sleep', '100000');
});

const tries = (): string => join(town.repo, '../tries');
const hook = (): string => join(town.remote, 'hooks/pre-receive');
function protects(says = 'protected branch: ask an owner'): void {
  const text = `#!/bin/sh\necho try >> ${tries()}\necho "${says}" >&2\nexit 1\n`;
  writeFileSync(hook(), text, { mode: 0o755 });
}
function commits(text: string): void {
  writeFileSync(join(dir, 'parser'), text);
  town.git(dir, 'add', '.');
  town.git(dir, 'commit', '-qm', 'mend');
}
async function isDone(): Promise<void> {
  await town.run('mail', 'send', `${town.own}/witness`, '-s', 'POLECAT_DONE nux', '-m', 'Exit: COMPLETED');
  await town.ends('nux');
}
interface Case {
  readonly id: string;
  readonly rig: string;
  readonly type: string;
  readonly context: string;
}
const cases = async (): Promise<Case[]> =>
  (await town.data<Case[]>('triage', 'list')).filter(({ rig }) => rig === town.own);

// Rules: P-6, P-13.
test.each([
  ['a pre-receive hook', 'mended\n', /^the remote refused its push: .*protected branch: ask an owner/],
  ['a key in its commits', `key ${KEY}\n`, /^the town refused its push: .*looks like a secret/],
  ['a hook (a forged tracking ref calls it pushed)', 'mended\n', /^the remote refused its push: .*ask an owner/],
])('what %s refuses is tried once in many cycles, is one case, and stays where it is', async (what, text, why) => {
  protects();
  commits(text);
  if (what.includes('forged')) town.git(dir, 'update-ref', 'refs/remotes/origin/polecat/nux', 'HEAD');
  await isDone();
  for (let cycle = 0; cycle < CYCLES; cycle += 1) await town.cycle();
  const tried = existsSync(tries()) ? readFileSync(tries(), 'utf8').trim().split('\n').length : 0;
  expect(tried).toBe(text.includes(KEY) ? 0 : 1);
  expect(await cases()).toMatchObject([{ type: 'dirty_polecat', context: expect.stringMatching(why) as string }]);
  expect(await town.acts()).toContain('nuke not done: nux');
  // No alert asks the same a while later.
  expect(JSON.parse(town.read(`patrols/${town.own}.json`))).toHaveProperty('tried', {});
  expect(readFileSync(join(dir, 'parser'), 'utf8')).toBe(text);
  expect(town.git(town.remote, 'branch', '--format=%(refname:short)')).toBe('main');
});

// Rules: P-6, P-13.
test.each([
  ['has no room', () => protects('fatal: write error: No space left on device'), () => rmSync(hook())],
  [
    'is away',
    () => renameSync(town.remote, `${town.remote}-away`),
    () => renameSync(`${town.remote}-away`, town.remote),
  ],
])('while the remote %s no person decides, and the work is handed over once it is well', async (_, fail, mend) => {
  town.git(dir, 'checkout', '-qb', 'mend-the-denied-login');
  commits('mended\n');
  fail();
  await isDone();
  await town.cycle();
  expect(await town.acts()).toContain('nuke not done: nux');
  expect(await cases()).toEqual([]);
  mend();
  expect(await town.acts()).toContain('nuke done: nux');
  expect(town.git(town.remote, 'show', 'mend-the-denied-login:parser')).toBe('mended');
});

// Rules: P-6, P-13.
test.each([
  ['a person pushed', () => Promise.resolve(town.git(dir, 'push', '-q', 'origin', 'HEAD'))],
  [
    'COMMIT_AND_PUSH pushed',
    async () => {
      expect(await town.run('triage', 'resolve', (await cases())[0]!.id, 'COMMIT_AND_PUSH')).toMatchObject({ code: 0 });
    },
  ],
  [
    'went on with',
    () => {
      commits('mended well\n');
      return Promise.resolve();
    },
  ],
])('work that was refused and that %s is handed over in the next cycle', async (_, act) => {
  protects();
  commits('mended\n');
  await isDone();
  await town.cycle();
  expect(await town.acts()).toContain('nuke not done: nux');
  rmSync(hook());
  await act();
  expect(await town.acts()).toContain('nuke done: nux');
});

// Rules: P-6, P-13.
test('that the commit is on the remote under another name tries the refused push no earlier', async () => {
  protects();
  commits('mended\n');
  await isDone();
  await town.cycle();
  expect(await town.acts()).toContain('nuke not done: nux');
  rmSync(hook());
  town.git(dir, 'push', '-q', 'origin', 'HEAD:refs/heads/allowed/mend');
  protects();
  for (let cycle = 0; cycle < CYCLES; cycle += 1) await town.cycle();
  expect(readFileSync(tries(), 'utf8').trim().split('\n')).toHaveLength(1);
});
