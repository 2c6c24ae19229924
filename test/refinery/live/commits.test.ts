/** The commits that the refinery makes of branches with merges in them, on real git: none leaves out what a merge decided. */
import { beforeEach, expect, test } from 'vitest';
import { makeCommit, type Made, type MergeWay } from '../../../src/refinery/commits.ts';
import { inMain } from '../../../src/rigs/in-main.ts';
import { mainOf } from '../../../src/rigs/main-branch.ts';
import { withGit } from '../../../src/rigs/repository.ts';
import { RigOn } from '../../rigs/yard.ts';

let it: RigOn;
beforeEach(() => {
  it = new RigOn();
  it.commit('api', 'add\n');
  it.git('checkout', '-q', '-b', 'polecat/nux');
  it.commit('caller', 'calls add\n');
});

const git = (...words: string[]): string => it.git(...words).trim();

async function make(way: MergeWay): Promise<Made> {
  const [main, work] = [git('rev-parse', 'main'), git('rev-parse', 'polecat/nux')];
  const wanted = { main, work, branch: 'polecat/nux', title: 'a title', bead: null, committer: 'x <x@x>', now: 1_000 };
  return withGit(it.rig, ({ repo }) => makeCommit(repo, way, wanted));
}

/** On main, and on the branch a merge of it, in which a person changed a file as well. */
function mergesMain(name: string, text: string, [mainFile, mainText]: readonly [string, string]): void {
  git('checkout', '-q', 'main');
  it.commit(mainFile, mainText);
  git('checkout', '-q', 'polecat/nux');
  try {
    git('merge', '-q', '--no-commit', 'main');
  } catch {
    // A conflict: the file is what is made of it.
  }
  it.commit(name, text);
}

async function isInMainAs(made: Made, files: readonly string[]): Promise<void> {
  if (made.is !== 'made') throw new Error(made.why);
  expect(git('show', ...files.map((file) => `${made.commit}:${file}`))).toBe(
    git('show', ...files.map((file) => `polecat/nux:${file}`)),
  );
  expect(git('rev-list', '--merges', `main..${made.commit}`)).toBe('');
  const work = git('rev-parse', 'polecat/nux');
  git('push', '-q', 'origin', `${made.commit}:refs/heads/main`);
  expect((await inMain(it.rig, await mainOf(it.rig), [{ commit: work, base: null }])).get(work)).toBe('yes');
}

// Rules: R-2, law 4.
test.each(['squash', 'rebase'] as const)('by %s main gets what a merge of it adapted', async (way) => {
  mergesMain('caller', 'calls sum\n', ['api', 'sum\n']);
  const made = await make(way);
  await isInMainAs(made, ['api', 'caller']);
  expect(git('log', '-1', '--format=%an', made.is === 'made' ? made.commit : '')).toBe('Max');
});

// Rules: R-2.
test.each(['squash', 'rebase'] as const)(
  'by %s a branch is merged whose conflict a merge of main resolved',
  async (way) => {
    it.commit('api', 'add of nux\n');
    mergesMain('api', 'add of both\n', ['api', 'add of main\n']);
    await isInMainAs(await make(way), ['api', 'caller']);
  },
);

test('by rebase each commit stays one where its merges decided nothing', async () => {
  it.commit('caller', 'calls add twice\n');
  mergesMain('of-nux', 'of nux\n', ['of-main', 'of main\n']);
  git('reset', '-q', '--hard', 'HEAD^');
  git('merge', '-q', '--no-edit', 'main');
  const made = await make('rebase');
  await isInMainAs(made, ['of-main', 'caller']);
  expect(git('log', '--format=%s', made.is === 'made' ? `main..${made.commit}` : '').split('\n')).toEqual([
    'adds caller',
    'adds caller',
  ]);
});

// Rules.
test('by rebase main gets no commit of the branch itself, also where it stands still', async () => {
  const made = await make('rebase');
  await isInMainAs(made, ['api', 'caller']);
  const of = (commit: string): string[] => git('log', '-1', '--format=%T %P %an %s %cn', commit).split(' ');
  const [tree, parent, author, ...subject] = of('polecat/nux');
  expect(made.is === 'made' && of(made.commit)).toEqual([tree, parent, author, ...subject.slice(0, -1), 'x']);
});

test('by rebase a conflict is told with the commit that has it', async () => {
  it.commit('api', 'add of nux\n');
  git('checkout', '-q', 'main');
  it.commit('api', 'add of main\n');
  expect(await make('rebase')).toEqual({
    is: 'refused',
    why: expect.stringMatching(/^CONFLICT .*in api\nwhile [0-9a-f]{12} \(adds api\) was put on main$/) as string,
  });
});
