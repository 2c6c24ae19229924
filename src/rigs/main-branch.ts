/**
 * The main branch of a rig (R-1): one answer for every start, every reopen and every merge.
 * 1. The remote is asked, at the moment: which branch its HEAD names, and which commit that branch has. What a person has checked
 *    out says nothing.
 * 2. The branch is `--base` of `town rig add`, else the one that the remote's HEAD names, else the only one of the usual names.
 * 3. A remote that does not answer leaves what the town itself fetched last, with its age: a tracking ref may be any program's word. Where
 *    it never fetched, that of the repository counts, and since when is unknown. A rig without a remote has its own branch.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ms } from '../../machines/protocol.ts';
import type { RigRecord } from '../../machines/rigs/records.ts';
import { absentIs } from '../../state/files/disk.ts';
import { askHeads, fetchHeads, SEEN_REFS, seenRef, trackingRef } from '../git/fetch.ts';
import { GitFailed, type Git } from '../git/git.ts';
import { refLog } from '../git/ref-log.ts';
import { isThere, textOf } from '../git/files.ts';
import { age } from '../journal/when.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { RIG_WORK } from './policy.ts';
import { remoteOf } from './remote.ts';
import { commitOf, withGit } from './repository.ts';

export interface Main {
  readonly branch: string;
  readonly commit: string;
  /** Its name in the repository; null = the rig has none. */
  readonly remote: string | null;
  /** `fetched`: just now. `stale`: the remote did not answer. `local`: the rig has no remote. */
  readonly source: 'fetched' | 'stale' | 'local';
  /** Wall ms when the remote was last seen to have this commit; null = that is not known, or there is no remote. */
  readonly asOf: number | null;
  /** What the remote's silence was, in git's words; '' = it answered. */
  readonly why: string;
}

type Rig = Pick<RigRecord, 'name' | 'repo' | 'commonDir' | 'base' | 'remote'> & {
  /** It is not on record: what a person types to add it, up to its base. */
  readonly adds?: string;
  /** How long a fetch that still moves may take; GIT.transferMs by default. */
  readonly transferMs?: Ms;
};

/** Throws `Failure` where no branch can be called the main one, or the remote is not the rig's; the sentence says what to type. */
export async function mainOf(rig: Rig): Promise<Main> {
  const { transferMs } = rig;
  const place = { gitDir: rig.commonDir, cwd: rig.repo, ...(transferMs !== undefined && { transferMs }) };
  const remote = (await remoteOf(rig))?.name ?? null;
  if (remote === null) return localMain(rig);
  try {
    const { head, commits } = await askHeads(place, remote, rig.base === null ? RIG_WORK.usualMains : [rig.base]);
    const branch = chosen(rig, { head, names: [...commits.keys()], remote });
    await fetchHeads(place, remote, [branch, ...RIG_WORK.fetched], [branch]);
    const commit = await withGit(rig, ({ repo }) => commitOf(repo, seenRef(remote, branch)));
    if (commit === null) throw new GitFailed(`${remote} has no ${branch} any more`);
    return { branch, commit, remote, source: 'fetched', asOf: Date.now(), why: '' };
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    return staleMain(rig, remote, error);
  }
}

interface Choice {
  /** The branch that HEAD names there. */
  readonly head: string | null;
  readonly names: readonly string[];
  readonly remote: string;
}

function chosen(rig: Rig, { head, names, remote }: Choice): string {
  if (rig.base !== null) {
    if (names.includes(rig.base)) return rig.base;
    throw noMain(rig, `${remote} has no branch ${rig.base}`);
  }
  if (head !== null && names.includes(head)) return head;
  const [only, ...others] = RIG_WORK.usualMains.filter((name) => names.includes(name));
  if (only !== undefined && others.length === 0) return only;
  const usual = RIG_WORK.usualMains.join(' or ');
  throw noMain(rig, `HEAD of ${remote} names no branch that is there, and it has not just one of ${usual}`);
}

const noMain = (rig: Rig, why: string): Failure =>
  new Failure(
    EXIT.failed,
    'no_main',
    `${rig.name} has no main branch: ${why}; name it: ${rig.adds ?? `town rig set ${rig.name}`} --base <branch>`,
  );

/** Its own branch: the recorded one, else the only one of the usual names. */
async function localMain(rig: Rig): Promise<Main> {
  const names = rig.base === null ? RIG_WORK.usualMains : [rig.base];
  const seen = await withGit(rig, ({ repo }) =>
    Promise.all(names.map(async (branch) => ({ branch, commit: await commitOf(repo, `refs/heads/${branch}`) }))),
  );
  const there = seen.flatMap(({ branch, commit }) => (commit === null ? [] : [{ branch, commit }]));
  const [only, ...others] = there;
  if (only !== undefined && others.length === 0) return { ...only, remote: null, source: 'local', asOf: null, why: '' };
  const which = names.join(' or ');
  throw noMain(rig, `${rig.repo} has no remote, and ${only === undefined ? 'no commit on' : 'both of'} ${which}`);
}

