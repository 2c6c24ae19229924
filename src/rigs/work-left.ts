/**
 * What a polecat left in git: commits of its own, on which branch, and whether main has them. The worktree's own log is the source: an
 * agent may work on a branch of its own name, or go back to another one before it says that it is done.
 */
import { branchOf } from '../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import type { WorktreeFacts } from '../../machines/rigs/worktree.ts';
import type { LeftSeen } from '../../machines/patrols/observation.ts';
import { GitFailed, type Git } from '../git/git.ts';
import { refLog } from '../git/ref-log.ts';
import { registeredAt } from '../git/worktree.ts';
import { heldBy, inMain, type InMain } from './in-main.ts';
import { mainOf, type Main } from './main-branch.ts';
import { dirOf } from './place.ts';
import { RIG_WORK } from './policy.ts';
import { branchesWith, publishedOn, type Published } from './published.ts';
import { commitOf, isBefore, withGit } from './repository.ts';
import type { Case } from './yard.ts';

/** A commit that may be its work, and the branch that it was seen on; null = git has to find one. */
interface Candidate {
  readonly commit: string;
  readonly branch: string | null;
}

type Seen = Pick<WorktreeFacts, 'head' | 'branch'>;

/** `unknown` where git cannot tell. */
export async function leftOf(at: Case, record: PolecatRecord, seen: Seen): Promise<LeftSeen> {
  try {
    return await look(at, record, seen);
  } catch {
    return UNKNOWN;
  }
}
const UNKNOWN: LeftSeen = { is: 'unknown' };
const NOTHING: LeftSeen = { is: 'nothing' };

async function look(at: Case, record: PolecatRecord, { head, branch }: Seen): Promise<LeftSeen> {
  const { base } = record;
  const own = branchOf(record);
  const made = await madeHere(at, record);
  const candidates = await withGit(at.rig, async ({ repo }) => {
    const tip = await commitOf(repo, `refs/heads/${own}`);
    const first = [
      ...(head === null ? [] : [{ commit: head, branch }]),
      ...(tip === null ? [] : [{ commit: tip, branch: own }]),
    ];
    // The newest commit first; what was amended or rebased away is on no branch, and counts for nothing.
    const others = [...made].reverse().map((commit) => ({ commit, branch: null }));
    return ahead(repo, base, [...first, ...others]);
  });
  if (candidates.length === 0) return NOTHING;
  const key = candidates.map(({ commit }) => commit).join(' ');
  const before = known.get(record.uuid);
  const agoMs = at.yard.wall() - (before?.at ?? 0);
  if (before?.key === key && agoMs >= 0 && agoMs < RIG_WORK.leftForMs) return before.left;
  const left = await judged(at, { held: heldBy(record), own, made }, candidates);
  if (known.size > RIG_WORK.maxKnown) known.clear();
  known.set(record.uuid, { key, at: at.yard.wall(), left });
  return left;
}

/** By polecat: a case may wait for a person all night, and the remote is not asked in each cycle of it. */
const known = new Map<string, { readonly key: string; readonly at: number; readonly left: LeftSeen }>();

interface Ground {
  /** The commit of main that its branch held when it began. */
  readonly held: string;
  /** The branch of the polecat's own name. */
  readonly own: string;
  /** Commits that were made in its worktree. */
  readonly made: ReadonlySet<string>;
}

async function judged(at: Case, { held, own, made }: Ground, candidates: readonly Candidate[]): Promise<LeftSeen> {
  const main = await mainOf(at.rig).catch(() => null);
  const works = candidates.map(({ commit }) => ({ commit, base: held }));
  const merged = main === null ? new Map<string, InMain>() : await inMain(at.rig, main, works);
  const published = await publishedOn(at.rig).catch(() => 'unknown' as const);
  return withGit(at.rig, async ({ repo }) => {
    let done: LeftSeen = NOTHING;
    for (const one of candidates) {
      const { commit, branch: on } = one;
      const isPart = main !== null && (await isBefore(repo, commit, main.commit));
      if (isPart || merged.get(commit) === 'yes') {
        // Commits that it only pulled from main are no work of its own.
        if (done === NOTHING && (made.has(commit) || !isPart)) done = { is: 'merged', branch: on ?? own, commit };
        continue;
      }
      const found = await branchWith(repo, one, { own, main, published });
      if (found !== null) return { is: 'work', branch: found, commit };
    }
    return done;
  });
}

/** Those with commits that its branch did not begin with, each once. */
async function ahead(repo: Git, base: string, all: readonly Candidate[]): Promise<Candidate[]> {
  const found: Candidate[] = [];
  for (const one of all) {
    if (found.some(({ commit }) => commit === one.commit) || (await commitOf(repo, one.commit)) === null) continue;
    const own = await repo.run(['rev-list', '--max-count=1', one.commit, '--not', base]);
    if (own.trim() !== '') found.push(one);
  }
  return found;
}

/** Actions by which git notes in a worktree's log that a commit was made there, and not fetched. */
const MAKES = /^(?:commit|cherry-pick|revert|am|rebase \((?:pick|squash|fixup|reword|edit|continue)\))\b/;

/** Commits that were made in its worktree, the oldest first; none where git keeps no log. */
async function madeHere(at: Case, record: PolecatRecord): Promise<ReadonlySet<string>> {
  const { commonDir } = at.rig;
  const gitDir = await registeredAt(commonDir, dirOf(at, record));
  if (gitDir === null) return new Set();
  // The folder itself may be gone.
  const log = await withGit(at.rig, (work) => refLog(work.at(gitDir, commonDir), 'HEAD', RIG_WORK.maxCompared));
  return new Set(log.toReversed().flatMap(({ commit, why }) => (MAKES.test(why) ? [commit] : [])));
}

interface Places {
  /** The branch of the polecat's own name. */
  readonly own: string;
  readonly main: Pick<Main, 'branch'> | null;
  /** null = there is no remote, `unknown` = it does not answer. */
  readonly published: Published | null | 'unknown';
}

/**
 * The branch that a refinery finds it on: of the remote's, as it says itself, where one has it, the one that it was seen on first. Where
 * it has it on none, the one that it was seen on; null = no branch has it. Throws where that is unknown.
 */
async function branchWith(
  repo: Git,
  { commit, branch }: Candidate,
  { own, main, published }: Places,
): Promise<string | null> {
  if (published === 'unknown' && branch === null) throw new GitFailed('whether the remote has it is not known');
  const held = published === null || published === 'unknown' ? [] : await branchesWith(repo, commit, published);
  // Never the main branch: what is handed over may be pushed.
  const there = held.filter((name) => name !== main?.branch);
  const wanted = [branch, own].find((name) => name !== null && there.includes(name));
  return wanted ?? there[0] ?? (branch === main?.branch ? own : branch);
}
