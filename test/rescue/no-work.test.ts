/** Folders without git work, and what stands in the place of a repository (law 4). */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { savedText } from '../../machines/hearings/saved-work.ts';
import { worktreeOf } from '../../src/git/find.ts';
import { REF, Repo, rescueAt } from './repo.ts';

let repo: Repo;
beforeEach(() => (repo = new Repo()));

describe('no git work', () => {
  test('no folder, a vanished folder, a bare repository', async () => {
    await expect(rescueAt(null)).rejects.toThrow('no folder of gt-max is known');
    expect(await rescueAt(repo.root)).toMatchObject({ ref: null, notes: { 'scrollback.txt': 'the last words' } });
    expect(await rescueAt(join(repo.root, 'gone (deleted)'))).toMatchObject({ ref: null });
    const bare = join(repo.root, 'bare');
    repo.gitIn(repo.root, 'init', '-q', '--bare', bare);
    expect(await rescueAt(bare)).toMatchObject({ ref: null });
    repo.gitIn(repo.root, 'init', '-q', '--bare', join(repo.root, 'hub/.git'));
    expect(await rescueAt(join(repo.root, 'hub'))).toMatchObject({ ref: null });
    expect(await worktreeOf(join(repo.top, '.git/hooks'))).toBe(repo.top);
  });

  /** What may stand where a repository is looked for, by what is put into the folder `.git`. */
  const SHAPES: Readonly<Record<string, (git: string) => void>> = {
    'an empty folder, as a sandbox leaves it': () => undefined,
    'a HEAD alone': (git) => writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/main\n'),
    'no HEAD': (git) => rmSync(join(whole(git), 'HEAD')),
    'an empty HEAD': (git) => writeFileSync(join(whole(git), 'HEAD'), ''),
    'a HEAD that is no branch and no commit': (git) => writeFileSync(join(whole(git), 'HEAD'), 'ref: main\n'),
    'no objects': (git) => rmSync(join(whole(git), 'objects'), { recursive: true }),
    'no refs': (git) => rmSync(join(whole(git), 'refs'), { recursive: true }),
    'a common folder that is gone': (git) => writeFileSync(join(whole(git), 'commondir'), '../nowhere\n'),
    'a HEAD that is a link to a branch': (git) => {
      rmSync(join(whole(git), 'HEAD'));
      symlinkSync('refs/heads/main', join(git, 'HEAD'));
    },
    'a HEAD that is a commit': (git) => writeFileSync(join(whole(git), 'HEAD'), `${'a'.repeat(40)}\n`),
    'objects and refs in a common folder': (git) => {
      const store = join(repo.root, 'store');
      mkdirSync(store);
      whole(store);
      for (const part of ['objects', 'refs']) rmSync(join(whole(git), part), { recursive: true });
      writeFileSync(join(git, 'commondir'), `${store}\n`);
    },
    'a whole one': (git) => void whole(git),
  };
  const whole = (git: string): string => {
    repo.gitIn(git, 'init', '-q', '--bare', '-b', 'main', '.');
    repo.gitIn(git, 'config', 'core.bare', 'false');
    return git;
  };

  test.each(Object.entries(SHAPES))('a folder named .git with %s: the one that git finds is found', async (_, put) => {
    const inside = join(repo.top, 'inside');
    const git = join(inside, '.git');
    mkdirSync(git, { recursive: true });
    put(git);
    mkdirSync(join(inside, 'deep'));
    const byGit = repo.gitIn(join(inside, 'deep'), 'rev-parse', '--show-toplevel').trim();
    expect(await worktreeOf(join(inside, 'deep'))).toBe(byGit);
  });

  test('a link that leads nowhere, or round in circles, or to a repository; a FIFO', async () => {
    const at = (name: string): string => {
      mkdirSync(join(repo.top, name));
      return join(repo.top, name, '.git');
    };
    symlinkSync('nowhere', at('dangling'));
    symlinkSync('.git', at('circle'));
    execFileSync('mkfifo', [at('fifo')]);
    for (const name of ['dangling', 'circle', 'fifo'])
      expect(await worktreeOf(join(repo.top, name)), name).toBe(repo.top);
    symlinkSync('../.git', at('linked'));
    expect(await worktreeOf(join(repo.top, 'linked'))).toBe(join(repo.top, 'linked'));
  });

  test('below what is no repository there is nothing to save, and that is told; above it there may be', async () => {
    const plain = join(repo.root, 'plain');
    mkdirSync(join(plain, '.git/objects'), { recursive: true });
    writeFileSync(join(plain, 'a'), 'work\n');
    const alone = await rescueAt(join(plain, '.git'));
    expect(alone).toMatchObject({ ref: null, repos: 0, files: 0 });
    expect(savedText(alone)).toContain('in no git worktree');
    repo.commit('a', '1\n');
    const clean = await rescueAt(repo.top);
    expect(clean).toMatchObject({ ref: null, repos: 1, files: 0 });
    expect(savedText(clean)).toContain('no uncommitted work');
    const inside = join(repo.top, 'inside');
    mkdirSync(join(inside, '.git/refs'), { recursive: true });
    for (const name of ['a', 'inside/new']) repo.write(name, '2\n');
    const saved = await rescueAt(inside);
    expect(repo.kept('inside/new')).toBe('2\n');
    expect(savedText(saved)).toBe(
      `2 files of its work were saved under ${REF}; what its pane showed is in rescue/dog-1`,
    );
  });

  test('a worktree whose core.bare was set by mistake is one', async () => {
    repo.commit('a', '1\n');
    repo.write('a', '2\n');
    repo.git('config', 'core.bare', 'true');
    await rescueAt(repo.top);
    expect(repo.kept('a')).toBe('2\n');
  });
});