async function staleMain(rig: Rig, remote: string, error: GitFailed): Promise<Main> {
  const why = error.message.replaceAll('\n', ' ');
  const found = await withGit(
    rig,
    async ({ repo }) => (await seenLast(repo, rig, remote)) ?? keptLast(repo, rig, remote),
  );
  if (found !== null) return { ...found, remote, source: 'stale', why };
  const text = `the main branch of ${rig.name} was never fetched, and its remote ${remote} does not answer: ${why}`;
  throw new Failure(EXIT.failed, 'no_main', `${text}; type it again once it does`);
}

type Last = Pick<Main, 'branch' | 'commit' | 'asOf'>;

/** Those that the town ever fetched as a main branch. */
export async function seenBranches(repo: Git, remote: string): Promise<readonly string[]> {
  const prefix = seenRef(remote, '');
  const refs = (await repo.run(['for-each-ref', '--format=%(refname)', prefix])).split('\n');
  return refs.filter((ref) => ref !== '').map((ref) => ref.slice(prefix.length));
}

/** Takes the town's notes out of a repository; one that is gone needs no care. */
export async function forgetSeen({ commonDir }: Pick<RigRecord, 'commonDir'>): Promise<void> {
  if (!(await isThere(commonDir))) return;
  await withGit({ commonDir }, async ({ repo }) => {
    const refs = (await repo.run(['for-each-ref', '--format=%(refname)', SEEN_REFS])).split('\n');
    for (const ref of refs.filter((one) => one !== '')) await repo.run(['update-ref', '--no-deref', '-d', ref]);
  });
}

/** What the town fetched last; null = it never did. */
async function seenLast(repo: Git, rig: Rig, remote: string): Promise<Last | null> {
  const names = (await seenBranches(repo, remote)).filter((name) => rig.base === null || name === rig.base);
  const [first, ...others] = names;
  if (first === undefined) return null;
  const branch = others.length === 0 ? first : chosen(rig, { head: await keptHead(repo, remote), names, remote });
  const [last] = await refLog(repo, seenRef(remote, branch), 1);
  if (last === undefined) return null;
  const fetched = await fetchedAt(rig, branch, last.commit);
  return { branch, commit: last.commit, asOf: Math.max(last.at, fetched ?? 0) };
}

/** What the repository keeps of the remote. Which branch that is: what it keeps of the remote's HEAD tells, where no other word does. */
async function keptLast(repo: Git, rig: Rig, remote: string): Promise<Last | null> {
  const head = await keptHead(repo, remote);
  const names = rig.base === null ? [...new Set([head ?? '', ...RIG_WORK.usualMains])].filter(Boolean) : [rig.base];
  const commits = await Promise.all(names.map((name) => commitOf(repo, trackingRef(remote, name))));
  const there = names.filter((_, at) => commits[at] !== null);
  if (there.length === 0) return null;
  const branch = chosen(rig, { head, names: there, remote });
  const commit = commits[names.indexOf(branch)] ?? '';
  return { branch, commit, asOf: await fetchedAt(rig, branch, commit) };
}

async function keptHead(repo: Git, remote: string): Promise<string | null> {
  const kept = await repo.find(['symbolic-ref', '--quiet', trackingRef(remote, 'HEAD')]);
  return kept?.slice(trackingRef(remote, '').length) ?? null;
}

/** When a fetch last brought this commit as this branch, by git's note of the last fetch; null = that was about something else. */
async function fetchedAt({ commonDir }: Rig, branch: string, commit: string): Promise<number | null> {
  const note = join(commonDir, 'FETCH_HEAD');
  const lines = ((await textOf(note)) ?? '').split('\n');
  if (!lines.some((line) => line.startsWith(commit) && line.includes(`branch '${branch}' of `))) return null;
  const seen = await absentIs(null, stat(note));
  return seen && Math.round(seen.mtimeMs);
}

/** The main branch as it was seen last, without asking the remote; null = it never was. */
export const lastSeen = async (repo: Git, remote: string, branch: string): Promise<string | null> =>
  (await commitOf(repo, seenRef(remote, branch))) ?? commitOf(repo, trackingRef(remote, branch));

/** For a person: the branch, its commit, and how sure that is. */
export function mainText({ branch, commit, source, asOf, why }: Main): string {
  const at = `${branch} at ${commit.slice(0, RIG_WORK.shortCommit)}`;
  if (source === 'fetched') return `${at}, as just fetched`;
  if (source === 'local') return `${at}, a branch of the repository itself: it has no remote`;
  const when = asOf === null ? 'as this repository has it, since when is not known' : `as of ${age(asOf)} ago`;
  return `${at}, ${when}: the remote does not answer (${why})`;
}
