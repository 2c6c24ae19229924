/**
 * Carries out a decision about uncommitted work of a polecat (law 4): it becomes a pushed commit of its branch, or it
 * is kept under a ref of ours and removed. The caller holds the rig's lock. In doubt nothing is touched: `Failure` with
 * exit 5.
 */
import { barriersOf, type WorktreeFacts } from '../../machines/rigs/worktree.ts';
import { branchOf, sessionOf, wordsOf } from '../../machines/rigs/names.ts';
import { isLeft, type PolecatRecord } from '../../machines/rigs/records.ts';
import { hiddenNames, readable } from '../git/changes.ts';
import type { Git } from '../git/git.ts';
import { push } from '../git/push.ts';
import { isOdd, standingAt, type Standing } from '../git/worktree.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { refuseDropped } from './dropped-base.ts';
import { nuke, optionsOf, refuseInUse } from './nuke.ts';
import { refuseKeys } from './own-commits.ts';
import { dirOf, lookIn } from './place.ts';
import { filesText, unpublishedIn, whyUnpublishable, type Unpublished } from './publish.ts';
import { commitOf, withGit } from './repository.ts';
import { isAsShown, takeIn, treeOf, treeWith } from './publication.ts';
import type { Case } from './yard.ts';

function refused(record: PolecatRecord, why: string): Failure {
  const text = `${wordsOf(record)} stays as it is: ${why}; see \`town polecat git-state ${wordsOf(record)}\``;
  return new Failure(EXIT.refused, 'not_decided_for', text);
}

/** Whether a commit of all that is there says what its owner would say. */
function whyUnfit(facts: WorktreeFacts, record: PolecatRecord): string | null {
  if (facts.place !== 'there') return `its worktree is ${facts.place}`;
  if (facts.operation !== null) return `it is in the middle of a ${facts.operation}`;
  if (facts.indexLocked) return 'its index is locked';
  return facts.branch === branchOf(record) ? null : `it is not on ${branchOf(record)}`;
}

/** What no ref of its own repository can hold: another repository in it, a submodule's work, what is stashed. */
function whyNotKept(facts: WorktreeFacts, nested: readonly string[]): string | null {
  if (nested.length > 0) return `it holds other repositories, which would be lost: ${nested.join(', ')}`;
  const barrier = barriersOf(facts).find(({ state }) => !HELD_BY_REFS.has(state));
  return barrier === undefined ? null : `it ${barrier.says}, which would be lost`;
}
const HELD_BY_REFS: ReadonlySet<string> = new Set(['dirty', 'unpushed', 'dropped', 'detached', 'sparse']);

export interface Saving {
  /** The operator wants published what is refused else. */
  readonly all?: boolean;
  /** The mark of what its chooser was shown (`publication.ts`); null = the operator chose. */
  readonly shown?: string | null;
}

/** One commit more on its branch, if anything is uncommitted, and the branch on its remote. Doing it again changes nothing. */
export async function saveAndPush(
  at: Case,
  record: PolecatRecord,
  message: string,
  { all = false, shown = null }: Saving = {},
): Promise<string> {
  const dir = dirOf(at, record);
  await refuseDropped(at, record);
  const seen = all ? null : await refuseKeys(at, record);
  const facts = await lookIn(at, record, await optionsOf(at, record));
  const unfit = whyUnfit(facts, record);
  if (unfit !== null) throw refused(record, unfit);
  const { gitDir } = await standingOf(at, record);
  const { changed, deleted, untracked, hidden } = facts;
  const isDirty = [changed, deleted, untracked, hidden].some((names) => names.length > 0);
  const isTaken = (isDirty || shown !== null) && (await taken(at, record, { gitDir, dir, message, all, shown }));
  const commit = seen === null ? null : await commitSince(at, record, { seen, isTaken });
  await push({ gitDir: at.rig.commonDir, cwd: at.rig.repo }, branchOf(record), commit ?? undefined);
  await keepSaved(at, record);
  return `${branchOf(record)} is pushed${isTaken ? ', with what was uncommitted' : ''}`;
}

interface Taking extends Required<Saving> {
  readonly gitDir: string;
  readonly dir: string;
  readonly message: string;
}

