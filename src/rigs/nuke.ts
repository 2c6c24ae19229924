/**
 * The end of a polecat (P-6): its worktree, its branch and its record go, once everything in it is proved to be
 * elsewhere too.
 * 1. It is looked at in its place, put aside under a random name, and looked at once more: a late change is seen, and
 *    the worktree goes back. git then takes it away, and refuses dirt by itself.
 * 2. The record says how far it came. From `going` on the proof is on record; the next command looks once more at what
 *    is left of the folder, then takes it away.
 * 3. In doubt it stays as it is: `Failure` with exit 5, and what is nowhere else.
 */
import { join } from 'node:path';
import { NOTHING_SEEN, barriersOf, mayOf, type WorktreeFacts } from '../../machines/rigs/worktree.ts';
import { addressOf, branchOf, sessionOf, wordsOf } from '../../machines/rigs/names.ts';
import { isHalfMade, isLeft, type PolecatRecord } from '../../machines/rigs/records.ts';
import { GitFailed, type Git } from '../git/git.ts';
import { isThere } from '../git/files.ts';
import { lookAt, type LookOptions } from '../git/look.ts';
import { isRefusal, push } from '../git/push.ts';
import { registeredAt } from '../git/worktree.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { dropBranch, provedTip } from './branch.ts';
import { refuseDropped } from './dropped-base.ts';
import { keepUnreferenced } from './reflog-commits.ts';
import { removeRest } from './remains.ts';
import { ifMerged, isLacking, keepUnlessRemote } from './on-remote.ts';
import { refuseKeys } from './own-commits.ts';
import { refuseOtherTown } from './owner.ts';
import { clear, dirOf, foldersOf, forget, lookIn, move } from './place.ts';
import { RIG_WORK } from './policy.ts';
import { remoteOf } from './remote.ts';
import { isHeldElsewhere, withGit } from './repository.ts';
import type { Case } from './yard.ts';
import { shellWord } from '../../state/files/show-text.ts';

export interface Gone {
  /** Ignored files that went along. */
  readonly ignored: readonly string[];
  /** The ref that keeps what only the reflog held. */
  readonly kept: string | null;
  /** Its branch, where it stays. */
  readonly branch: string | null;
}

export interface Nuking {
  /** Its branch is pushed first, if that is all that it lacks. */
  readonly pushes: boolean;
  /** Where its work was seen: an agent may have worked on a branch of another name. It is pushed too. */
  readonly branch?: string;
  /** A refinery reads of that branch: it is pushed too where the remote itself says that it lacks it. */
  readonly handsOver?: boolean;
  /** Whether what is handed over may be pushed; absent = it may. Where it may not, the polecat stays. */
  readonly mayPush?: boolean;
  /**
   * Awaited after its worktree is gone and before its record goes: after a kill in between it runs again. `tip`: its
   * branch's commit.
   */
  readonly before?: (tip: string | null) => Promise<void>;
}

/** The caller holds the rig's lock. */
export async function nuke(
  at: Case,
  found: PolecatRecord,
  { pushes, before, branch = branchOf(found), handsOver = false, mayPush = true }: Nuking,
): Promise<Gone> {
  let record = found;
  // Its branches have the names of ours.
  await refuseOtherTown(at);
  await refuseInUse(at, record);
  if (record.step !== 'running') await clear(at, record);
  const { dir, aside } = foldersOf(at, record);
  if (!(await isThere(aside)) && record.step !== 'going')
    record = await setAside(at, record, { pushes, branch, handsOver, mayPush });
  const options = await optionsOf(at, record);
  const facts =
    record.step === 'going' && !(await isThere(aside))
      ? { ...NOTHING_SEEN, place: 'missing' as const }
      : await lookAt((await isThere(aside)) ? aside : dir, options);
  if (isHalfTaken(record, facts)) {
    await removeRest(at, record, aside);
    return finish(at, record, { ignored: [], kept: null }, before);
  }
  try {
    refuse(record, facts, dir);
    // A process that entered it by its folder, not by its name, is still in it.
    await refuseStandingIn(at, record, aside);
  } catch (error) {
    await putBack(at, record);
    throw error;
  }
  const { kept, tip } = await lastOf(at, record);
  const going: PolecatRecord = { ...record, step: 'going', tip };
  await at.yard.records.savePolecat(going);
  await takeAway(at, going);
  return finish(at, going, { ignored: facts.ignored, kept }, before);
}

