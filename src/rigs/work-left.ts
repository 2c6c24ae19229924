/**
 * What a polecat left in git: commits of its own, on which branch, and whether main has them. The worktree's own log is the source: an
 * agent may work on a branch of its own name, or go back to another one before it says that it is done.
 */
import { branchOf } from '../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import type { WorktreeFacts } from '../../machines/rigs/worktree.ts';
import type { LeftSeen } from '../../machines/patrols/observation.ts';
import { readable } from '../git/changes.ts';
import { GitFailed, type Git } from '../git/git.ts';
import { refLog } from '../git/ref-log.ts';
import { registeredAt } from '../git/worktree.ts';
import { heldBy, inMain, type InMain } from './in-main.ts';
import { mainOf, type Main } from './main-branch.ts';
import { dirOf } from './place.ts';
import { RIG_WORK } from './policy.ts';
import { branchesWith, publishedOn, type Published } from './remote-contents.ts';
import { shellWord } from '../../state/files/show-text.ts';
import { commitOf, withGit } from './repository.ts';
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
    // The newest commit first.
    const others = [...made.keys()].reverse().map((commit) => ({ commit, branch: null }));
    return ahead(repo, base, [...first, ...others]);
  });
  if (candidates.length === 0) return NOTHING;
  const key = candidates.map(({ commit }) => commit).join(' ');
  const before = known.get(record.uuid);
  const agoMs = at.yard.wall() - (before?.at ?? 0);
  if (before?.key === key && agoMs >= 0 && agoMs < RIG_WORK.leftForMs) return before.left;
  const ground = { held: heldBy(record), own, made, head, dir: dirOf(at, record) };
  const left = await judged(at, ground, candidates);
  if (known.size > RIG_WORK.maxKnown) known.clear();
  known.set(record.uuid, { key, at: at.yard.wall(), left });
  return left;
}

/** By polecat: a case may wait for a person all night, and the remote is not asked in each cycle of it. */
const known = new Map<string, { readonly key: string; readonly at: number; readonly left: LeftSeen }>();

/** Commits that were made in a worktree, the oldest first, with git's words for the move that left each last; '' = none did. */
type Made = ReadonlyMap<string, string>;

interface Ground {
  /** The commit of main that its branch held when it began. */
  readonly held: string;
  /** The branch of the polecat's own name. */
  readonly own: string;
  readonly made: Made;
  /** The commit that its worktree has. */
  readonly head: string | null;
  readonly dir: string;
}

async function judged(at: Case, ground: Ground, candidates: readonly Candidate[]): Promise<LeftSeen> {
  const { held, own, made } = ground;
  const main = await mainOf(at.rig).catch(() => null);
  const works = candidates.map(({ commit }) => ({ commit, base: held }));
  const merged = main === null ? new Map<string, InMain>() : await inMain(at.rig, main, works);
  const published = await publishedOn(at.rig).catch(() => 'unknown' as const);
  return withGit(at.rig, async ({ repo }) => {
    const parts = main === null ? new Set<string>() : await partsOf(repo, main.commit, candidates);
    const isMerged = ({ commit }: Candidate): boolean => parts.has(commit) || merged.get(commit) === 'yes';
    const open = candidates.filter((one) => !isMerged(one));
    const places: Places = { own, main, published };
    const tips = await tipsAmong(at, repo, open, { ...places, ...ground });
    const there: Candidate[] = [];
    for (const one of tips) there.push({ ...one, branch: await branchWith(repo, one, places) });
    const [only, ...others] = there;
    if (only !== undefined)
      return only.branch !== null && others.length === 0
        ? { is: 'work', branch: only.branch, commit: only.commit }
        : { is: 'scattered', text: scatteredText(ground, there) };
    // Commits that it only pulled from main are no work of its own.
    const done = candidates.find((one) => isMerged(one) && (made.has(one.commit) || !parts.has(one.commit)));
    if (done !== undefined) {
      const { commit, branch } = done;
      const isOwnPush = main !== null && parts.has(commit) && (await isInLine(repo, main.commit, { commit, held }));
      return { is: 'merged', branch: branch ?? own, commit, isOwnPush };
    }
    const [lost] = open;
    if (lost === undefined) return NOTHING;
    // It may be on a branch of the remote.
    if (published === 'unknown') return UNKNOWN;
    return { is: 'scattered', text: scatteredText(ground, [lost]) };
  });
}

/** Whether main's own line has this commit, and got it after that one: no merge, squash or rebase by another brought it there. */
async function isInLine(repo: Git, main: string, { commit, held }: { readonly commit: string; readonly held: string }) {
  const line = await repo.run(['rev-list', '--first-parent', main, `^${held}`, '--']);
  return line.split('\n').includes(commit);
}

/** Those that are part of main. */
async function partsOf(repo: Git, main: string, all: readonly Candidate[]): Promise<ReadonlySet<string>> {
  const commits = all.map(({ commit }) => commit);
  const left = new Set((await repo.run(['rev-list', '--stdin'], [`^${main}`, ...commits, ''].join('\n'))).split('\n'));
  return new Set(commits.filter((commit) => !left.has(commit)));
}

