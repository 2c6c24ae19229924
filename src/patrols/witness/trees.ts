/**
 * A witness's port to git: what its polecats' worktrees, their branches and the remote hold, and the acts that it may do there
 * (keep a commit under a ref, remove a worktree). The witness decides over `Trees`; `treesOf` answers with real git.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { branchOf } from '../../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import { NOTHING_SEEN, type WorktreeFacts } from '../../../machines/rigs/worktree.ts';
import type { HandedSeen, ShadowSeen } from '../../../machines/witness/observation.ts';
import type { Ms } from '../../../machines/protocol.ts';
import type { LeftSeen, RigTrouble } from '../../../machines/patrols/observation.ts';
import { leftOf } from '../../rigs/work-left.ts';
import { awayTrouble } from '../../rigs/missing-folders.ts';
import { broughtBack } from '../../rigs/returned-commits.ts';
import { bringsBack, refuseDropped } from '../../rigs/dropped-base.ts';
import { returnedTo, type BroughtBack } from '../../rigs/forced-pushes.ts';
import { inMain, type BranchWork } from '../../rigs/in-main.ts';
import { laterOn, type LaterCommits } from '../../rigs/later-commits.ts';
import { lostFrom, type LostWork } from '../../rigs/lost-work.ts';
import type { MergedBead } from '../../rigs/merged-beads.ts';
import { goneFrom, type Pushed } from '../../rigs/remote-branches.ts';
import { mainOf } from '../../rigs/main-branch.ts';
import { nuke, type Nuking } from '../../rigs/nuke.ts';
import { isUnpushed } from '../../rigs/on-remote.ts';
import { dirOf, lookIn } from '../../rigs/place.ts';
import { withGit } from '../../rigs/repository.ts';
import { shadowsOn } from '../../rigs/shadow-refs.ts';
import type { Answers } from '../../git/answers.ts';
import { isThere } from '../../git/files.ts';
import { refLog } from '../../git/ref-log.ts';
import { awayNow, type Away } from '../../git/silence.ts';
import { filesText } from '../../rigs/publish.ts';
import { dropHanded, keepHanded } from '../../rigs/handover-ref.ts';
import { ownerTrouble } from '../../rigs/owner.ts';
import { remoteTrouble } from '../../rigs/remote.ts';
import { branchTrouble } from '../../rigs/branch-conflicts.ts';
import { filesOf } from '../../rigs/uncommitted.ts';
import type { Case } from '../../rigs/yard.ts';

export interface Going extends Nuking {
  /** Its work goes to the refinery. */
  readonly handsOver: boolean;
}

