/**
 * Forced pushes of main, by git's own note of where the remote's branch stood at each fetch of the town: what they took out, and whether
 * main holds it again, whichever way it came back: a merge, a fast-forward, a squash, a rebase. What was taken out and came back between
 * two fetches leaves no note: a remote tells what it has, never what it had. The log of the remote-tracking ref proves nothing: an agent
 * moves it, by a push to another address for instance, and the alert's command would then revert good work.
 */
import { join } from 'node:path';
import type { RigRecord } from '../../machines/rigs/records.ts';
import { seenRef, trackingRef } from '../git/fetch.ts';
import { textOf } from '../git/files.ts';
import type { Git } from '../git/git.ts';
import { refLog, refLogMark } from '../git/ref-log.ts';
import { inMain, isOutOf, type InMain } from './in-main.ts';
import { lastSeen, seenBranches } from './main-branch.ts';
import { RIG_WORK } from './policy.ts';
import { shellWord } from '../../state/files/show-text.ts';
import { isBefore, withGit } from './repository.ts';
import { firstNames } from '../../machines/kernel/span.ts';

type Rig = Pick<RigRecord, 'repo' | 'commonDir' | 'base' | 'remote'>;

export interface ForcedPush {
  readonly branch: string;
  /** The commit of main before it. */
  readonly before: string;
  /** The commit of main after it, which holds nothing of what it took out. */
  readonly after: string;
}

export interface BroughtBack extends ForcedPush {
  /** A sentence for a person, with what to type. */
  readonly text: string;
}

/** The answer for each main branch, and the logs that it was about. */
const known = new Map<string, Answer & { readonly mark: string }>();

interface Answer {
  readonly found: readonly BroughtBack[];
  /** git told everything: the same logs have the same answer. */
  readonly isSure: boolean;
}

/** What main, as it was fetched last, holds again. It asks no remote. */
export async function returnedTo(rig: Rig): Promise<readonly BroughtBack[]> {
  const remote = remoteNameOf(rig);
  if (remote === null) return [];
  const found: BroughtBack[] = [];
  for (const branch of await mainNames(rig, remote)) {
    const mark = await refLogMark(rig.commonDir, seenRef(remote, branch));
    if (mark === null) continue;
    const key = JSON.stringify([rig.commonDir, remote, branch]);
    const before = known.get(key);
    const here = before?.mark === mark ? before : await among(rig, remote, branch);
    if (here.isSure) known.set(key, { ...here, mark });
    found.push(...here.found);
  }
  return found;
}

/** Forced pushes of this branch that were seen, and after which main did not hold this commit. */
export async function sawTakenOut(rig: Rig, branch: string, commit: string): Promise<boolean> {
  const remote = remoteNameOf(rig);
  if (remote === null) return false;
  for (const { before, after } of (await forcedIn(rig, remote, branch)).pushes) {
    const [was, is] = await withGit(rig, ({ repo }) =>
      Promise.all([isBefore(repo, commit, before), isBefore(repo, commit, after)]),
    );
    if (was && !is) return true;
  }
  return false;
}

export const remoteNameOf = ({ remote }: Pick<Rig, 'remote'>): string | null =>
  remote === null ? null : (remote?.name ?? 'origin');

export async function mainNames(rig: Rig, remote: string): Promise<readonly string[]> {
  if (rig.base !== null) return [rig.base];
  const head = await textOf(join(rig.commonDir, trackingRef(remote, 'HEAD')));
  const named =
    head?.startsWith('ref: ') !== true
      ? await withGit(rig, ({ repo }) => seenBranches(repo, remote))
      : [head.trim().replace(`ref: ${trackingRef(remote, '')}`, '')];
  return [...new Set([...named, ...RIG_WORK.usualMains])];
}

const IS_FORCED = /forced-update$/;

export interface Seen {
  /** The oldest first. */
  readonly pushes: readonly ForcedPush[];
  /** The commits that main had, the oldest first. */
  readonly stood: readonly string[];
  readonly isSure: boolean;
}