/**
 * The tips of the polecat's work, on its branches and in its worktree: the commits that no other tip contains, by ancestry or by patch.
 * A commit on no branch is one where a checkout left it: the others were amended, rebased or reset away.
 */
async function tipsAmong(
  { rig }: Case,
  repo: Git,
  open: readonly Candidate[],
  { main, published, held, head, made }: Places & Ground,
): Promise<readonly Candidate[]> {
  const loose = await looseAmong(repo, open, { main, published });
  const isLeft = (commit: string): boolean => made.get(commit)?.startsWith(CHECKOUT) === true;
  const live = open.filter(({ commit }) => commit === head || !loose.has(commit) || isLeft(commit));
  if (live.length < 2) return live;
  const ends = (await repo.run(['merge-base', '--independent', ...live.map(({ commit }) => commit)])).split('\n');
  let tips = live.filter(({ commit }) => ends.includes(commit));
  for (const one of tips.toReversed())
    for (const other of tips) {
      if (other === one) continue;
      const found = await inMain(rig, { commit: other.commit, source: 'fetched' }, [
        { commit: one.commit, base: held },
      ]);
      if (found.get(one.commit) !== 'yes') continue;
      tips = tips.filter((tip) => tip !== one);
      break;
    }
  return tips;
}

/** Those that are on no branch but main: neither on one here, nor on one that the remote alone has. */
async function looseAmong(
  repo: Git,
  open: readonly Candidate[],
  { main, published }: Omit<Places, 'own'>,
): Promise<ReadonlySet<string>> {
  if (open.length === 0) return new Set();
  const { branches, commits } = published === null || published === 'unknown' ? NO_REMOTE : published;
  const here = new Set((await repo.run(['for-each-ref', '--format=%(refname:lstrip=2)', HEADS])).split('\n'));
  const there = branches.filter(([name, tip]) => !here.has(name) && name !== main?.branch && commits.includes(tip));
  const lines = [...open.map(({ commit }) => commit), ...there.map(([, tip]) => `^${tip}`), ''];
  const others = ['--not', ...(main === null ? [] : [`--exclude=${main.branch}`]), '--branches'];
  return new Set((await repo.run(['rev-list', '--stdin', ...others], lines.join('\n'))).split('\n'));
}
const HEADS = 'refs/heads/';
const NO_REMOTE: Published = { branches: [], commits: [] };

/** What a person or the agent reads, with the line to type. */
function scatteredText({ dir, own }: Ground, there: readonly Candidate[]): string {
  const [first] = there;
  const into = there.find(({ branch }) => branch === own) ?? first;
  const git = `git -C ${shellWord(dir)}`;
  const take = into?.branch === own ? `${git} checkout ${own}` : `${git} checkout -B ${own} ${short(into)}`;
  const others = there.filter((one) => one !== into).map(short);
  if (others.length === 0) return `its commit ${short(first)} is on no branch; give it one: ${take}`;
  const where = there.map((one) => `${short(one)} ${one.branch === null ? 'on no branch' : `on ${one.branch}`}`);
  return `its commits are in ${String(there.length)} places, of which a refinery merges one: ${where.join(', ')}; bring them together: ${take} && ${git} merge ${others.join(' ')}`;
}
const short = (one: Candidate | undefined): string => (one?.commit ?? '').slice(0, RIG_WORK.shortCommit);

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

const CHECKOUT = 'checkout: moving from ';

/** None where git keeps no log. */
async function madeHere(at: Case, record: PolecatRecord): Promise<Made> {
  const { commonDir } = at.rig;
  const gitDir = await registeredAt(commonDir, dirOf(at, record));
  if (gitDir === null) return new Map();
  // The folder itself may be gone.
  const log = await withGit(at.rig, (work) => refLog(work.at(gitDir, commonDir), 'HEAD', RIG_WORK.maxCompared));
  const made = new Map<string, string>();
  let before = '';
  for (const { commit, why } of log.toReversed()) {
    if (before !== commit && made.has(before)) made.set(before, why);
    if (MAKES.test(why)) made.set(commit, '');
    before = commit;
  }
  return made;
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
 * it has it on none, one of the repository, chosen alike; null = no branch has it. Never the main branch: what is handed over may be
 * pushed. Throws where that is unknown.
 */
async function branchWith(
  repo: Git,
  { commit, branch }: Candidate,
  { own, main, published }: Places,
): Promise<string | null> {
  const isKnown = published !== null && published !== 'unknown';
  const there = isKnown ? await branchesWith(repo, commit, published) : [];
  const listed = await repo.run(['for-each-ref', '--format=%(refname:lstrip=2)', '--contains', commit, HEADS]);
  for (const names of [there, readable(listed).split('\n')]) {
    const fit = names.filter((name) => name !== '' && name !== main?.branch);
    const found = [branch, own].find((name) => name !== null && fit.includes(name)) ?? fit[0];
    if (found !== undefined) return found;
  }
  if (published === 'unknown') throw new GitFailed('whether the remote has it is not known');
  return null;
}
