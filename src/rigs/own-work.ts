/** The whole work of a polecat, for a reader: from where its branch left main to its worktree as it is. Asks no remote. */
import { rm } from 'node:fs/promises';
import { branchOf } from '../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { trackingRef } from '../git/fetch.ts';
import {
  commitsFrom,
  filesFrom,
  openWorktree,
  patchFrom,
  type ChangedFile,
  type Commit,
  type Opened,
} from '../git/from-base.ts';
import type { Git } from '../git/git.ts';
import { branchOf as branchIn, commitGraph, reachedFrom, type CommitGraph } from '../git/history.ts';
import { ownIgnores } from '../git/ignores.ts';
import { makeOwnFolder } from '../git/own-folders.ts';
import { GIT } from '../git/policy.ts';
import { isOdd, standingAt } from '../git/worktree.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { heldBy } from './in-main.ts';
import { dirOf } from './place.ts';
import { commitOf, withGit, type Work } from './repository.ts';
import type { Case } from './yard.ts';

export interface OwnWork {
  /** Where its branch left main. */
  readonly base: string;
  /** The name of main; null = a record of an older town. */
  readonly main: string | null;
  readonly head: string | null;
  /** What is checked out; null = no branch. */
  readonly branch: string | null;
  /** Names of files that are in no commit as they lie there. */
  readonly uncommitted: readonly string[];
}

export interface OwnLog extends OwnWork {
  /** The newest first. */
  readonly commits: readonly Commit[];
}

export interface OwnDiff extends OwnWork {
  readonly files: readonly ChangedFile[];
  /** null = more than is shown. */
  readonly patch: string | null;
}

/** Throws `Failure` where its worktree is not there. */
export const logOf = (at: Case, record: PolecatRecord): Promise<OwnLog> =>
  inside(at, record, async (work, { git }) => {
    const own = await commitOf(git, `refs/heads/${branchOf(record)}`);
    const tips = [work.head, own].filter((tip) => tip !== null);
    return { ...work, commits: tips.length === 0 ? [] : await commitsFrom(git, work.base, tips) };
  });

/** Throws as `logOf`. */
export const diffOf = (at: Case, record: PolecatRecord): Promise<OwnDiff> =>
  inside(at, record, async (work, { git }) => {
    const files = await filesFrom(git, work.base);
    return { ...work, files, patch: await patchFrom(git, work.base) };
  });

const NAMES_AS_THEY_ARE = ['core.quotePath', 'false'] as const;

async function inside<T>(
  at: Case,
  record: PolecatRecord,
  use: (work: OwnWork, opened: Opened) => Promise<T>,
): Promise<T> {
  const top = dirOf(at, record);
  const standing = await standingAt(top, at.rig.commonDir);
  if (isOdd(standing)) {
    const why = standing.place === 'missing' ? 'is not there' : standing.why;
    const text = `${top} ${why}; see \`town polecat git-state ${record.rig}/${record.name}\``;
    throw new Failure(EXIT.failed, 'no_worktree', text);
  }
  const { gitDir } = standing;
  const { signal } = new AbortController();
  const config = [...(await ownIgnores()), NAMES_AS_THEY_ARE];
  const place = { top, gitDir, workTree: top, policy: { gitMs: GIT.lookMs }, signal, config };
  const scratch = await makeOwnFolder('git');
  try {
    const opened = await openWorktree(place, scratch);
    const { git, uncommitted } = opened;
    const head = await commitOf(git, 'HEAD');
    const base = await baseOf(at, record, git, head);
    const branch = await branchIn(git, gitDir);
    return await use({ base, main: record.main?.branch ?? null, head, branch, uncommitted }, opened);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** By main as it was fetched last; where that has nothing in common with it, the commit of main that the branch held when it began. */
async function baseOf(at: Case, record: PolecatRecord, git: Git, head: string | null): Promise<string> {
  const now = head === null ? null : await mainNow(at, record, git);
  return (now === null || head === null ? null : await git.find(['merge-base', head, now])) ?? heldBy(record);
}

/** As it was fetched last; null = it is not there. */
async function mainNow({ rig }: Case, { main }: PolecatRecord, git: Git): Promise<string | null> {
  if (main === null) return null;
  return commitOf(git, rig.remote ? trackingRef(rig.remote.name, main.branch) : `refs/heads/${main.branch}`);
}

export interface Progress {
  /** Commits that main lacks, at most `GIT.maxListed`; null = unknown. */
  readonly ahead: number | null;
  /** ISO; null = none of its own, or unknown. */
  readonly last_commit_at: string | null;
}

/** A polecat, and the commit that its worktree has; null = unknown. */
export interface Stand {
  readonly record: PolecatRecord;
  readonly head: string | null;
}

const UNKNOWN: Progress = { ahead: null, last_commit_at: null };

/** How far polecats of one rig came, in their order: one log for all that began at the same main. Never rejects. */
export async function progressOf(at: Case, stands: readonly Stand[]): Promise<Progress[]> {
  const more = { onlyReads: true, ...(at.answers && { answers: at.answers }) };
  const ask = async ({ repo }: Work): Promise<Progress[]> => {
    const mains = await Promise.all(stands.map(({ record }) => mainOf(at, record, repo)));
    const logs = new Map<string, Promise<CommitGraph>>();
    const rows = stands.map(async ({ head }, n) => {
      const main = mains[n] ?? null;
      if (head === null || main === null) return UNKNOWN;
      const heads = stands.flatMap((one, other) => (mains[other] === main && one.head !== null ? [one.head] : []));
      const log = logs.get(main) ?? logFrom(repo, main, [...new Set(heads)]);
      logs.set(main, log);
      return log.then(
        (commits) => progressIn(commits, head),
        () => UNKNOWN,
      );
    });
    return Promise.all(rows);
  };
  return withGit(at.rig, ask, more).catch(() => stands.map(() => UNKNOWN));
}

const mainOf = async (at: Case, record: PolecatRecord, repo: Git): Promise<string | null> =>
  ((await mainNow(at, record, repo).catch(() => null)) ?? heldBy(record)) || null;

/** By commit, all that these have and `main` has not. Rejects where that is more than can be told. */
async function logFrom(repo: Git, main: string, heads: readonly string[]): Promise<CommitGraph> {
  const log = await commitGraph(repo, '%aI', [...heads, '--not', main]);
  if (log === null) throw new Error('more commits than can be listed');
  return log;
}

const progressIn = (log: CommitGraph, head: string): Progress => ({
  ahead: reachedFrom(log, head, GIT.maxListed).size,
  last_commit_at: log.get(head)?.text ?? null,
});
