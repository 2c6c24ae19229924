/**
 * Forced pushes of main, by git's own note of where the remote's branch stood at each fetch: what they took out, and whether main holds
 * it again, whichever way it came back: a merge, a fast-forward, a squash, a rebase. A push back between two fetches leaves no note.
 */
import { join } from 'node:path';
import type { RigRecord } from '../../machines/rigs/records.ts';
import { trackingRef } from '../git/fetch.ts';
import { textOf } from '../git/files.ts';
import type { Git } from '../git/git.ts';
import { inMain, type InMain } from './in-main.ts';
import { RIG_WORK } from './policy.ts';
import { shellQuote } from './remote.ts';
import { commitOf, withGit } from './repository.ts';

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

/** The answer for each log, and the text that it was about. */
const known = new Map<string, Answer & { readonly text: string }>();

interface Answer {
  readonly found: readonly BroughtBack[];
  /** git told everything: the same text has the same answer. */
  readonly isSure: boolean;
}

/** What main, as it was fetched last, holds again. It asks no remote. */
export async function returnedTo(rig: Rig): Promise<readonly BroughtBack[]> {
  const found: BroughtBack[] = [];
  for (const branch of await mainNames(rig)) {
    const file = logOf(rig, branch);
    const text = file === null ? null : await textOf(file);
    if (file === null || text === null) continue;
    const before = known.get(file);
    const here = before?.text === text ? before : await among(rig, branch, text);
    if (here.isSure) known.set(file, { ...here, text });
    found.push(...here.found);
  }
  return found;
}

/** Forced pushes of this branch that were seen, and after which main did not hold this commit. */
export async function sawTakenOut(rig: Rig, branch: string, commit: string): Promise<boolean> {
  const file = logOf(rig, branch);
  const { pushes } = await forcedIn(rig, branch, (file === null ? null : await textOf(file)) ?? '');
  return withGit(rig, async ({ repo }) => {
    for (const { before, after } of pushes)
      if ((await isBefore(repo, commit, before)) && !(await isBefore(repo, commit, after))) return true;
    return false;
  });
}

const remoteOf = ({ remote }: Rig): string | null => (remote === null ? null : (remote?.name ?? 'origin'));

function logOf(rig: Rig, branch: string): string | null {
  const remote = remoteOf(rig);
  return remote === null ? null : join(rig.commonDir, 'logs', trackingRef(remote, branch));
}

async function mainNames(rig: Rig): Promise<readonly string[]> {
  const remote = remoteOf(rig);
  if (remote === null) return [];
  if (rig.base !== null) return [rig.base];
  const head = await textOf(join(rig.commonDir, trackingRef(remote, 'HEAD')));
  const named = head?.trim().replace(`ref: ${trackingRef(remote, '')}`, '') ?? '';
  return [...new Set([named, ...RIG_WORK.usualMains])].filter((name) => name !== '');
}

const isBefore = async (repo: Git, one: string, other: string): Promise<boolean> =>
  (await repo.find(['merge-base', '--is-ancestor', one, other])) !== null;

/** `<old> <new> <who> <seconds> <zone>\t<what>`; a push from this very repository does not say whether it was forced. */
const NOTE = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*\t(?:.*forced-update|update by push)$/;
const NONE = /^0+$/;

/** The oldest first. */
async function forcedIn(
  rig: Rig,
  branch: string,
  log: string,
): Promise<{ readonly pushes: readonly ForcedPush[]; readonly isSure: boolean }> {
  const moves = log.split('\n').flatMap((line) => {
    const [, before = '', after = ''] = NOTE.exec(line) ?? [];
    return after === '' || NONE.test(before) ? [] : [{ branch, before, after }];
  });
  const pushes: ForcedPush[] = [];
  let isSure = true;
  for (const move of moves.slice(-RIG_WORK.maxForced)) {
    const isThere = await withGit(rig, ({ repo }) =>
      Promise.all([commitOf(repo, move.before), commitOf(repo, move.after)]),
    );
    // A commit that git has put away by now can be compared with nothing.
    if (isThere.includes(null)) continue;
    const held = await isIn(rig, move.after, move.before);
    if (held === 'no') pushes.push(move);
    if (held === 'unknown') isSure = false;
  }
  return { pushes, isSure };
}

async function among(rig: Rig, branch: string, log: string): Promise<Answer> {
  const forced = await forcedIn(rig, branch, log);
  const remote = remoteOf(rig);
  if (forced.pushes.length === 0 || remote === null) return { found: [], isSure: forced.isSure };
  const now = await withGit(rig, ({ repo }) => commitOf(repo, trackingRef(remote, branch)));
  if (now === null) return { found: [], isSure: false };
  const stood = log.split('\n').map((line) => line.split(' ', 2)[1] ?? '');
  const found: BroughtBack[] = [];
  let { isSure } = forced;
  for (const push of forced.pushes) {
    // A person put main back where it was.
    if (stood.lastIndexOf(push.before) > stood.lastIndexOf(push.after)) continue;
    const held = await isIn(rig, now, push.before);
    if (held === 'yes') found.push({ ...push, text: await textFor(rig, push) });
    if (held === 'unknown') isSure = false;
  }
  return { found, isSure };
}

/** Whether a main that stands at one commit has all of another. */
async function isIn(rig: Rig, main: string, commit: string): Promise<InMain> {
  const found = await inMain(rig, { commit: main, source: 'fetched' }, [{ commit, base: null }]);
  return found.get(commit) ?? 'unknown';
}

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
  const more = commits.length > RIG_WORK.shown ? ` and ${String(commits.length - RIG_WORK.shown)} more` : '';
  const named = `${commits.slice(0, RIG_WORK.shown).map(short).join(', ')}${more}`;
  const hasMerges = (await listed('--merges', '--max-count=1')).length > 0;
  return { named, range: `^${short(after)} ${short(before)}`, hasMerges };
}

export function takeOutText({ repo }: Pick<Rig, 'repo'>, branch: string, { range, hasMerges }: TakenOut): string {
  const git = `git -C ${shellQuote(repo)}`;
  const what = hasMerges ? `-m 1 $(${git} rev-list --first-parent ${range})` : range;
  return `to take it out again, on ${branch}: ${git} revert --no-edit ${what}`;
}
