/** Many looks at once at what no remote has: each gets what it would have got alone. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitAt, type Git } from '../../../src/git/git.ts';
import { unpushedOf } from '../../../src/git/history.ts';
import { GIT } from '../../../src/git/policy.ts';
import { unpushedTogether } from '../../../src/git/unpushed.ts';
import { Linked } from '../linked.ts';

/** git at the repository, and how many logs it was asked for. */
function counting(it: Linked): { readonly repo: Git; logs(): number } {
  const { signal } = new AbortController();
  const policy = { gitMs: GIT.lookMs };
  const real = gitAt({ top: it.commonDir, gitDir: it.commonDir, policy, signal, onlyReads: true });
  let logs = 0;
  const counted =
    <T extends readonly unknown[], R>(call: (...words: T) => R) =>
    (...words: T) => {
      logs += 1;
      return call(...words);
    };
  const repo = { ...real, run: counted(real.run), runAtMost: counted(real.runAtMost) };
  return { repo, logs: () => logs };
}

const WORKERS = 12;

/** Worktrees with work of their own; the last of them began at the work of the first, and merged the second's. */
function crowd(it: Linked): { readonly head: string; readonly base: string }[] {
  const base = it.in('rev-parse', 'main').trim();
  const worker = (nth: number, from: string): string => {
    const dir = join(it.root, `polecats/w${nth}`);
    it.git('worktree', 'add', '-q', '-b', `polecat/w${nth}`, dir, from);
    for (let commit = 0; commit < nth % 4; commit += 1)
      it.gitIn(dir, 'commit', '-q', '--allow-empty', '-m', `w${nth} did ${commit} é`);
    return it.gitIn(dir, 'rev-parse', 'HEAD').trim();
  };
  const heads = Array.from({ length: WORKERS }, (_, nth) => worker(nth, base));
  it.git('push', '-q', 'origin', 'polecat/w7');
  const [first = '', second = ''] = [heads[3], heads[2]];
  worker(WORKERS, first);
  const last = join(it.root, `polecats/w${WORKERS}`);
  it.gitIn(last, 'merge', '-q', '-m', 'takes in the second', second);
  const merged = it.gitIn(last, 'rev-parse', 'HEAD').trim();
  return [...heads.map((head) => ({ head, base })), { head: merged, base }, { head: merged, base: first }];
}

// Rules: R-1.
test('each is answered as alone, by a few logs for all', async () => {
  const it = new Linked();
  const asked = crowd(it);
  const { repo, logs } = counting(it);
  const more = { repo, commonDir: it.commonDir, most: GIT.maxListed };
  const together = await Promise.all(asked.map((one) => unpushedTogether({ ...one, ...more })));
  expect(logs()).toBeLessThanOrEqual(3);
  for (const [nth, { head, base }] of asked.entries()) {
    const alone = await unpushedOf(repo, [head, '--not', '--remotes', base], GIT.maxListed);
    expect(together[nth]?.toSorted()).toEqual(alone.toSorted());
  }
  expect(together.map((list) => list.length)).toEqual([0, 1, 2, 3, 0, 1, 2, 0, 0, 1, 2, 3, 6, 3]);
});

test('one whose commit is gone is refused, and the others are answered', async () => {
  const it = new Linked();
  const [one] = crowd(it).slice(3);
  const { repo } = counting(it);
  const more = { repo, commonDir: it.commonDir, most: 2 };
  const base = one?.base ?? '';
  const looks = await Promise.allSettled([
    unpushedTogether({ head: 'd'.repeat(40), base, ...more }),
    unpushedTogether({ head: one?.head ?? '', base, ...more }),
    unpushedTogether({ head: 'e'.repeat(40), base, ...more }),
  ]);
  expect(looks.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
  // At most as many as were wanted, the newest first.
  expect(looks[1]).toMatchObject({
    value: [expect.stringContaining('w3 did 2 é'), expect.stringContaining('w3 did 1 é')],
  });
});
