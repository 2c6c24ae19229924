/** Refs whose names git takes for others, on a real repository with a real remote. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { branchOf } from '../../../src/git/history.ts';
import { gitDirOf } from '../../../src/git/worktree.ts';
import { lookIn } from '../../../src/rigs/place.ts';
import { nuke } from '../../../src/rigs/nuke.ts';
import { withGit } from '../../../src/rigs/repository.ts';
import { shadowsOn } from '../../../src/rigs/shadow-refs.ts';
import { MergeRig } from '../../refinery/merge-rig.ts';
import { RigOn } from '../yard.ts';

/** Made here or on the remote; whether the push of an agent then goes wrong without an error. */
const SHADOWS = [
  ['here', 'refs/heads/HEAD', true],
  ['here', 'refs/tags/HEAD', true],
  ['here', 'refs/remotes/HEAD/HEAD', true],
  ['here', 'refs/tags/main', false],
  ['here', 'refs/heads/origin/main', false],
  ['here', 'refs/tags/origin/main', false],
  ['there', 'refs/heads/HEAD', false],
  ['there', 'refs/tags/HEAD', false],
  ['there', 'refs/tags/main', false],
  ['there', 'refs/heads/refs/heads/polecat/nux', true],
] as const;

// Rules: R-1.
test.each(SHADOWS)('%s %s: one sentence names it with the line that deletes it', async (where, ref, isFooled) => {
  const it = new RigOn();
  await it.spawn();
  const dir = it.dirOf();
  it.gitIn(dir, 'commit', '-q', '--allow-empty', '-m', 'work');
  it.gitIn(
    where === 'here' ? it.top : it.origin,
    'update-ref',
    ref,
    it.git('rev-parse', 'refs/remotes/origin/main').trim(),
  );
  const found = await shadowsOn(it.rig);
  expect(found.map(({ text }) => text)).toEqual([
    expect.stringContaining(`: ${ref} ${where === 'here' ? 'in' : 'on'} `),
  ]);
  const pushed = (): boolean => {
    it.gitIn(dir, 'push', '-q', 'origin', 'HEAD');
    const [tip, there] = [
      it.gitIn(dir, 'rev-parse', '@'),
      it.gitIn(it.origin, 'for-each-ref', '--format=%(objectname)', 'refs/heads/polecat/nux'),
    ];
    return tip === there;
  };
  if (isFooled) expect(pushed()).toBe(false);
  const [, line = ''] = / \((git .*)\); if it/.exec(found[0]?.text ?? '') ?? [];
  const said = execFileSync('sh', ['-c', line], {
    encoding: 'utf8',
    stdio: 'pipe',
    env: { ...process.env, HOME: it.root },
  });
  expect(said).toBe('');
  // What the fooled push made is named in its turn.
  for (const { text } of await shadowsOn(it.rig))
    execFileSync('sh', ['-c', / \((git .*?)\)[,;]/.exec(text)?.[1] ?? ''], { stdio: 'pipe' });
  expect(await shadowsOn(it.rig)).toEqual([]);
  expect(pushed()).toBe(true);
});

// Rules: R-1.
test('each of the first three has a name of its own, and the others have one by their number', async () => {
  const it = new RigOn();
  const names = async () => (await shadowsOn(it.rig)).map(({ ref }) => ref);
  it.git('push', '-q', 'origin', 'HEAD:refs/heads/HEAD', 'HEAD:refs/heads/refs/heads/polecat/nux');
  it.git('update-ref', 'refs/heads/HEAD', 'refs/remotes/origin/main');
  const first = ['refs/heads/HEAD', 'origin/refs/heads/HEAD', 'origin/refs/heads/refs/heads/polecat/nux'];
  expect(await names()).toEqual(first);
  for (const n of [1, 2]) {
    it.git('push', '-q', 'origin', `HEAD:refs/tags/refs/${String(n)}`);
    expect(await names()).toEqual([...first, `more-${String(n)}`]);
  }
  expect((await shadowsOn(it.rig)).at(-1)?.text).toMatch(/refs\/tags\/refs\/1 on .*refs\/tags\/refs\/2 on /);
});

// Rules: R-1.
test('a sound repository has none, nor has one whose main branch is called otherwise', async () => {
  const it = new RigOn();
  expect(await shadowsOn(it.rig)).toEqual([]);
  it.git('push', '-q', 'origin', 'HEAD:refs/heads/trunk', 'HEAD:refs/tags/v1', 'HEAD:refs/heads/origin/HEAD');
  it.gitIn(it.origin, 'symbolic-ref', 'HEAD', 'refs/heads/trunk');
  expect(await shadowsOn(it.rig)).toEqual([]);
  const alone = new RigOn({ remote: false });
  alone.remote = null;
  expect(await shadowsOn(alone.rig)).toEqual([]);
});

// Rules: P-6, R-1.
test('no call of the town takes them for others: a branch is looked at, pushed and merged by its full name', async () => {
  const it = new MergeRig();
  const main = it.git('rev-parse', 'refs/remotes/origin/main').trim();
  const old = it.git('rev-parse', 'refs/remotes/origin/main~1').trim();
  for (const ref of [
    'tags/main',
    'tags/polecat/nux',
    'heads/HEAD',
    'tags/HEAD',
    'tags/origin/main',
    'heads/origin/main',
    'remotes/HEAD/HEAD',
    'heads/heads/polecat/nux',
    'tags/heads/polecat/nux',
  ])
    it.git('update-ref', `refs/${ref}`, old);
  it.git(
    'push',
    '-q',
    'origin',
    'refs/tags/*:refs/tags/*',
    'refs/heads/HEAD:refs/heads/HEAD',
    `${old}:refs/remotes/origin/main`,
  );
  const record = await it.spawn();
  expect(record).toMatchObject({ base: main, main: { branch: 'main', commit: main } });
  const dir = it.dirOf();
  expect(it.gitIn(dir, 'log', '-1', '--format=%H', '@').trim()).toBe(main);
  it.gitIn(dir, 'commit', '-q', '--allow-empty', '-m', 'work');
  const work = it.gitIn(dir, 'rev-parse', 'refs/heads/polecat/nux').trim();
  const branch = 'polecat/nux';
  const facts = await lookIn(it.at(), record, {
    depth: 'whole',
    commonDir: it.rig.commonDir,
    branch,
    base: record.base,
  });
  expect(facts).toMatchObject({ branch, head: work, unpushed: [expect.stringContaining(work)] });
  const gitDir = (await gitDirOf(`${dir}/.git`)) ?? '';
  expect(await withGit(it.rig, (git) => branchOf(git.at(gitDir, dir), gitDir))).toBe(branch);
  await nuke(it.at(), record, { pushes: true });
  expect(it.gitIn(it.origin, 'rev-parse', 'refs/heads/polecat/nux').trim()).toBe(work);
  const request = { mail: 'ready-nux', sentAt: 1, bead: null, polecat: 'nux', branch, commit: work, main: null };
  expect(await it.refine(request)).toMatchObject({ is: 'merged' });
  it.gitIn(it.origin, 'merge-base', '--is-ancestor', work, 'refs/heads/main');
});
