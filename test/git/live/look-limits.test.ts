/** What a look at a worktree may cost, run and touch, and whose repository it does not enter. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { mayOf, statesOf } from '../../../machines/rigs/worktree.ts';
import { GIT } from '../../../src/git/policy.ts';
import { Linked } from '../linked.ts';

let it: Linked;
beforeEach(() => (it = new Linked()));

test('one of another user, as a folder and as a repository', async () => {
  if (process.getuid?.() !== 0) return;
  chownSync(it.dir, 65_534, 65_534);
  expect(statesOf(await it.look())).toEqual(['foreign-owner']);
  chownSync(it.dir, 0, 0);
  chownSync(join(it.commonDir, 'worktrees/nux'), 65_534, 65_534);
  expect(statesOf(await it.look())).toEqual(['foreign-owner']);
});

// Rules: P-6.
test('a git that hangs is unknown, and no later than its limit', async () => {
  mkdirSync(join(it.dir, 'new'));
  execFileSync('mkfifo', [join(it.dir, 'new/.gitignore')]);
  const from = performance.now();
  const facts = await it.look({ policy: { ...GIT, lookMs: 700 } });
  expect(performance.now() - from).toBeLessThan(5_000);
  expect([facts.place, facts.why]).toEqual(['unknown', expect.stringContaining('could not be looked at')]);
  expect(mayOf(facts)).toBe('keep');
});

test('more looks at once than there may be gits: no more run than may, and each look ends', async () => {
  const log = join(it.root, 'log');
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh\necho 1 >> ${log}\n${real} "$@"\ncode=$?\necho -1 >> ${log}\nexit "$code"\n`;
  mkdirSync(join(it.root, 'bin'));
  writeFileSync(join(it.root, 'bin/git'), script, { mode: 0o755 });
  const path = process.env['PATH'] ?? '';
  process.env['PATH'] = `${join(it.root, 'bin')}${delimiter}${path}`;
  try {
    const all = await Promise.all(Array.from({ length: 12 }, () => it.look({ depth: 'glance' })));
    expect(all.map(statesOf)).toEqual(Array(12).fill(['clean']));
  } finally {
    process.env['PATH'] = path;
  }
  let running = 0;
  const atOnce = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((step) => (running += Number(step)));
  expect(atOnce.length).toBeGreaterThan(GIT.maxAtOnce);
  expect(Math.max(...atOnce)).toBeLessThanOrEqual(GIT.maxAtOnce);
  expect(running).toBe(0);
});

test('runs no program that the repository names, and changes no byte of it', async () => {
  const trap = join(it.root, 'trap');
  const ran = join(it.root, 'ran');
  writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >> ${ran}\ncat\n`);
  chmodSync(trap, 0o755);
  for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change', 'pre-commit'])
    cpSync(trap, join(it.commonDir, 'hooks', hook));
  for (const key of [
    'core.fsmonitor',
    'core.pager',
    'diff.external',
    'filter.x.clean',
    'filter.x.smudge',
    'core.sshCommand',
  ])
    it.git('config', key, trap);
  mkdirSync(join(it.commonDir, 'info'), { recursive: true });
  writeFileSync(join(it.commonDir, 'info/attributes'), '* filter=x\n');
  it.put('file', 'other\n');
  const index = join(it.commonDir, 'worktrees/nux/index');
  const before = readFileSync(index);
  expect(statesOf(await it.look())).toEqual(['dirty']);
  expect(existsSync(ran)).toBe(false);
  expect(readFileSync(index)).toEqual(before);
});

test('the commits that it began with are not its own where there is no remote', async () => {
  it.git('remote', 'remove', 'origin');
  const base = it.git('rev-parse', 'main').trim();
  expect(statesOf(await it.look())).toEqual(['unpushed']);
  expect(statesOf(await it.look({ base }))).toEqual(['clean']);
  it.work('a', '1');
  expect((await it.look({ base })).unpushed).toHaveLength(1);
});

test('a glance costs less, and knows all but what is ignored', async () => {
  it.work('a', '1');
  it.put('built/x', '1');
  it.in('update-index', '--assume-unchanged', 'file');
  it.put('file', 'hidden\n');
  const [glance, whole] = [await it.look({ depth: 'glance' }), await it.look()];
  expect({ ...whole, ignored: [] }).toEqual(glance);
  expect(whole.ignored).toEqual(['built/']);
});