/** Commits what is uncommitted, as it was looked through; false = there was nothing. */
const taken = ({ rig }: Case, record: PolecatRecord, { gitDir, dir, message, all, shown }: Taking): Promise<boolean> =>
  withGit(rig, async (work) => {
    const git = work.at(gitDir, dir);
    await seeHidden(git, dir);
    const { files, nested } = await unpublishedIn(git, dir);
    const tree = await treeWith(work, { gitDir, dir }, files);
    if (shown !== null && !(await isAsShown(git, tree, shown))) throw refused(record, CHANGED);
    if (nested.length > 0) throw refused(record, `a commit would leave out other repositories: ${nested.join(', ')}`);
    const why = await whyUnpublishable(git, dir, files, all);
    if (why !== null) throw refused(record, why);
    await takeIn(git, files);
    // Looked through was what the worktree held, and only that is committed.
    if ((await treeOf(git)) !== tree) throw refused(record, 'its files change at this moment');
    // Else an ignore file alone hides what is there.
    if (files.length > 0) await git.run(['commit', '--quiet', '--no-verify', '--no-gpg-sign', '-m', message]);
    return files.length > 0;
  });

const CHANGED = 'what COMMIT_AND_PUSH would publish has changed since it was shown';

/** The commit that the branch has by now: the one that was looked through, or the town's own on top of it. Throws where it is another. */
async function commitSince(
  { rig }: Case,
  record: PolecatRecord,
  { seen, isTaken }: { readonly seen: string; readonly isTaken: boolean },
): Promise<string> {
  const branch = `refs/heads/${branchOf(record)}`;
  const [now, parent] = await withGit(rig, ({ repo }) =>
    Promise.all([commitOf(repo, branch), commitOf(repo, `${branch}^`)]),
  );
  if (now !== null && (isTaken ? parent : now) === seen) return now;
  throw refused(record, `${branchOf(record)} was moved meanwhile`);
}

/** Takes back the flags that keep git from seeing changes. */
async function seeHidden(git: Git, top: string): Promise<void> {
  const names = (await hiddenNames(git, top)).map((name) => `${name}\0`).join('');
  for (const flag of ['--no-assume-unchanged', '--no-skip-worktree'])
    if (names !== '') await git.run(['update-index', flag, '-z', '--stdin'], names);
}

/** The next attempt at the same work begins with it (P-13). */
async function keepSaved({ yard, rig }: Case, record: PolecatRecord): Promise<void> {
  const { bead, name: polecat, uuid, base, main } = record;
  const branch = branchOf(record);
  const commit = await withGit(rig, ({ repo }) => commitOf(repo, `refs/heads/${branch}`));
  if (bead === null || commit === null || commit === base) return;
  const before = (await yard.hooks.lastBranch(rig.name, bead))?.start ?? null;
  const own = { branch, base, main: main?.commit ?? null };
  // What this one went on with was saved too, and is no part of main.
  const began = before?.commit === base ? { branch, base: before.base, main: before.main } : own;
  await yard.hooks.keepBranch(rig.name, bead, { polecat, uuid, ...own, start: { ...began, commit } });
}

/** Its agent has ended; the next worker goes on in its worktree (P-13). Doing it again changes nothing. */
export async function leaveToNext(at: Case, record: PolecatRecord): Promise<string> {
  if (isLeft(record)) return `its worktree waits for the next one at ${record.bead ?? 'its work'}`;
  if (record.step !== 'running' || record.bead === null)
    throw refused(record, 'it is no polecat with work that has ended');
  await refuseInUse(at, record);
  const { place, why } = await lookIn(at, record, { depth: 'glance', commonDir: at.rig.commonDir });
  if (place !== 'there') throw refused(record, why || `its worktree is ${place}`);
  // The next one has the same session's name.
  await at.yard.sessions.forget(sessionOf(record));
  await at.yard.records.savePolecat({ ...record, step: 'left' });
  return `its worktree waits as it is for the next one at ${record.bead}`;
}

export interface Discarding {
  /** Keeps the uncommitted work of a folder under a ref and beside it; the ref, null = there was none. Rejects in any doubt. */
  readonly rescue: (folder: string, id: string) => Promise<string | null>;
  /** Names what is kept. */
  readonly id: string;
  /** Awaited once its worktree is gone, before its record goes. */
  readonly before?: () => Promise<void>;
}