export interface Trees {
  /** A glance at its worktree. */
  readonly look: (record: PolecatRecord) => Promise<WorktreeFacts>;
  /** Whether its folder is not there; one that cannot be looked at may be. No git is asked. */
  readonly isGone: (record: PolecatRecord) => Promise<boolean>;
  /** When its branch last moved (wall ms), by what git keeps of that; 0 = it keeps nothing. */
  readonly movedAt: (record: PolecatRecord) => Promise<number>;
  /** Whether each is in the main branch of the remote, whichever way it came there, after one look at the remote; by its commit. */
  readonly merged: (works: readonly BranchWork[]) => Promise<ReadonlyMap<string, HandedSeen['isMerged']>>;
  /** Of what is merged: how its merge brought back what a forced push had taken out, in a sentence for a person; by its commit. */
  readonly broughtBack: (works: readonly BranchWork[]) => Promise<ReadonlyMap<string, string>>;
  /** Branches that the remote does not have now, each with the line that pushes its commit there again. Rejects where that is unknown. */
  readonly gone: (works: readonly Pushed[]) => Promise<ReadonlyMap<string, string>>;
  /** What forced pushes had taken out of main, and main as it was fetched last holds again. Rejects where that is unknown. */
  readonly returned: () => Promise<readonly BroughtBack[]>;
  /** Asks the remote for its main branch. */
  readonly fetchMain: () => Promise<unknown>;
  /** Of merged work: what a forced push took out of main, as it was fetched last. Rejects where that is unknown. */
  readonly lost: (works: () => Promise<readonly BranchWork[]>) => Promise<readonly LostWork[]>;
  /** Of merged work: commits that came to its branch later, and that main lacks. Rejects where that is unknown. */
  readonly later: (works: () => Promise<readonly MergedBead[]>) => Promise<readonly LaterCommits[]>;
  /** Refs that git takes for others. Rejects where that is unknown. */
  readonly shadows: () => Promise<readonly ShadowSeen[]>;
  /** What it left in git, by what a look at its worktree found. */
  readonly left: (record: PolecatRecord, facts: WorktreeFacts) => Promise<LeftSeen>;
  /** Why nothing can be begun or published in the rig; null = nothing is in the way. Rejects where that is unknown. */
  readonly trouble: () => Promise<RigTrouble | null>;
  /** Whether its remote is away. One that did not answer is asked again after `everyMs`; `isAsked`: one that was not asked lately too. */
  readonly away: (everyMs: Ms, isAsked: boolean) => Promise<Away | null>;
  /** The files that its owner left, with their sizes; '' = there are none, or unknown. */
  readonly files: (record: PolecatRecord) => Promise<string>;
  /** Keeps the commit of handed work under a ref, also where its branch is deleted; null = removes that ref. */
  readonly keep: (uuid: string, commit: string | null) => Promise<unknown>;
  /** Whether the remote lacks the commit of its branch of this name, or does not tell. */
  readonly lacks: (record: PolecatRecord, branch: string) => Promise<boolean>;
  /** Looks before it does anything; rejects with a sentence where it is refused. Resolves with the ignored files that went along. */
  readonly nuke: (record: PolecatRecord, how: Going) => Promise<readonly string[]>;
}

/** `push`: whether it may push what it hands over. */
export const treesOf = (at: Case, { push } = { push: true }): Trees => ({
  look: lookerOf(at),
  isGone: (record) => isGone(at, record),
  movedAt: (record) => movedAt(at.rig, branchOf(record)),
  left: (record, facts) => leftOf(at, record, facts),
  merged: (works) => mergedAmong(at, works),
  broughtBack: (works) => broughtBackAmong(at, works),
  gone: (works) => goneFrom(at.rig, works),
  returned: () => returnedTo(at.rig),
  fetchMain: () => mainOf(at.rig),
  lost: (works) => lostFrom(at.rig, works),
  later: (works) => laterOn(at, works),
  shadows: () => shadowsOn(at.rig),
  trouble: () => troubleOf(at),
  away: (everyMs, isAsked) => awayFrom(at, everyMs, isAsked),
  keep: (uuid, commit) => (commit === null ? dropHanded(at.rig, uuid) : keepHanded(at.rig, uuid, commit)),
  files: (record) => filesOf(at, record).then(filesText, () => ''),
  lacks: (_, branch) => isUnpushed(at, branch),
  nuke: async (record, how) => {
    // The last look before a refinery reads of it: a forced push since the last fetch counts.
    if (how.handsOver) await refuseDropped(at, record);
    return (await nuke(at, record, { ...how, mayPush: push })).ignored;
  },
});

async function troubleOf(at: Case): Promise<RigTrouble | null> {
  const away = awayTrouble(at.rig);
  const owner = away === null ? await ownerTrouble(at) : null;
  if (owner !== null) return { is: 'other-town', text: owner };
  const text = away ?? (await remoteTrouble(at.rig)) ?? (await branchTrouble(at.rig));
  return text === null ? null : { is: 'remote-changed', text };
}

async function awayFrom({ rig }: Case, everyMs: Ms, isAsked: boolean): Promise<Away | null> {
  if (!rig.remote) return null;
  const ask = (): Promise<Away | null> => awayNow(rig.commonDir, rig.remote?.name ?? '');
  const before = await ask();
  if (before === null ? !isAsked : before.askedMs < everyMs) return before;
  await mainOf(rig).catch(() => undefined);
  return ask();
}

