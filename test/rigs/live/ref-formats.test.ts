/** Logs of refs, in each format in which the git of this machine keeps refs. */
import { execFileSync } from 'node:child_process';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import { treesOf } from '../../../src/patrols/witness/trees.ts';
import { returnedTo } from '../../../src/rigs/forced-pushes.ts';
import { mainOf } from '../../../src/rigs/main-branch.ts';
import { nuke } from '../../../src/rigs/nuke.ts';
import { RigOn } from '../yard.ts';

/** git has reftables since 2.45. */
const isModern = (): boolean => {
  const [, major = '0', minor = '0'] =
    /(\d+)\.(\d+)/.exec(execFileSync('git', ['--version'], { encoding: 'utf8' })) ?? [];
  return Number(major) > 2 || Number(minor) >= 46;
};
const FORMATS = ['files', ...(isModern() ? ['reftable'] : [])];

describe.each(FORMATS)('refs in %s', (format) => {
  let it: RigOn;
  beforeEach(() => {
    it = new RigOn();
    if (format === 'reftable') it.git('refs', 'migrate', '--ref-format=reftable');
  });

  // Rules: R-1.
  test('what a forced push took out of main and came back is seen', async () => {
    const first = it.git('rev-parse', 'main').trim();
    it.commit('one', 'one\n');
    it.git('push', '-q', 'origin', 'main');
    await mainOf(it.rig);
    it.gitIn(it.origin, 'update-ref', 'refs/heads/main', first);
    await mainOf(it.rig);
    it.commit('two', 'two\n');
    it.git('push', '-q', 'origin', 'main');
    await mainOf(it.rig);
    expect((await returnedTo(it.rig)).map(({ after }) => after)).toEqual([first]);
  });

  // Rules: R-1.
  test('the fetch of another program proves nothing: an agent can make one from anywhere', async () => {
    const first = it.git('rev-parse', 'main').trim();
    it.commit('one', 'one\n');
    it.git('push', '-q', 'origin', 'main');
    await mainOf(it.rig);
    it.gitIn(it.origin, 'update-ref', 'refs/heads/main', first);
    it.git('fetch', '-q', 'origin');
    it.commit('two', 'two\n');
    it.git('push', '-q', 'origin', 'main');
    await mainOf(it.rig);
    expect((await returnedTo(it.rig)).map(({ after }) => after)).toEqual([]);
  });

  describe('of a polecat whose commit is on no branch', () => {
    let record: PolecatRecord;
    let commit: string;
    beforeEach(async () => {
      record = await it.spawn();
      it.gitIn(it.dirOf(), 'commit', '-q', '--allow-empty', '-m', 'work');
      commit = it.gitIn(it.dirOf(), 'rev-parse', 'HEAD').trim();
    });

    // Rules: P-2.
    test('when its branch moved is known, and its work is found where the remote has it', async () => {
      const trees = treesOf(it.at());
      expect(await trees.movedAt(record)).toBeGreaterThan(0);
      it.gitIn(it.dirOf(), 'push', '-q', 'origin', 'HEAD:refs/heads/topic');
      it.gitIn(it.dirOf(), 'reset', '-q', '--hard', record.base);
      expect(await trees.left(record, await trees.look(record))).toEqual({ is: 'work', branch: 'topic', commit });
    });

    // Rules: law 4.
    test('it is kept under a ref when the worktree goes', async () => {
      it.gitIn(it.dirOf(), 'reset', '-q', '--hard', record.base);
      await nuke(it.at(), record, { pushes: false });
      expect(it.git('for-each-ref', '--contains', commit, '--format=%(refname)').trim()).toContain('refs/town/rescue/');
    });
  });
});