/** Worktree and branch go once all that they hold is under a ref. Doing it again goes on where it was cut off. */
export async function discard(at: Case, record: PolecatRecord, { rescue, id, before }: Discarding): Promise<string> {
  await refuseInUse(at, record);
  const dir = dirOf(at, record);
  const standing = await standingAt(dir, at.rig.commonDir);
  if (isOdd(standing)) {
    if (standing.place !== 'missing') throw refused(record, standing.why || `its worktree is ${standing.place}`);
    await nuke(at, record, { pushes: false, ...(before && { before }) });
    return 'its worktree was gone already';
  }
  const facts = await lookIn(at, record, await optionsOf(at, record));
  const { nested } = await withGit(at.rig, (work) => unpublishedIn(work.at(standing.gitDir, dir), dir));
  const unfit = whyUnfit(facts, record) ?? whyNotKept(facts, nested);
  if (unfit !== null) throw refused(record, unfit);
  const ref = await rescue(dir, id);
  const kept = await withGit(at.rig, async (work) => {
    const git = work.at(standing.gitDir, dir);
    const head = await commitOf(git, 'HEAD');
    const commits = `refs/town/rescue/${id}-commits`;
    if (head !== null) await git.run(['update-ref', commits, head]);
    await git.run(['reset', '--hard', '--quiet']);
    return { head, commits };
  });
  // A changed ignore file hid it until now.
  const rest = await rescue(dir, `${id}-rest`);
  await withGit(at.rig, (work) => work.at(standing.gitDir, dir).run(['clean', '-ffdx', '--quiet']));
  const where = [ref ?? (rest === null ? kept.commits : []), rest ?? []].flat().join(' and ');
  // Its commits are held by that ref: they count as what the branch began with.
  const going = kept.head === null ? record : { ...record, base: kept.head, main: null };
  await nuke(at, going, { pushes: false, ...(before && { before }) }).catch((error: unknown) => {
    throw keptAt(error, where);
  });
  return `what it held is kept: ${where} in ${at.rig.repo}`;
}

/** A refusal, with where the work stands by then. */
function keptAt(error: unknown, ref: string): unknown {
  if (!(error instanceof Failure)) return error;
  return new Failure(error.exit, error.code, `${error.message}; what it held is kept: ${ref}`);
}

/** Rejects where its worktree is none of the rig's. */
async function standingOf(at: Case, record: PolecatRecord): Promise<Standing> {
  const standing = await standingAt(dirOf(at, record), at.rig.commonDir);
  if (isOdd(standing)) throw refused(record, standing.why || `its worktree is ${standing.place}`);
  return standing;
}

/** git in its worktree. Rejects as `standingOf` does. */
async function inside<T>(at: Case, record: PolecatRecord, use: (git: Git, dir: string) => Promise<T>): Promise<T> {
  const dir = dirOf(at, record);
  const { gitDir } = await standingOf(at, record);
  return withGit(at.rig, (work) => use(work.at(gitDir, dir), dir));
}

/** What COMMIT_AND_PUSH would publish. Rejects when it is unknown. */
export const filesOf = (at: Case, record: PolecatRecord): Promise<readonly Unpublished[]> =>
  inside(at, record, async (git, dir) => (await unpublishedIn(git, dir)).files);

export interface Publication {
  readonly files: readonly Unpublished[];
  /** Why COMMIT_AND_PUSH is refused as they stand, with what to do; null = they do not hinder it. */
  readonly refusal: string | null;
}

/** Rejects when it is unknown. */
export const publicationOf = (at: Case, record: PolecatRecord): Promise<Publication> =>
  inside(at, record, async (git, dir) => {
    const { files } = await unpublishedIn(git, dir);
    return { files, refusal: files.length === 0 ? null : await whyUnpublishable(git, dir, files, false) };
  });

/** In a submodule git would read that one's settings. */
const OWN_ONLY = '--ignore-submodules=dirty';

/** What git says of its worktree, for a decision about it. Never rejects: it says what it could not find out. */
export async function worktreeText(at: Case, record: PolecatRecord): Promise<string> {
  const dir = dirOf(at, record);
  try {
    const standing = await standingAt(dir, at.rig.commonDir);
    if (isOdd(standing)) return `Its worktree: ${standing.why || standing.place}`;
    return await withGit(at.rig, async (work) => {
      const git = work.at(standing.gitDir, dir);
      const status = await git.run(['status', '--short', '--branch', OWN_ONLY]);
      const stat = await git.run(['diff', '--stat', '--no-ext-diff', '--no-textconv', OWN_ONLY, 'HEAD']);
      const files = filesText((await unpublishedIn(git, dir)).files);
      return `Git status:\n${readable(status)}Git diff --stat:\n${readable(stat)}${files}`;
    });
  } catch (error) {
    return `Its worktree could not be looked at: ${error instanceof Error ? error.message : String(error)}`;
  }
}