/** Pushes where that was asked for, refuses what holds anything, and moves the worktree to a name that no agent knows. */
async function setAside(
  at: Case,
  found: PolecatRecord,
  { pushes, branch, handsOver, mayPush }: Required<Omit<Nuking, 'before'>>,
): Promise<PolecatRecord> {
  let record = found;
  let pushed: ReadonlySet<string> | null = null;
  let options = await optionsOf(at, record);
  const { dir, aside } = foldersOf(at, record);
  // What was pushed to another remote is not pushed.
  const remote = await remoteOf(at.rig);
  const facts = await lookIn(at, record, options);
  if (mayOf(facts) === 'remove') {
    if (handsOver && (await isLacking(at, record, branch))) {
      if (!mayPush) throw unpushed(dir, remote?.name ?? 'origin', branch);
      await pushAll(at, record, branch);
    }
    await keepUnlessRemote(at, record, facts.head);
  }
  if (pushes && mayOf(facts) === 'push') {
    const merged = branch === branchOf(record) ? await ifMerged(at, record) : null;
    if (merged === null) pushed = await pushAll(at, record, branch);
    record = merged ?? record;
    options = await optionsOf(at, record);
  }
  const by = pushed === null ? null : { pushed, remote: remote?.name ?? 'origin' };
  refuse(record, pushes ? await lookAt(dir, options) : facts, dir, by);
  if (!isHalfMade(record)) await at.yard.records.savePolecat({ ...record, step: 'leaving' });
  if (facts.place !== 'missing') await move(at.rig.commonDir, dir, aside);
  return record;
}

const unpushed = (dir: string, remote: string, branch: string): Failure =>
  new Failure(
    EXIT.refused,
    'unpushed',
    `the remote does not have ${branch}, and [witness] push is false; push it yourself: git -C ${shellWord(dir)} push ${remote} ${branch}`,
  );

/** Proved, and begun to be taken away. git takes nothing of one that it finds dirt in, so a missing file shows it. */
const isHalfTaken = ({ step }: PolecatRecord, { place, deleted }: WorktreeFacts): boolean =>
  step === 'going' && (place !== 'there' || deleted.length > 0);

export async function optionsOf(at: Case, record: PolecatRecord): Promise<LookOptions> {
  const branch = branchOf(record);
  const shared = at.answers && { answers: at.answers };
  const isHeld = await withGit(at.rig, ({ repo }) => isHeldElsewhere(repo, record.base, branch), shared);
  return { depth: 'whole', commonDir: at.rig.commonDir, branch, ...shared, ...(isHeld && { base: record.base }) };
}

/** What was pushed of it, and where to. */
interface Push {
  readonly pushed: ReadonlySet<string>;
  readonly remote: string;
}

/** Throws where anything of it is nowhere else. `by`: null = nothing was pushed for it. */
function refuse(record: PolecatRecord, facts: WorktreeFacts, dir: string, by: Push | null = null): void {
  const may = mayOf(facts);
  if (may === 'remove') return;
  const why = barriersOf(facts).map(({ says }) => says);
  const next =
    may !== 'push'
      ? `see \`town polecat git-state ${wordsOf(record)}\``
      : `push it: ${by === null ? `town polecat nuke ${wordsOf(record)} --push` : pushLine(record, facts, dir, by)}`;
  const text = `${dir} stays as it is: it ${why.join('; it ')}; ${next}`;
  throw new Failure(EXIT.refused, may === 'push' ? 'unpushed' : 'not_elsewhere', text);
}

/** Of commits that its own branches do not hold: under a name that no push of those takes. */
function pushLine(record: PolecatRecord, { unpushed }: WorktreeFacts, dir: string, { pushed, remote }: Push): string {
  const own = branchOf(record);
  const [commit = ''] = (unpushed[0] ?? '').split(' ', 1);
  const name = pushed.has(own) ? `${own}-rest` : own;
  return `git -C ${shellWord(dir)} push ${remote} ${commit.slice(0, RIG_WORK.shortCommit)}:refs/heads/${name}`;
}

/** Throws where its session has not ended, or something runs in its worktree. */
export async function refuseInUse(at: Case, record: PolecatRecord): Promise<void> {
  const session = sessionOf(record);
  const standing = await at.yard.sessions.standing(session);
  if (standing === 'lives' || standing === 'unknown') {
    const how = standing === 'lives' ? 'has not ended' : 'is not known to be dead or alive';
    const text = `its session ${session} ${how}; end it first: town session stop ${session}`;
    throw new Failure(EXIT.refused, 'session_lives', text);
  }
  await refuseStandingIn(at, record, dirOf(at, record));
}

async function refuseStandingIn(at: Case, record: PolecatRecord, folder: string): Promise<void> {
  const inside = await at.yard.standingIn(folder);
  if (inside.length === 0) return;
  const text = `${inside.join(', ')} work${inside.length === 1 ? 's' : ''} in ${dirOf(at, record)}; end what runs there first`;
  throw new Failure(EXIT.refused, 'in_use', text);
}