export async function forcedIn(rig: Rig, remote: string, branch: string): Promise<Seen> {
  const ref = seenRef(remote, branch);
  const log = (await withGit(rig, ({ repo }) => refLog(repo, ref, RIG_WORK.maxCompared))).toReversed();
  const moves = log.flatMap(({ commit: after, why }, at) => {
    const before = log[at - 1]?.commit;
    return before === undefined || !IS_FORCED.test(why) ? [] : [{ branch, before, after }];
  });
  const pushes: ForcedPush[] = [];
  let isSure = true;
  for (const move of moves.slice(-RIG_WORK.maxForced)) {
    const held = await isIn(rig, move.after, move.before);
    if (held === 'no') pushes.push(move);
    if (held === 'unknown') isSure = false;
  }
  return { pushes, stood: log.map(({ commit }) => commit), isSure };
}

async function among(rig: Rig, remote: string, branch: string): Promise<Answer> {
  const now = await withGit(rig, ({ repo }) => lastSeen(repo, remote, branch));
  if (now === null) return { found: [], isSure: false };
  const found = new Map<string, BroughtBack>();
  const { pushes, stood, ...seen } = await forcedIn(rig, remote, branch);
  let { isSure } = seen;
  for (const push of pushes) {
    // A person put main back where it was.
    if (stood.lastIndexOf(push.before) > stood.lastIndexOf(push.after)) continue;
    // So did the line that a person got, to bring merged work back.
    if (await wasAskedFor(rig, now, push)) continue;
    const held = await isIn(rig, now, push.before);
    if (held === 'unknown') isSure = false;
    if (held !== 'yes' || (await isOutAgain(rig, now, push))) continue;
    found.set(push.before, { ...push, text: await textFor(rig, push) });
  }
  return { found: [...found.values()], isSure };
}

/** How a merge is called that brings back what a forced push had taken out, because a person wants it in main. */
export const bringsBackSubject = (before: string): string => `Bring back what main was at ${before}`;

const wasAskedFor = (rig: Rig, now: string, { before, after }: ForcedPush): Promise<boolean> =>
  withGit(rig, async ({ repo }) => {
    const words = ['log', '--merges', '--max-count=1', '--format=%H', '--fixed-strings'];
    return (await repo.run([...words, `--grep=${bringsBackSubject(before)}`, now, `^${after}`, '--'])) !== '';
  });

/** Whether a main that stands at one commit has all of another. */
async function isIn(rig: Rig, main: string, commit: string): Promise<InMain> {
  const found = await inMain(rig, { commit: main, source: 'fetched' }, [{ commit, base: null }]);
  return found.get(commit) ?? 'unknown';
}

/** Whether a revert took it out, which leaves its commits where they are. */
const isOutAgain = (rig: Rig, main: string, { before, after }: ForcedPush): Promise<boolean> =>
  withGit(rig, async ({ repo }) => {
    const fork = await repo.find(['merge-base', before, after]);
    for (const from of new Set([fork ?? after, after])) if (await isOutOf(repo, main, before, from)) return true;
    return false;
  });

const short = (commit: string): string => commit.slice(0, RIG_WORK.shortCommit);

const textFor = async (rig: Rig, { branch, before, after }: ForcedPush): Promise<string> => {
  const out = await withGit(rig, ({ repo }) => takenOutText(repo, before, after));
  return `${branch} holds again what a forced push had taken out (${out.named}); ${takeOutText(rig, branch, out)}`;
};

export interface TakenOut {
  /** Commits, for a person. */
  readonly named: string;
  /** Revisions that `git revert` takes out. */
  readonly range: string;
  /** The range has merges, of which `git revert` has to be told a side. */
  readonly hasMerges: boolean;
}

/** Of what `before` holds and `after` does not. */
export async function takenOutText(repo: Git, before: string, after: string): Promise<TakenOut> {
  const listed = async (...words: string[]): Promise<string[]> =>
    (await repo.run(['rev-list', ...words, before, `^${after}`, '--'])).split('\n').filter((line) => line !== '');
  const commits = await listed();
  const named = firstNames(commits.map(short), RIG_WORK.shown);
  const hasMerges = (await listed('--merges', '--max-count=1')).length > 0;
  return { named, range: `^${short(after)} ${short(before)}`, hasMerges };
}

function takeOutText({ repo }: Pick<Rig, 'repo'>, branch: string, { range, hasMerges }: TakenOut): string {
  const git = `git -C ${shellWord(repo)}`;
  const what = hasMerges ? `-m 1 $(${git} rev-list --first-parent ${range})` : range;
  return `to take it out again, on ${branch}: ${git} revert --no-edit ${what}`;
}
