/** Which branch is the main one of a rig, and which commit it has: of the remote, at the moment, with any branch checked out. */
import { writeFileSync, utimesSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { mainOf, mainText, type Main } from '../../../src/rigs/main-branch.ts';
import { nuke } from '../../../src/rigs/nuke.ts';
import { claimRepository } from '../../../src/rigs/owner.ts';
import { treesOf } from '../../../src/patrols/witness/trees.ts';
import { EXIT, Failure } from '../../../src/terminal/failure.ts';
import { RigOn } from '../yard.ts';

let it: RigOn;
beforeEach(() => (it = new RigOn()));

const tip = (branch: string): string => it.gitIn(it.origin, 'rev-parse', branch).trim();
/** A commit on a branch of the remote that this repository was not told of. */
function elsewhere(branch: string): string {
  const tree = it.gitIn(it.origin, 'rev-parse', 'main^{tree}').trim();
  const commit = it.gitIn(
    it.origin,
    '-c',
    'user.name=a',
    '-c',
    'user.email=a@b',
    'commit-tree',
    tree,
    '-p',
    'main',
    '-m',
    branch,
  );
  it.gitIn(it.origin, 'update-ref', `refs/heads/${branch}`, commit.trim());
  return commit.trim();
}
const asked = (base: string | null = null): Promise<Main> => mainOf({ ...it.rig, base });
const refusal = async (base: string | null = null): Promise<string> => {
  const error: unknown = await asked(base).catch((reason: unknown) => reason);
  if (!(error instanceof Failure)) throw new Error('it was no Failure', { cause: error });
  expect(error).toMatchObject({ exit: EXIT.failed, code: 'no_main' });
  return error.message;
};

test('of a remote that takes a call and never answers nothing new is known, and it is asked once, not by each start and each look', async () => {
  let calls = 0;
  const server = createServer(() => (calls += 1));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const known = tip('main');
  await claimRepository(it.at());
  it.git('remote', 'set-url', 'origin', `http://127.0.0.1:${String(port)}/shop.git`);
  try {
    expect(await asked()).toMatchObject({
      commit: known,
      source: 'stale',
      why: expect.stringContaining('took longer') as string,
    });
    const before = calls;
    expect(before).toBeGreaterThan(0);
    const record = await it.spawn('nux');
    expect(record.base).toBe(known);
    it.gitIn(it.dirOf(), 'commit', '-q', '--allow-empty', '-m', 'work');
    await expect(nuke(it.at(), record, { pushes: true })).rejects.toThrow('took longer');
    expect(await treesOf(it.at()).merged([{ commit: known, base: null }])).toEqual(new Map([[known, 'unknown']]));
    expect(calls).toBe(before);
  } finally {
    server.close();
  }
});

describe('of a remote that answers', () => {
  // Rules: R-1.
  test('a commit that was pushed elsewhere a moment ago is what work begins with', async () => {
    const commit = elsewhere('main');
    it.git('checkout', '-q', '-b', 'wip');
    it.commit('wip', 'not finished\n');
    expect(await asked()).toMatchObject({ branch: 'main', commit, source: 'fetched', why: '' });
  });

  test('without a local origin/HEAD it is the same', async () => {
    it.git('commit', '-q', '--allow-empty', '-m', 'WIP');
    it.git('update-ref', '-d', 'refs/remotes/origin/main');
    expect(await asked()).toMatchObject({ branch: 'main', commit: tip('main') });
  });

  test('a default branch that was renamed there is followed', async () => {
    it.git('remote', 'set-head', 'origin', 'main');
    it.gitIn(it.origin, 'branch', '-m', 'main', 'trunk');
    it.gitIn(it.origin, 'symbolic-ref', 'HEAD', 'refs/heads/trunk');
    const commit = elsewhereOn('trunk');
    expect(await asked()).toMatchObject({ branch: 'trunk', commit });
  });

  test('a HEAD there that names no branch leaves the only one of the usual names', async () => {
    it.gitIn(it.origin, 'symbolic-ref', 'HEAD', 'refs/heads/gone');
    expect(await asked()).toMatchObject({ branch: 'main', commit: tip('main') });
    it.gitIn(it.origin, 'branch', 'master', 'main');
    expect(await refusal()).toContain('town rig set shop --base <branch>');
    expect(await asked('master')).toMatchObject({ branch: 'master' });
  });

  test('a branch that a person named goes before what HEAD there names', async () => {
    const commit = elsewhere('develop');
    expect(await asked('develop')).toMatchObject({ branch: 'develop', commit });
    it.gitIn(it.origin, 'branch', '-D', 'develop');
    expect(await refusal('develop')).toContain('origin has no branch develop');
  });

  test('a main branch that was pushed by force is what is there now', async () => {
    const first = it.git('rev-parse', 'main').trim();
    it.commit('later', 'later\n');
    it.git('push', '-q', 'origin', 'main');
    it.gitIn(it.origin, 'update-ref', 'refs/heads/main', first);
    expect(await asked()).toMatchObject({ commit: first });
  });

  test('refspecs of the repository decide nothing', async () => {
    it.git('config', 'remote.origin.fetch', '+refs/heads/other:refs/remotes/origin/other');
    const commit = elsewhere('main');
    expect(await asked()).toMatchObject({ commit });
  });

  test('a forged remote-tracking ref decides nothing', async () => {
    it.commit('own', 'own\n');
    it.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    expect(await asked()).toMatchObject({ commit: tip('main') });
  });
});

/** As `elsewhere`, from the branch itself. */
function elsewhereOn(branch: string): string {
  const words = [
    '-c',
    'user.name=a',
    '-c',
    'user.email=a@b',
    'commit-tree',
    `${branch}^{tree}`,
    '-p',
    branch,
    '-m',
    'more',
  ];
  const commit = it.gitIn(it.origin, ...words).trim();
  it.gitIn(it.origin, 'update-ref', `refs/heads/${branch}`, commit);
  return commit;
}

describe('of a remote that does not answer', () => {
  const OWN_LOG = (): string => join(it.top, '.git/logs/refs/town/main/origin/main');
  /** A line of git's log. */
  const logged = (commit: string, seconds: number): string =>
    `${'0'.repeat(40)} ${commit} a <a@b> ${String(seconds)} +0000\tfetch\n`;
  const away = (): string => it.git('remote', 'set-url', 'origin', join(it.root, 'away.git'));

  // Rules: R-1.
  test('what the town fetched last counts, with its age, not what a tracking ref says by now', async () => {
    await asked();
    const commit = tip('main');
    writeFileSync(OWN_LOG(), logged(commit, 1_000));
    utimesSync(join(it.top, '.git/FETCH_HEAD'), 2_000, 2_000);
    it.commit('own', 'own\n');
    it.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    it.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/other');
    away();
    expect(await asked()).toMatchObject({ branch: 'main', commit, source: 'stale', asOf: 2_000_000 });
    expect((await asked()).why).toContain('away.git');
    // The remote had another commit by then, or another branch.
    writeFileSync(
      join(it.top, '.git/FETCH_HEAD'),
      `${it.git('rev-parse', 'HEAD').trim()}\t\tbranch 'main' of somewhere\n`,
    );
    expect(await asked()).toMatchObject({ commit, asOf: 1_000_000 });
    writeFileSync(join(it.top, '.git/FETCH_HEAD'), `${commit}\t\tbranch 'other' of somewhere\n`);
    expect(await asked()).toMatchObject({ commit, asOf: 1_000_000 });
  });

  // Rules: R-1.
  test('where the town never fetched, what the repository has counts, and since when is not known', async () => {
    const commit = tip('main');
    away();
    expect(await asked()).toMatchObject({ branch: 'main', commit, source: 'stale', asOf: null });
    expect(mainText(await asked())).toContain('as this repository has it, since when is not known');
  });

  test('where nothing was ever fetched there is none', async () => {
    it.git('update-ref', '-d', 'refs/remotes/origin/main');
    away();
    expect(await refusal()).toContain('was never fetched');
  });
});

describe('without a remote', () => {
  beforeEach(() => (it = new RigOn({ remote: false })));

  test('its own branch counts, not the one that is checked out', async () => {
    const commit = it.git('rev-parse', 'main').trim();
    it.git('checkout', '-q', '-b', 'wip');
    it.commit('wip', 'not finished\n');
    expect(await asked()).toEqual({ branch: 'main', commit, remote: null, source: 'local', asOf: null, why: '' });
    expect(await asked('wip')).toMatchObject({ branch: 'wip', commit: it.git('rev-parse', 'wip').trim() });
  });

  test('a branch of another name has to be named', async () => {
    it.git('branch', '-m', 'main', 'work');
    expect(await refusal()).toMatch(
      /has no remote, and no commit on main or master; name it: town rig set shop --base/,
    );
  });
});
