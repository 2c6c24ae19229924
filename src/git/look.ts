/**
 * One look at a worktree: everything that decides what may be done with it. Nothing is written, nothing of the repository's
 * is run, and what cannot be told in time is unknown, never clean.
 * 1. A glance is one `git status` and a few calls beside it. A whole look, for whoever acts, also finds what flags of the
 *    index hide, lists what is ignored and looks into every submodule.
 * 2. Where the folder is gone, what git keeps of the worktree is looked at all the same: its index may hold staged work.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { NOTHING_SEEN, type WorktreeFacts } from '../../machines/rigs/worktree.ts';
import { readable, sizeOf, submodulesIn } from './changes.ts';
import { filtersOff, gitAt, type Git, type GitPlace } from './git.ts';
import { hiddenChanges } from './hidden.ts';
import { isThere, operationIn, stashesOn, textOf, unpushedOf } from './history.ts';
import { ownIgnores } from './ignores.ts';
import { GIT, type GitPolicy } from './policy.ts';
import { parseStatus, type Status } from './status.ts';
import { isOdd, modulesOf, registeredAt, standingAt, unseen, worktreesWithin, type Standing } from './worktree.ts';

export interface LookOptions {
  readonly depth: 'glance' | 'whole';
  /** The repository that it has to belong to, by the folder that its worktrees share; null = any. */
  readonly commonDir: string | null;
  /** Its own branch, whatever is checked out; its commits and stashes count. */
  readonly branch?: string;
  /** The commit that it began with, where the repository holds that without it. */
  readonly base?: string;
  readonly policy?: GitPolicy;
}

export async function lookAt(top: string, options: LookOptions): Promise<WorktreeFacts> {
  const { lookMs } = options.policy ?? GIT;
  const over = new AbortController();
  try {
    const late = pause(lookMs, null, { signal: over.signal }).then(() => {
      throw new Error(`could not be looked at within ${lookMs} ms`);
    });
    return await Promise.race([look(top, options, { signal: over.signal }), late]);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { ...NOTHING_SEEN, why: `could not be looked at: ${text.replaceAll('\n', ' ')}` };
  } finally {
    over.abort();
  }
}

type Ground = Pick<GitPlace, 'signal'>;

async function look(top: string, options: LookOptions, ground: Ground): Promise<WorktreeFacts> {
  const standing = await standingAt(top, options.commonDir);
  if (!isOdd(standing)) return lookInto(top, standing, options, ground);
  const gitDir = options.commonDir === null ? null : await registeredAt(options.commonDir, top);
  if (standing.place !== 'missing' || options.commonDir === null) return unseen(standing);
  return lookAtRest(gitDir, options.commonDir, options, ground);
}

const placeOf = (ground: Ground, { policy = GIT }: LookOptions): Omit<GitPlace, 'top'> => ({
  ...ground,
  policy: { gitMs: policy.lookMs },
});

async function lookInto(
  top: string,
  { gitDir, commonDir }: Standing,
  options: LookOptions,
  ground: Ground,
): Promise<WorktreeFacts> {
  const place: GitPlace = { ...placeOf(ground, options), top, gitDir, workTree: top, config: await ownIgnores() };
  const plain = gitAt(place);
  if (await isBare(plain, gitDir)) return unseen({ place: 'bare', why: '' });
  const isWhole = options.depth === 'whole';
  const git = await withoutFilters(plain, place, [commonDir, gitDir]);
  const status = await statusOf(git, isWhole, options.policy ?? GIT);
  if (status === null) return { ...NOTHING_SEEN, why: 'has more changes than can be told' };
  const operation = await operationIn(gitDir);
  const { branch, head, changed, deleted, untracked, ignored } = status;
  const nested = [...(await worktreesWithin(commonDir, top)), ...(await repositoriesAmong(top, ignored))];
  return {
    ...{ place: 'there', why: '', branch, head, operation, nested, changed, deleted, untracked, ignored },
    hidden: isWhole ? await hiddenChanges(git, top) : [],
    stashes: await stashesOn(git, ownBranches(branch, options)),
    unpushed: await unpushedIn(git, options),
    submodules: await submodulesOf(git, { top, gitDir }, options, ground),
    ...(await signsIn(git, gitDir)),
  };
}

