/**
 * The refinery's own worktree, in which tests run: `<root>/<rig>/refinery`, detached. Nothing is decided by what lies in it: each test
 * begins with a checkout of the commit to be tested. Ignored files stay from test to test, so that a build need not begin anew.
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { RigRecord } from '../../machines/rigs/records.ts';
import { isThere } from '../git/files.ts';
import { GIT } from '../git/policy.ts';
import { call } from '../git/push.ts';
import { gitDirOf, linkIn, registeredAt } from '../git/worktree.ts';
import { withGit } from '../rigs/repository.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { REFINERY } from './policy.ts';

type Rig = Pick<RigRecord, 'name' | 'commonDir'>;

/** `root` is absolute. */
export const treeFolder = (root: string, { name }: Pick<Rig, 'name'>): string => join(root, name, 'refinery');

export interface Grounds {
  readonly rig: Rig;
  /** Absolute. */
  readonly folder: string;
  /** Processes whose working folder is this one or below it. Rejects when it is unknown. */
  readonly standingIn: (folder: string) => Promise<readonly string[]>;
}

/** Resolves once the folder holds this commit, its submodules and the files that LFS keeps elsewhere, and no other file but ignored ones. */
export async function checkOut(grounds: Grounds, commit: string): Promise<void> {
  const { folder } = grounds;
  const gitDir = await placed(grounds, commit);
  await unlocked(grounds, gitDir);
  const git = (...words: string[]): Promise<string> =>
    call({ gitDir, workTree: folder, cwd: folder }, words, GIT.workMs);
  await git('checkout', '--force', '--detach', '--quiet', commit);
  await git('clean', '-ffdq');
  if (await isThere(join(folder, '.gitmodules')))
    await git('submodule', '--quiet', 'update', '--init', '--recursive', '--force');
}

/** Makes it where it is not there, or where a kill left half of it. Throws `Failure` where the folder may hold a person's work. */
async function placed({ rig, folder }: Grounds, commit: string): Promise<string> {
  const { commonDir } = rig;
  const before = await registeredAt(commonDir, folder);
  if (before !== null && (await gitDirOf(join(folder, '.git'))) === before) return before;
  if (!(await isDisposable(rig, folder)))
    throw new Failure(
      EXIT.refused,
      'folder_taken',
      `${folder} holds what the refinery did not put there; move it away`,
    );
  await rm(folder, { recursive: true, force: true });
  await mkdir(dirname(folder), { recursive: true, mode: PRIVATE });
  if (before !== null) await withGit(rig, ({ repo }) => repo.run(['worktree', 'remove', '--force', '--force', folder]));
  await withGit(rig, ({ repo }) => repo.run(['worktree', 'add', '--detach', '--no-checkout', folder, commit]), {
    addsWorktree: true,
  });
  const made = await registeredAt(commonDir, folder);
  if (made === null) throw new Failure(EXIT.failed, 'not_placed', `git made no worktree at ${folder}`);
  // git wrote the folder that it was given for that call.
  await writeFile(join(folder, '.git'), `gitdir: ${made}\n`);
  return made;
}
const PRIVATE = 0o700;

/**
 * Whether no work is lost with the folder: it is a worktree of this rig, or holds at the most the link that a killed `git worktree add` wrote.
 * A clone has its commits in the folder itself.
 */
async function isDisposable({ commonDir }: Pick<Rig, 'commonDir'>, folder: string): Promise<boolean> {
  if (!(await isThere(folder))) return true;
  const dotGit = join(folder, '.git');
  const link = (await gitDirOf(dotGit)) ?? (await linkIn(dotGit));
  if (link !== null && dirname(link) === join(commonDir, 'worktrees')) return true;
  // A folder that cannot be read is unknown.
  const names = await readdir(folder).catch(() => null);
  return names?.length === 0 || (names?.length === 1 && (await linkIn(dotGit)) !== null);
}

/** A git that was killed leaves the lock of its index. One that still runs in the worktree is waited for. */
async function unlocked({ folder, standingIn }: Grounds, gitDir: string): Promise<void> {
  const locks = ['index.lock', 'HEAD.lock'].map((name) => join(gitDir, name));
  for (const until = performance.now() + REFINERY.lockMs; performance.now() < until;) {
    const there = await Promise.all(locks.map((lock) => isThere(lock)));
    if (!there.includes(true)) return;
    if ((await standingIn(folder)).length === 0) break;
    await pause(REFINERY.pollMs);
  }
  for (const lock of locks) await rm(lock, { force: true });
}

/** Removes it, if there is one, with everything in it: git and the remote have what was tested there. What a person put there stays. */
export async function removeTree(rig: Rig, folder: string): Promise<void> {
  if ((await registeredAt(rig.commonDir, folder)) === null || !(await isDisposable(rig, folder))) return;
  await rm(folder, { recursive: true, force: true });
  await withGit(rig, ({ repo }) => repo.run(['worktree', 'remove', '--force', '--force', folder]));
}
