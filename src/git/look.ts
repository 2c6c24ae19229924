/**
 * One look at a worktree: everything that decides what may be done with it. Nothing is written, nothing of the repository's
 * is run, and what is not known in time is unknown, never clean.
 * 1. A glance is one `git status` and a few calls beside it. A whole look, before an act, also lists what is ignored, proves that
 *    all of it can be read and removed, and looks into every submodule.
 * 2. Where the folder is gone, what git keeps of the worktree is looked at all the same: its index may hold staged work.
 */
import { access, constants, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { NOTHING_SEEN, type WorktreeFacts } from '../../machines/rigs/worktree.ts';
import { namesIn, readable, sizeOf, submodulesIn } from './changes.ts';
import type { Answers } from './answers.ts';
import { gitAt, type Git, type GitPlace } from './git.ts';
import { hiddenChanges } from './hidden.ts';
import { entriesOf, isThere } from './files.ts';
import { operationIn, stashesOn, unpushedOf } from './history.ts';
import { hiddenByUntracked, ownIgnores } from './ignores.ts';
import { hasHiddenFlag } from './index-flags.ts';
import { GIT, type GitPolicy } from './policy.ts';
import { isOn, settingOf, settingsIn, settingsOf } from './settings.ts';
import { parseStatus, type Status } from './status.ts';
import { unpushedTogether } from './unpushed.ts';
import { isOdd, modulesOf, registeredAt, standingAt, unseen, worktreesWithin, type Standing } from './worktree.ts';
import { span } from '../../machines/kernel/span.ts';

export interface LookOptions {
  readonly depth: 'glance' | 'whole';
  /** The repository that it has to belong to, by the folder that its worktrees share; null = any. */
  readonly commonDir: string | null;
  /** Its own branch, even if another is checked out; its commits and stashes count. */
  readonly branch?: string;
  /** The commit that it began with, where the repository holds that without it. */
  readonly base?: string;
  readonly policy?: GitPolicy;
  /** Of a list: what git answered about the repository already. */
  readonly answers?: Answers;
}

export async function lookAt(top: string, options: LookOptions): Promise<WorktreeFacts> {
  const { lookMs } = options.policy ?? GIT;
  const over = new AbortController();
  try {
    const late = pause(lookMs, null, { signal: over.signal }).then(() => {
      throw new Error(`could not be looked at within ${span(lookMs)}`);
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
  onlyReads: true,
});

async function lookInto(
  top: string,
  { gitDir, commonDir }: Standing,
  options: LookOptions,
  ground: Ground,
): Promise<WorktreeFacts> {
  const where = { top, gitDir, workTree: top, commonDir };
  const git = gitAt({ ...placeOf(ground, options), ...where, config: await ownIgnores() });
  if (await isBare(commonDir, gitDir)) return unseen({ place: 'bare', why: '' });
  const status = await statusOf(git, options.policy ?? GIT);
  if (status === null) return { ...NOTHING_SEEN, why: 'has more changes than can be listed' };
  const hidden = (await hidesNothing(gitDir, commonDir)) ? [] : await hiddenChanges(git, top);
  const { untracked, ignored } = await trueIgnores(git, status, hidden);
  const operation = await operationIn(gitDir);
  const isWhole = options.depth === 'whole';
  const nested = [
    ...(await worktreesWithin(commonDir, top, options.answers)),
    ...(isWhole ? await repositoriesAmong(top, ignored) : []),
  ];
  const { branch, head, changed, deleted } = status;
  const repo = repositoryOf(commonDir, options);
  return {
    place: 'there',
    why: '',
    dropped: null,
    otherRemote: null,
    branch,
    head,
    operation,
    nested,
    changed,
    deleted,
    untracked,
    hidden,
    ignored: isWhole ? ignored : [],
    stashes: await stashesOn(git, ownBranches(branch, options), repo),
    unpushed: await unpushedAt(git, { repo, commonDir, branch, head }, options),
    submodules: await submodulesOf(git, { top, gitDir }, options, ground),
    ...(await signsIn(commonDir, gitDir)),
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
    ...(await signsIn(commonDir, gitDir)),
  };
}

/** The repository itself. Its questions outlive the look that asks first, so that one late look makes no other unknown. */
function repositoryOf(commonDir: string, options: LookOptions): Git {
  const { answers } = options;
  const { signal } = new AbortController();
  const place = { ...placeOf({ signal }, options), top: commonDir, gitDir: commonDir };
  return gitAt({ ...place, ...(answers !== undefined && { answers }) });
}

/** `core.bare` that was set by mistake in the configuration of a worktree leaves it one. */
async function isBare(commonDir: string, gitDir: string): Promise<boolean> {
  if (await isThere(join(gitDir, 'index'))) return false;
  return isOn(await settingsOf(commonDir), 'core.bare') && !(await isThere(join(gitDir, 'commondir')));
}

/** Of a worktree that is half taken away: what is there and in no commit, by an index of that commit. Rejects what is unknown. */
export async function leftOver(git: Git, top: string): Promise<string[]> {
  const rules = namesIn(await git.run(['ls-files', '-z', '--', ':(glob)**/.gitignore']));
  const sizes = await Promise.all(rules.map((name) => sizeOf(top, name)));
  // They say what was ignored, and may be gone already.
  const gone = rules.filter((_, at) => sizes[at] === null).map((name) => `${name}\0`);
  await git.run(['checkout-index', '-z', '--stdin'], gone.join(''));
  const status = await statusOf(git, GIT);
  if (status === null) throw new Error('has more changes than can be listed');
  const { untracked, ignored } = await trueIgnores(git, status, []);
  return [...status.changed, ...untracked, ...(await repositoriesAmong(top, ignored))];
}

/** What an untracked ignore file ignores is untracked. One that is changed is dirt by itself. */
async function trueIgnores(
  git: Git,
  status: Status,
  hidden: readonly string[],
): Promise<Pick<Status, 'untracked' | 'ignored'>> {
  const bytes = (names: readonly string[]): string[] => names.map((name) => Buffer.from(name).toString('latin1'));
  const { untracked, ignored } = status;
  const unseen = bytes([...hidden, ...untracked, ...ignored]);
  const found = (await hiddenByUntracked(git, bytes(ignored), unseen)).map(readable);
  const open = new Set(found);
  return { untracked: [...untracked, ...found], ignored: ignored.filter((name) => !open.has(name)) };
}

const STATUS = ['status', '--porcelain=v2', '--branch', '-z', '--no-renames', '--ignore-submodules=dirty'];

async function statusOf(git: Git, { maxAnswerBytes }: GitPolicy): Promise<Status | null> {
  const output = await git.runAtMost([...STATUS, '--untracked-files=normal', '--ignored=matching'], maxAnswerBytes);
  return output === null ? null : parseStatus(output);
}

const ownBranches = (branch: string | null, { branch: own }: LookOptions): (string | null)[] =>
  [...new Set([branch, own ?? null])].filter((one) => one !== null);

/** Flags of the index that keep git from seeing a change are rare: the index itself says that there is none. */
async function hidesNothing(gitDir: string, commonDir: string): Promise<boolean> {
  const format = settingOf(await settingsOf(commonDir), 'extensions.objectformat');
  return (await hasHiddenFlag(join(gitDir, 'index'), format === 'sha256' ? 32 : 20)) === false;
}

interface CheckedOut extends Pick<Status, 'branch' | 'head'> {
  readonly repo: Git;
  readonly commonDir: string;
}

/** A glance at one that has its own branch checked out is answered together with others; an act asks for itself. */
function unpushedAt(git: Git, { repo, commonDir, branch, head }: CheckedOut, options: LookOptions): Promise<string[]> {
  const { depth, base, policy = GIT } = options;
  const isOwn = options.branch === undefined || options.branch === branch;
  if (depth === 'whole' || !isOwn || head === null || base === undefined) return unpushedIn(git, options);
  return unpushedTogether({ repo, commonDir, head, base, most: policy.maxListed });
}

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
    const folder = join(top, at);
    // What cannot be removed would be left half gone.
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    const entries = await readdir(folder, { withFileTypes: true });
    const has = (name: string): boolean => entries.some((entry) => entry.name === name);
    if (has('.git') || BARE.every(has)) found.push(at);
    else for (const entry of entries) if (entry.isDirectory()) open.push(`${at}${entry.name}/`);
  }
  return found.sort();
}

const BARE = ['HEAD', 'objects', 'refs'];

async function signsIn(
  commonDir: string,
  gitDir: string,
): Promise<Pick<WorktreeFacts, 'sparse' | 'indexLocked' | 'locked'>> {
  const entries = await entriesOf(gitDir);
  const mayBeSparse = entries.has('info') && (await isThere(join(gitDir, 'info/sparse-checkout')));
  const sparse = mayBeSparse && (await isSparse(commonDir, gitDir));
  const locked = entries.has('locked') ? await readFile(join(gitDir, 'locked'), 'utf8') : null;
  return { sparse, indexLocked: entries.has('index.lock'), locked: locked?.trim() ?? null };
}

async function isSparse(commonDir: string, gitDir: string): Promise<boolean> {
  const files = [settingsIn(join(gitDir, 'config.worktree')), settingsOf(commonDir)];
  return (await Promise.all(files)).some((settings) => isOn(settings, 'core.sparsecheckout'));
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