/** What git keeps of a worktree whose folder is gone. */
async function lookAtRest(
  gitDir: string | null,
  commonDir: string,
  options: LookOptions,
  ground: Ground,
): Promise<WorktreeFacts> {
  const git = gitAt({ ...placeOf(ground, options), top: commonDir, gitDir: gitDir ?? commonDir });
  const own = options.branch === undefined ? [] : [`refs/heads/${options.branch}`];
  const facts: WorktreeFacts = {
    ...unseen({ place: 'missing', why: '' }),
    stashes: await stashesOn(git, ownBranches(null, options)),
    unpushed: await unpushedIn(git, options, gitDir === null ? own : ['HEAD', ...own]),
  };
  if (gitDir === null) return facts;
  const head = await git.find(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  const hasIndex = await isThere(join(gitDir, 'index'));
  const staged = head !== null && hasIndex ? await git.run(['diff-index', '--cached', '--name-only', '-z', head]) : '';
  return {
    ...facts,
    head,
    changed: readable(staged).split('\0').filter(Boolean),
    operation: await operationIn(gitDir),
    submodules: await modulesOnly(await modulesOf(gitDir), [], options, ground),
    ...(await signsIn(git, gitDir)),
  };
}

/** `core.bare` that was set by mistake in the configuration of a worktree leaves it one. */
async function isBare(git: Git, gitDir: string): Promise<boolean> {
  if (await isThere(join(gitDir, 'index'))) return false;
  return (
    (await git.find(['config', '--type=bool', 'core.bare'])) === 'true' && !(await isThere(join(gitDir, 'commondir')))
  );
}

/** Only where the configuration could name a filter is it asked for them. */
async function withoutFilters(git: Git, place: GitPlace, folders: readonly string[]): Promise<Git> {
  const files = folders.flatMap((folder) => [join(folder, 'config'), join(folder, 'config.worktree')]);
  const texts = await Promise.all(files.map(textOf));
  if (!texts.some((text) => /\[\s*(filter|include)/i.test(text ?? ''))) return git;
  return gitAt({ ...place, config: [...(place.config ?? []), ...(await filtersOff(git))] });
}

const STATUS = ['status', '--porcelain=v2', '--branch', '-z', '--no-renames', '--ignore-submodules=dirty'];

async function statusOf(git: Git, isWhole: boolean, { maxAnswerBytes }: GitPolicy): Promise<Status | null> {
  const args = [...STATUS, '--untracked-files=normal', ...(isWhole ? ['--ignored=matching'] : [])];
  const output = await git.runAtMost(args, maxAnswerBytes);
  return output === null ? null : parseStatus(output);
}

const ownBranches = (branch: string | null, { branch: own }: LookOptions): (string | null)[] =>
  [...new Set([branch, own ?? null])].filter((one) => one !== null);

async function unpushedIn(git: Git, options: LookOptions, tips?: readonly string[]): Promise<string[]> {
  const { branch, base, policy = GIT } = options;
  const from = tips ?? ['HEAD', ...(branch === undefined ? [] : [`refs/heads/${branch}`])];
  const range = [...from, '--not', '--remotes', ...(base === undefined ? [] : [base])];
  return unpushedOf(git, range, policy.maxListed);
}

/** A folder that is ignored goes with the worktree, and every repository in it too, however deep. */
async function repositoriesAmong(top: string, ignored: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const open = ignored.filter((name) => name.endsWith('/'));
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entries = await readdir(join(top, at), { withFileTypes: true });
    const has = (name: string): boolean => entries.some((entry) => entry.name === name);
    if (has('.git') || BARE.every(has)) found.push(at);
    else for (const entry of entries) if (entry.isDirectory()) open.push(`${at}${entry.name}/`);
  }
  return found.sort();
}

const BARE = ['HEAD', 'objects', 'refs'];

async function signsIn(git: Git, gitDir: string): Promise<Pick<WorktreeFacts, 'sparse' | 'indexLocked' | 'locked'>> {
  const mayBeSparse = await isThere(join(gitDir, 'info/sparse-checkout'));
  const sparse = mayBeSparse && (await git.find(['config', '--type=bool', 'core.sparseCheckout'])) === 'true';
  const locked = (await isThere(join(gitDir, 'locked'))) ? await readFile(join(gitDir, 'locked'), 'utf8') : null;
  return { sparse, indexLocked: await isThere(join(gitDir, 'index.lock')), locked: locked?.trim() ?? null };
}

type Submodules = WorktreeFacts['submodules'];

async function submodulesOf(
  git: Git,
  { top, gitDir }: { readonly top: string; readonly gitDir: string },
  options: LookOptions,
  ground: Ground,
): Promise<Submodules> {
  const kept = await modulesOf(gitDir);
  const mayHave = options.depth === 'whole' || kept.length > 0 || (await sizeOf(top, '.gitmodules')) !== null;
  const seen: { path: string; facts: WorktreeFacts; gitDir: string }[] = [];
  for (const name of mayHave ? await submodulesIn(git, top) : []) {
    const path = readable(name);
    const standing = await standingAt(join(top, path), null);
    if (isOdd(standing)) seen.push({ path, facts: unseen(standing), gitDir: '' });
    else {
      const inner = { depth: options.depth, commonDir: null, policy: options.policy ?? GIT } as const;
      const facts = await lookInto(join(top, path), standing, inner, ground);
      const unpushed = await onlyIn(standing.gitDir, options, ground);
      seen.push({ path, facts: { ...facts, stashes: [], unpushed }, gitDir: standing.gitDir });
    }
  }
  const dirs = seen.map((one) => one.gitDir);
  return [...seen.map(({ path, facts }) => ({ path, facts })), ...(await modulesOnly(kept, dirs, options, ground))];
}

/** Repositories of submodules that are not checked out: their commits. */
async function modulesOnly(
  kept: readonly string[],
  seen: readonly string[],
  options: LookOptions,
  ground: Ground,
): Promise<Submodules> {
  const found: { path: string; facts: WorktreeFacts }[] = [];
  for (const gitDir of kept.filter((one) => !seen.includes(one))) {
    const unpushed = await onlyIn(gitDir, options, ground);
    const path = gitDir.slice(gitDir.lastIndexOf('/modules/') + '/modules/'.length);
    found.push({ path, facts: { ...unseen({ place: 'missing', why: '' }), unpushed } });
  }
  return found;
}

/** A repository that goes with the worktree takes all with it that no remote has: every branch, stash and reflog. */
async function onlyIn(gitDir: string, options: LookOptions, ground: Ground): Promise<string[]> {
  // Its own idea of where its worktree stands may be out of date.
  const git = gitAt({ ...placeOf(ground, options), top: gitDir, gitDir, workTree: gitDir });
  return unpushedOf(git, ['--all', '--reflog', '--not', '--remotes'], (options.policy ?? GIT).maxListed);
}
