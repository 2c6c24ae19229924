/**
 * Which worktree stands in a folder, told by files alone: is it one, whose is it, of which repository? No git is asked here.
 */
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { NOTHING_SEEN, type WorktreeFacts } from '../../machines/rigs/worktree.ts';
import { askedOnce, type Answers } from './answers.ts';
import { isThere, textOf } from './files.ts';

/** A worktree that can be asked. */
export interface Standing {
  /** Its own part of the repository: HEAD, index, what it is in the middle of. */
  readonly gitDir: string;
  /** What it shares with the repository's other worktrees. */
  readonly commonDir: string;
}

/** What stands in its place instead. */
export type Odd = Pick<WorktreeFacts, 'place' | 'why'>;

export const isOdd = (found: Standing | Odd): found is Odd => 'place' in found;

const odd = (place: WorktreeFacts['place'], why = ''): Odd => ({ place, why });

/** `commonDir`: of the repository that the worktree has to belong to; null = any. */
export async function standingAt(top: string, commonDir: string | null): Promise<Standing | Odd> {
  const self = await isThere(top).then((there) => (there ? lstat(top) : null));
  if (self === null) return odd('missing');
  if (!self.isDirectory()) return odd('wrong', 'is no folder');
  if (isForeign(self.uid)) return odd('foreign', `belongs to another user (uid ${self.uid})`);
  const dotGit = join(top, '.git');
  if (!(await isThere(dotGit))) {
    const isBare = (await isThere(join(top, 'HEAD'))) && (await isThere(join(top, 'objects')));
    return isBare ? odd('bare') : odd('wrong', 'holds no .git, so it is no worktree');
  }
  const gitDir = await gitDirOf(dotGit);
  if (gitDir === null) return odd('wrong', 'has a .git that leads to no repository');
  if (isForeign((await stat(gitDir)).uid)) return odd('foreign', 'has a repository that belongs to another user');
  const common = await commonOf(gitDir);
  if (commonDir === null) return { gitDir, commonDir: common };
  if (common !== commonDir) return odd('wrong', `is a worktree of ${common}, not of ${commonDir}`);
  const back = await placeOf(gitDir);
  if (await sameFile(back ?? dotGit, dotGit)) return { gitDir, commonDir: common };
  return odd('wrong', `is registered at ${dirname(back ?? dotGit)}, and would be a copy of what stands there`);
}

const isForeign = (uid: number): boolean => uid !== process.getuid?.();

/** The folder that a file `.git` names, whether it is there or not; null = it is no file, or names none. */
export async function linkIn(dotGit: string): Promise<string | null> {
  const found = await stat(dotGit).catch(() => null);
  const text = found?.isFile() === true ? await textOf(dotGit) : null;
  const named = /^gitdir: (.*?)[\r\n]*$/.exec(text ?? '')?.[1];
  return named === undefined ? null : resolve(dirname(dotGit), named);
}

/** Where a `.git` leads, with all links followed; null = nowhere. */
export async function gitDirOf(dotGit: string): Promise<string | null> {
  const found = await stat(dotGit).catch(() => null);
  const dir = found?.isDirectory() === true ? dotGit : await linkIn(dotGit);
  if (dir === null || !(await isThere(join(dir, 'HEAD')))) return null;
  return realpath(dir);
}

/** The folder that a repository's worktrees share; its own where it has none beside it. */
export async function commonOf(gitDir: string): Promise<string> {
  const named = await textOf(join(gitDir, 'commondir'));
  return named === null ? gitDir : realpath(resolve(gitDir, named.trimEnd()));
}

/** The `.git` that a linked worktree is registered at; null = it is no linked one. */
async function placeOf(gitDir: string): Promise<string | null> {
  const named = await textOf(join(gitDir, 'gitdir'));
  return named === null ? null : resolve(gitDir, named.trimEnd());
}

/** Of the folder only: the file itself may be gone. */
async function sameFile(one: string, other: string): Promise<boolean> {
  const real = async (path: string): Promise<string> => {
    const parent = dirname(dirname(path));
    return join(await realpath(parent).catch(() => parent), basename(dirname(path)), basename(path));
  };
  return one === other || (await real(one)) === (await real(other));
}

/** Every linked worktree of a repository: its own part, and the folder that it is registered at. */
export async function linkedIn(commonDir: string): Promise<{ readonly gitDir: string; readonly top: string }[]> {
  const folder = join(commonDir, 'worktrees');
  if (!(await isThere(folder))) return [];
  const found: { gitDir: string; top: string }[] = [];
  for (const name of await readdir(folder)) {
    const gitDir = join(folder, name);
    const at = await placeOf(gitDir);
    if (at !== null) found.push({ gitDir, top: dirname(at) });
  }
  return found;
}

/** The linked worktree that is registered at this folder, whether it is there or not. */
export async function registeredAt(commonDir: string, top: string): Promise<string | null> {
  const parent = await realpath(dirname(top)).catch(() => dirname(top));
  const places = [top, join(parent, basename(top))];
  return (await linkedIn(commonDir)).find((one) => places.includes(one.top))?.gitDir ?? null;
}

async function linkedOnce(commonDir: string, answers: Answers): ReturnType<typeof linkedIn> {
  const found = askedOnce(answers, ['worktrees', commonDir], async () => JSON.stringify(await linkedIn(commonDir)));
  return JSON.parse((await found) ?? '[]') as Awaited<ReturnType<typeof linkedIn>>;
}

/** Folders of other worktrees of the repository that lie inside this one. */
export async function worktreesWithin(commonDir: string, top: string, answers: Answers = new Map()): Promise<string[]> {
  const inside = `${top}${sep}`;
  const others = (await linkedOnce(commonDir, answers)).filter((one) => one.top.startsWith(inside));
  const there = await Promise.all(others.map((one) => isThere(one.top)));
  return others.filter((_, at) => there[at]).map((one) => one.top.slice(inside.length));
}

/** Repositories of submodules that a worktree keeps beside its index, checked out or not. */
export async function modulesOf(gitDir: string): Promise<string[]> {
  const folder = join(gitDir, 'modules');
  if (!(await isThere(folder))) return [];
  const found: string[] = [];
  const open = [folder];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const isRepository = at !== folder && (await isThere(join(at, 'HEAD'))) && (await isThere(join(at, 'objects')));
    if (isRepository) found.push(at);
    // A repository's own submodules lie in its folder `modules`; the name of any may have slashes in it.
    const inner = isRepository ? join(at, 'modules') : at;
    if (!(await isThere(inner))) continue;
    for (const entry of await readdir(inner, { withFileTypes: true }))
      if (entry.isDirectory()) open.push(join(inner, entry.name));
  }
  return found;
}

export const unseen = ({ place, why }: Odd): WorktreeFacts => ({ ...NOTHING_SEEN, place, why });