const isGone = (at: Case, record: PolecatRecord): Promise<boolean> =>
  isThere(dirOf(at, record)).then(
    (there) => !there,
    () => false,
  );

/**
 * Of worktrees that are gone, one question to git tells what it keeps of all of them: a rig may have thousands, and each program of git
 * takes ten milliseconds. Whether a folder is gone the disk alone tells; one that cannot be looked at is unknown.
 * Looks at those that are there share what git says of the repository itself. An act looks anew.
 */
function lookerOf(at: Case): Trees['look'] {
  const { commonDir } = at.rig;
  let tips: Promise<ReadonlyMap<string, string>> | null = null;
  const answers: Answers = new Map();
  return async (record) => {
    const branch = branchOf(record);
    if (!(await isGone(at, record)))
      return lookIn({ ...at, answers }, record, { depth: 'glance', commonDir, branch, base: record.base, answers });
    tips ??= polecatTips(at.rig);
    try {
      return missing((await tips).get(branch), record);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return { ...NOTHING_SEEN, why: `could not be looked at: ${text.replaceAll('\n', ' ')}` };
    }
  };
}

/** Commits that may be on no remote are named, without a program for each branch that asks the remotes' refs. */
function missing(tip: string | undefined, { base }: PolecatRecord): WorktreeFacts {
  const facts: WorktreeFacts = { ...NOTHING_SEEN, place: 'missing' };
  return tip === undefined || tip === base ? facts : { ...facts, head: tip };
}

/** The commit of each polecat's branch. Rejects where git cannot open the repository. */
const polecatTips = (rig: Case['rig']): Promise<ReadonlyMap<string, string>> =>
  withGit(rig, async ({ repo }) => {
    const lines = await repo.run(['for-each-ref', '--format=%(objectname) %(refname:lstrip=2)', POLECATS]);
    return new Map(lines.split('\n').map((line) => [line.slice(line.indexOf(' ') + 1), line.split(' ', 1)[0] ?? '']));
  });
const POLECATS = `refs/heads/${branchOf({ rig: '', name: '' })}`;

async function movedAt(rig: Case['rig'], branch: string): Promise<number> {
  const files = ['logs/refs/heads', 'refs/heads'].map((folder) => join(rig.commonDir, folder, branch));
  const times = files.map((file) =>
    stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    ),
  );
  const newest = Math.max(...(await Promise.all(times)));
  if (newest > 0) return newest;
  if (!(await isThere(join(rig.commonDir, 'reftable')))) return 0;
  const [last] = await withGit(rig, ({ repo }) => refLog(repo, `refs/heads/${branch}`, 1)).catch(() => []);
  return last?.at ?? 0;
}

/** Unknown where the remote does not answer, or no branch can be called the main one. */
async function mergedAmong({ rig }: Case, works: readonly BranchWork[]): ReturnType<Trees['merged']> {
  const told = new Map<string, HandedSeen['isMerged']>();
  if (works.length === 0) return told;
  try {
    const main = await mainOf(rig);
    const found = await inMain(rig, main, works);
    for (const { commit, base } of works) {
      const is = found.get(commit) ?? 'unknown';
      const isDropped = is === 'no' && base !== null && (await bringsBack(rig, main.commit, { began: base, commit }));
      told.set(commit, isDropped ? 'dropped' : is);
    }
    return told;
  } catch {
    return new Map();
  }
}

/** Asked of work that main has. */
async function broughtBackAmong({ rig }: Case, works: readonly BranchWork[]): Promise<ReadonlyMap<string, string>> {
  const told = new Map<string, string>();
  if (works.length === 0) return told;
  const main = await mainOf(rig);
  for (const work of works) {
    const text = await broughtBack(rig, main, work);
    if (text !== null) told.set(work.commit, text);
  }
  return told;
}
