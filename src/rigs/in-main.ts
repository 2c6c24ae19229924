/**
 * Whether work is in the main branch of its rig, whichever way it was merged there, and whether or not a letter says so.
 * 1. Its last commit is an ancestor of main: a merge commit, a fast-forward.
 * 2. Main has each of its commits again (a rebase, cherry-picks), or the whole of it as one (a squash). git names candidates by patch-id,
 *    which passes over places, blanks and modes; one counts if the work, picked onto its parent, makes its tree.
 * 3. Merged into main, or into a commit on main's way since, it would change nothing: git could merge what it squashed or rebased
 *    although the lines around had changed.
 * Work that changes nothing is in main by its commits only. What could not be asked is unknown.
 * By 2 and 3 main may only have had it: where taking it out would change nothing now, it is `out`, by a revert for instance.
 */
import { join } from 'node:path';
import type { PolecatRecord, RigRecord } from '../../machines/rigs/records.ts';
import type { Git } from '../git/git.ts';
import { isThere } from '../git/files.ts';
import type { Main } from './main-branch.ts';
import { RIG_WORK } from './policy.ts';
import { withContents } from './repository.ts';

export type InMain = 'yes' | 'no' | 'out' | 'unknown';

export interface BranchWork {
  /** The last commit of the work, whole or the beginning of its name. */
  readonly commit: string;
  /** The commit of main that its branch held when it began; null = git tells by where it left main. */
  readonly base: string | null;
}

/** The commit of main that a branch held when it began: what was saved of an earlier attempt is part of its work. */
export const heldBy = ({ main, base }: Pick<PolecatRecord, 'main' | 'base'>): string => main?.commit ?? base;

/** Known results for work and one commit of main; neither changes. */
const known = new Map<string, InMain>();

/** By the commits as they were given. A main branch that could not be fetched tells nothing. */
export async function inMain(
  rig: Pick<RigRecord, 'commonDir' | 'repo'>,
  main: Pick<Main, 'commit' | 'source'>,
  works: readonly BranchWork[],
): Promise<ReadonlyMap<string, InMain>> {
  if (main.source === 'stale' || works.length === 0) return new Map(works.map(({ commit }) => [commit, 'unknown']));
  const keyOf = ({ commit, base }: BranchWork): string => [rig.commonDir, main.commit, commit, base ?? ''].join(' ');
  const open = works.filter((work) => !known.has(keyOf(work)));
  if (open.length > 0) {
    const found = await withContents(rig, ({ repo }) => among(repo, rig.commonDir, main.commit, open));
    if (known.size > RIG_WORK.maxKnown) known.clear();
    open.forEach((work, at) => {
      const is = found[at] ?? 'unknown';
      if (is !== 'unknown') known.set(keyOf(work), is);
    });
  }
  return new Map(works.map((work) => [work.commit, known.get(keyOf(work)) ?? 'unknown']));
}

async function among(repo: Git, commonDir: string, main: string, works: readonly BranchWork[]): Promise<InMain[]> {
  const names = await fullNames(repo, works);
  const tips = names.filter((name) => name !== null);
  const left = await repo.run(['rev-list', '--stdin'], [`^${main}`, ...tips, ''].join('\n'));
  const unmerged = new Set(left.split('\n'));
  const isShallow = await isThere(join(commonDir, 'shallow'));
  const found: InMain[] = [];
  for (const [at, name] of names.entries()) {
    if (name === null) found.push('unknown');
    else if (!unmerged.has(name)) found.push('yes');
    else found.push(await contained(repo, main, name, works[at]?.base ?? null, isShallow).catch(() => 'unknown'));
  }
  return found;
}

const FULL = /^[0-9a-f]{40,64}$/;

/** null = there is no such commit here. */
async function fullNames(repo: Git, works: readonly BranchWork[]): Promise<(string | null)[]> {
  const asked = works.map(({ commit }) => `${commit}^{commit}\n`).join('');
  const said = await repo.run(['cat-file', '--batch-check=%(objectname)'], asked);
  return said
    .split('\n')
    .slice(0, works.length)
    .map((line) => (FULL.test(line) ? line : null));
}

async function contained(
  repo: Git,
  main: string,
  tip: string,
  base: string | null,
  isShallow: boolean,
): Promise<InMain> {
  const fork = await repo.find(['merge-base', main, tip]);
  if (fork === null) return isShallow ? 'unknown' : 'no';
  if (await isSame(repo, fork, tip)) return 'no';
  const own = base !== null && base !== fork && (await beginsWith(repo, tip, base)) ? base : null;
  if (await isMergedAs(repo, main, tip)) return 'yes';
  if (!(await hadAll(repo, { main, tip, fork, own }))) return 'no';
  for (const from of new Set([fork, own ?? fork])) if (await isOutOf(repo, main, tip, from)) return 'out';
  return 'yes';
}

interface Ground {
  readonly main: string;
  readonly tip: string;
  readonly fork: string;
  readonly own: string | null;
}

async function hadAll(repo: Git, { main, tip, fork, own }: Ground): Promise<boolean> {
  if (await hasEachCommit(repo, main, tip, own)) return true;
  for (const from of new Set([fork, own ?? fork])) if (await hasAsOne(repo, main, tip, from)) return true;
  return addsNothing(repo, main, tip, fork);
}

const treeOf = async (repo: Git, commit: string): Promise<string> =>
  (await repo.run(['rev-parse', `${commit}^{tree}`])).trim();