/** The branches that were pushed: those of the two that are there, and hold more than it began with. */
async function pushAll(at: Case, record: PolecatRecord, branch: string): Promise<ReadonlySet<string>> {
  await refuseDropped(at, record);
  const commits = new Map<string, string>();
  for (const name of [branchOf(record), branch]) {
    const commit = await refuseKeys(at, record, name);
    if (commit !== null && commit !== record.base) commits.set(name, commit);
  }
  for (const [name, commit] of commits) await pushOne(at, name, commit);
  return new Set(commits.keys());
}

async function pushOne({ rig }: Case, branch: string, commit: string): Promise<void> {
  try {
    await push({ gitDir: rig.commonDir, cwd: rig.repo }, branch, commit);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const text = `${branch} was not pushed, and nothing was touched: ${why}`;
    const isRefused = error instanceof GitFailed && isRefusal(error);
    throw new Failure(EXIT.refused, isRefused ? 'push_refused' : 'not_pushed', text);
  }
}

/** As if nothing had been asked. Where another folder has taken its place meanwhile, it stays aside and says so. */
async function putBack(at: Case, record: PolecatRecord): Promise<void> {
  const { dir, aside } = foldersOf(at, record);
  // The proof holds no longer, wherever it stands if this is cut off.
  if (record.step === 'going') await at.yard.records.savePolecat({ ...record, step: 'leaving', tip: null });
  if (await isThere(aside)) {
    if (await isThere(dir)) {
      at.yard.note(`its worktree stands in ${aside}: ${dir} was made anew meanwhile; move that away and type it again`);
      return;
    }
    await move(at.rig.commonDir, aside, dir);
  }
  await at.yard.records.savePolecat({
    ...record,
    step: isHalfMade(record) || isLeft(record) ? record.step : 'running',
    tip: null,
  });
}

/** What has to be known before anything goes: the branch's commit, and a ref for what only the reflog holds. */
async function lastOf(at: Case, record: PolecatRecord): Promise<{ kept: string | null; tip: string | null }> {
  const { commonDir } = at.rig;
  const { dir, aside } = foldersOf(at, record);
  return withGit(at.rig, async ({ repo, at: inWorktree }) => {
    const own = (await registeredAt(commonDir, dir)) ?? (await registeredAt(commonDir, aside));
    const git = { repo, worktree: own === null ? null : inWorktree(own, (await isThere(aside)) ? aside : commonDir) };
    const kept = await keepUnreferenced(git, { commonDir, own }, record);
    return { kept, tip: await provedTip(repo, record) };
  });
}

/** By git, which looks for dirt by itself. Where it finds some the worktree goes back. */
async function takeAway(at: Case, record: PolecatRecord): Promise<void> {
  const { aside } = foldersOf(at, record);
  if (!(await isThere(aside))) return;
  await withGit(at.rig, async ({ repo, at: inWorktree }) => {
    const own = await registeredAt(at.rig.commonDir, aside);
    // With submodules it takes none away unless it is forced to; into those was looked.
    const hasModules = own !== null && (await hasSubmodules(inWorktree(own, aside), own));
    await repo.run(['worktree', 'remove', ...(hasModules ? ['--force'] : []), aside]);
  }).catch(async (error: unknown) => {
    const facts = await lookAt(aside, await optionsOf(at, record));
    const why = error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error);
    if (facts.place !== 'there' || facts.deleted.length > 0) {
      const text = `${aside} was not taken away whole: ${why}; all in it is elsewhere, type it again`;
      throw new Failure(EXIT.failed, 'not_removed', text);
    }
    await putBack(at, record);
    throw new Failure(EXIT.refused, 'not_elsewhere', `${dirOf(at, record)} stays as it is: ${why}`);
  });
}

async function hasSubmodules(git: Git, gitDir: string): Promise<boolean> {
  if (await isThere(join(gitDir, 'modules'))) return true;
  return (await git.run(['ls-files', '-s', '-z'])).split('\0').some((line) => line.startsWith('160000 '));
}

/** What is left once the worktree is gone: git's note of it, the branch, the hook, the records. */
async function finish(
  at: Case,
  record: PolecatRecord,
  gone: Pick<Gone, 'ignored' | 'kept'>,
  before?: Nuking['before'],
): Promise<Gone> {
  const { records, hooks, sessions } = at.yard;
  const { commonDir } = at.rig;
  const { dir, aside } = foldersOf(at, record);
  const isDropped = await withGit(at.rig, async ({ repo }) => {
    for (const folder of [dir, aside]) await forget(at, repo, folder);
    return dropBranch(repo, commonDir, record);
  });
  await before?.(record.tip ?? null);
  const agent = addressOf(record);
  for (const { id } of await hooks.heldBy(agent)) await hooks.unhook(id, agent);
  await sessions.forget(sessionOf(record));
  await records.removePolecat(record);
  return { ...gone, branch: isDropped ? null : branchOf(record) };
}
