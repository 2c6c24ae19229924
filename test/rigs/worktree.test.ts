/** The decision table: what each finding lets be done, alone and beside others. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  barriersOf,
  mayOf,
  NOTHING_SEEN,
  OPERATIONS,
  statesOf,
  type WorktreeFacts,
} from '../../machines/rigs/worktree.ts';

const CLEAN: WorktreeFacts = { ...NOTHING_SEEN, place: 'there', branch: 'polecat/nux', head: 'abc' };
const sub = (facts: Partial<WorktreeFacts>) => ({ submodules: [{ path: 'lib', facts: { ...CLEAN, ...facts } }] });

const TABLE: readonly (readonly [finding: Partial<WorktreeFacts>, states: string, may: string, says: string])[] = [
  [{}, 'clean', 'remove', ''],
  [{ ignored: ['built/'] }, 'clean', 'remove', ''],
  [{ branch: null }, 'clean detached', 'remove', ''],
  [{ sparse: true }, 'clean sparse', 'remove', ''],
  [{ place: 'missing', branch: null }, 'missing', 'remove', ''],
  [{ unpushed: ['a x'] }, 'unpushed', 'push', 'has 1 commit that is on no remote'],
  [{ unpushed: ['a x', 'b y'] }, 'unpushed', 'push', 'has 2 commits that are on no remote'],
  [{ place: 'missing', unpushed: ['a x'] }, 'missing unpushed', 'push', 'has 1 commit that is on no remote'],
  [{ changed: ['a'] }, 'dirty', 'keep', 'has 1 changed file'],
  [{ deleted: ['a'] }, 'dirty', 'keep', 'has 1 deleted file'],
  [{ untracked: ['a', 'b'], changed: ['c'] }, 'dirty', 'keep', 'has 1 changed file and 2 untracked files'],
  [{ hidden: ['a'] }, 'dirty', 'keep', 'has 1 changed file that the index hides'],
  [{ stashes: ['stash@{0}'] }, 'stashed', 'keep', 'has work stashed on its branch: stash@{0}'],
  [
    { dropped: 'abc' },
    'dropped',
    'keep',
    'holds abc, which a forced push took out of main: published, it would bring that back; move its own commits: git rebase --onto <main> abc',
  ],
  [{ nested: ['x/'] }, 'nested', 'keep', 'holds other repositories or worktrees: x/'],
  [{ indexLocked: true }, 'index-locked', 'keep', 'has its index locked: a git works there, or died there'],
  [{ locked: '' }, 'locked', 'keep', 'is locked by `git worktree lock`'],
  [{ locked: 'mine' }, 'locked', 'keep', 'is locked by `git worktree lock` (mine)'],
  [{ place: 'unknown' }, 'unknown', 'keep', 'could not be looked at'],
  [{ place: 'wrong', why: 'is no folder' }, 'wrong-directory', 'keep', 'is no folder'],
  [{ place: 'foreign' }, 'foreign-owner', 'keep', 'belongs to another user'],
  [{ place: 'bare' }, 'bare', 'keep', 'is a bare repository, which has no worktree'],
  [sub({}), 'clean', 'remove', ''],
  [sub({ untracked: ['a'] }), 'submodule', 'keep', 'has work in its submodules: lib has 1 untracked file'],
  [sub({ unpushed: ['a'] }), 'submodule', 'keep', 'has work in its submodules: lib has 1 commit that is on no remote'],
  [sub({ place: 'unknown' }), 'submodule', 'keep', 'has work in its submodules: lib could not be looked at'],
  ...OPERATIONS.map((operation) => {
    return [{ operation }, `mid-${operation}`, 'keep', `is in the middle of a ${operation}`] as const;
  }),
];

describe('what may be done', () => {
  test.each(TABLE)('%j: %s, %s', (finding, states, may, says) => {
    const facts = { ...CLEAN, ...finding };
    expect(statesOf(facts).join(' ')).toBe(states);
    expect(mayOf(facts)).toBe(may);
    expect(barriersOf(facts).map((one) => one.says)).toEqual(says === '' ? [] : [says]);
  });

  test('nothing that is found beside it makes more possible', () => {
    const rank = { remove: 2, push: 1, keep: 0 } as const;
    const finding = fc.constantFrom(...TABLE.map(([one]) => one).filter(({ place }) => place === undefined));
    fc.assert(
      fc.property(finding, finding, (one, other) => {
        // The later of two lists of one kind wins; then it is only that one.
        const both = mayOf({ ...CLEAN, ...one, ...other });
        const same = Object.keys(one).some((key) => key in other);
        expect(rank[both]).toBeLessThanOrEqual(rank[mayOf({ ...CLEAN, ...other })]);
        if (!same) expect(rank[both]).toBeLessThanOrEqual(rank[mayOf({ ...CLEAN, ...one })]);
      }),
    );
  });
});