/**
 * Whether taking out of main what leads from one commit to a later one would change nothing: main does not have it any more. No ref names
 * the commits that it makes; `git merge-tree` takes no base where it is older than 2.40.
 */
export async function isOutOf(repo: Git, main: string, work: string, from: string): Promise<boolean> {
  const made = async (commit: string, ...parents: string[]): Promise<string> => {
    const words = ['commit-tree', await treeOf(repo, commit), ...parents.flatMap((one) => ['-p', one]), '-m', 'as one'];
    return (await repo.run(words)).trim();
  };
  const base = await made(work);
  const words = ['merge-tree', '--write-tree', '--no-messages', await made(main, base), await made(from, base)];
  return (await repo.find(words))?.trim() === (await treeOf(repo, main));
}

const isSame = async (repo: Git, one: string, other: string): Promise<boolean> =>
  (await repo.find(['diff-tree', '--quiet', one, other])) !== null;

const isBefore = async (repo: Git, one: string, other: string): Promise<boolean> =>
  (await repo.find(['merge-base', '--is-ancestor', one, other])) !== null;

/** From a commit with the same files no change leads to it. */
const beginsWith = async (repo: Git, tip: string, base: string): Promise<boolean> =>
  (await isBefore(repo, base, tip)) && !(await isSame(repo, base, tip));

/** A rebase or cherry-picks: all of its commits, and of its merges nothing that a person had to decide. */
async function hasEachCommit(repo: Git, main: string, tip: string, base: string | null): Promise<boolean> {
  const not = base === null ? [] : [`^${base}`];
  const merges = await repo.run(['log', '--merges', '--remerge-diff', '--format=', tip, `^${main}`, ...not, '--']);
  if (merges !== '') return false;
  return isEachIn(repo, main, tip, not);
}

/** A squash: the way from where it began, as one commit. It is made for the comparison, and no ref names it. */
async function hasAsOne(repo: Git, main: string, tip: string, from: string): Promise<boolean> {
  const squashed = (await repo.run(['commit-tree', `${tip}^{tree}`, '-p', from, '-m', 'as one'])).trim();
  return isEachIn(repo, main, squashed, [`^${from}`]);
}

interface Change {
  readonly commit: string;
  readonly tree: string;
  readonly parents: readonly string[];
}

/** Whether main has a like of each commit of its own, each another one, in the same order; false where there is no commit. */
async function isEachIn(repo: Git, main: string, tip: string, not: readonly string[]): Promise<boolean> {
  const words = ['--no-merges', '--reverse', '--topo-order'];
  const said = await repo.run([
    'log',
    ...words,
    '--cherry-mark',
    '--format=%m %H %T %P',
    `${main}...${tip}`,
    ...not,
    '--',
  ]);
  const marked = said.split('\n').filter((line) => line !== '');
  // `>` is a commit of its own of whose patch main has none.
  if (marked.some((line) => line.startsWith('>'))) return false;
  const mine = new Set((await repo.run(['rev-list', '--no-merges', tip, `^${main}`, ...not, '--'])).split('\n'));
  const same = marked.filter((line) => line.startsWith('=')).map(changeOf);
  const own = same.filter(({ commit }) => mine.has(commit));
  const candidates = same.filter(({ commit }) => !mine.has(commit));
  if (own.length > RIG_WORK.maxCompared) return false;
  let likes = 0;
  for (const [at, candidate] of candidates.entries()) {
    const next = own[likes];
    // Done, or too few are left for the others.
    if (next === undefined || own.length - likes > candidates.length - at) break;
    if (await isLike(repo, next, candidate)) likes += 1;
  }
  return own.length > 0 && likes === own.length;
}

function changeOf(line: string): Change {
  const [, commit = '', tree = '', ...parents] = line.split(' ');
  return { commit, tree, parents };
}

/**
 * Whether a change, picked onto what its candidate began with, makes what the candidate made. The same patch alone does not show that: it
 * does not say where, and the same line in two like blocks is one patch.
 */
async function isLike(repo: Git, own: Change, candidate: Change): Promise<boolean> {
  const [[parent], [onto]] = [own.parents, candidate.parents];
  if (parent === undefined || onto === undefined) return false;
  // A parent of its own makes the base of the change the base of the merge: older gits take no base by name.
  const ours = (await repo.run(['commit-tree', `${onto}^{tree}`, '-p', parent, '-m', 'picked onto'])).trim();
  return (await repo.find(['merge-tree', '--write-tree', '--no-messages', ours, own.commit])) === candidate.tree;
}

/** Merged into a commit there, it would make what is there already. */
async function isMergedAs(repo: Git, candidate: string, tip: string): Promise<boolean> {
  const merged = await repo.find(['merge-tree', '--write-tree', '--no-messages', candidate, tip]);
  return merged !== null && merged === (await treeOf(repo, candidate));
}

/** Merged into main as it was after a commit there that touched the same files. */
async function addsNothing(repo: Git, main: string, tip: string, fork: string): Promise<boolean> {
  const files = (await repo.run(['diff-tree', '-r', '-z', '--name-only', '--no-renames', fork, tip])).split('\0');
  const most = RIG_WORK.maxCandidates;
  const words = ['--literal-pathspecs', 'rev-list', '--first-parent', `--max-count=${most}`, '--stdin'];
  const lines = [main, `^${fork}`, '--', ...files.filter((name) => name !== '' && !name.includes('\n'))];
  const touched = (await repo.run(words, `${lines.join('\n')}\n`)).split('\n').filter((line) => line !== '');
  for (const candidate of touched) if (await isMergedAs(repo, candidate, tip)) return true;
  return false;
}
