/**
 * Remotes that are not asked again for a while. What was fetched last counts meanwhile.
 * 1. One that did not answer in time: a rig's lock is held while its remote is asked, and each further question would hold it as long.
 * 2. One that refused the login: a server may lock an account after a few such tries.
 *    A push may have a login, or a way, of its own: it is tried all the same, until it is refused too.
 * A fetch that came through meanwhile, of any process, ends it. So a person who mended a login types `git fetch` or `town rig show`.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { absentIs } from '../../state/files/disk.ts';
import { textOf } from './files.ts';
import { GitFailed, GitLate } from './failure.ts';
import { GIT } from './policy.ts';

interface Silence {
  /** By the wall, as files have it (ms). */
  readonly since: number;
  /** By the clock of this process (ms). */
  readonly until: number;
  readonly restMs: number;
  readonly why: GitFailed;
  /** What a push was refused with meanwhile; null = none was. */
  readonly push: GitFailed | null;
}

const silent = new Map<string, Silence>();

export interface Away {
  /** For so long each question failed (ms). */
  readonly ms: number;
  /** Since the last one (ms). */
  readonly askedMs: number;
  /** What git said then. */
  readonly why: string;
}

interface Failing {
  /** By the wall (ms). */
  readonly since: number;
  /** By the clock of this process (ms). */
  readonly first: number;
  readonly last: number;
  readonly why: string;
}

/** Questions that failed since the last answer, by repository and remote. */
const failing = new Map<string, Failing>();

/** A remote that answered none of the questions of this process lately; null = it does, or was not asked. */
export async function awayNow(gitDir: string, remote: string): Promise<Away | null> {
  const found = failing.get(`${gitDir}\0${remote}`);
  if (found === undefined || (await hasFetched(gitDir, found.since))) return null;
  return { ms: found.last - found.first, askedMs: performance.now() - found.last, why: found.why };
}

/** A fetch of another process that came through ends what failed before it. */
async function noteFailed(gitDir: string, of: string, error: unknown): Promise<void> {
  if (!(error instanceof GitFailed)) return;
  const last = performance.now();
  const before = failing.get(of);
  const goesOn = before !== undefined && !(await hasFetched(gitDir, before.since));
  const { since, first } = goesOn ? before : { since: Date.now(), first: last };
  failing.set(of, { since, first, last, why: error.message });
}

/** What ssh, git and hosts say of a login that they do not take, or of one that is missing. */
const REFUSED_LOGIN =
  /Permission denied(?: \(|, please)|Too many authentication failures|Authentication failed for|(?:returned error:|HTTP) 40[13]\b|could not read (?:Username|Password) for|HTTP Basic: Access denied/;

/**
 * Calls a remote of a repository, whose shared folder is `gitDir`. Rejects at once, with the words of then, while that rests. `pushes`: the
 * call only writes. A refused push does not stop fetches, and a refused fetch stops no push: each may have a login of its own.
 */
export async function unlessSilent<T>(
  gitDir: string,
  remote: string,
  call: () => Promise<T>,
  { pushes = false } = {},
): Promise<T> {
  // Other settings lead elsewhere, or by another way.
  const of = `${gitDir}\0${remote}`;
  const key = `${of}\0${(await textOf(join(gitDir, 'config'))) ?? ''}`;
  const before = silent.get(key);
  const why = before === undefined ? null : whyRests(before, pushes);
  if (before && why && performance.now() < before.until && !(await hasFetched(gitDir, before.since))) throw why;
  const began = performance.now();
  try {
    const answer = await call();
    failing.delete(of);
    if (!pushes) silent.delete(key);
    return answer;
  } catch (error) {
    const now = performance.now();
    if (!pushes) await noteFailed(gitDir, of, error);
    const restMs = restAfter(error, now - began, { pushes, lastMs: refusedMsOf(before) });
    if (restMs > 0 && error instanceof GitFailed)
      silent.set(key, { since: Date.now(), until: now + restMs, restMs, why: error, push: null });
    else if (!pushes) silent.delete(key);
    else if (before && isRefusedLogin(error)) silent.set(key, { ...before, push: error });
    throw error;
  }
}

/** null = it does not rest for this call. */
const whyRests = ({ why, push }: Silence, pushes: boolean): GitFailed | null =>
  pushes && !(why instanceof GitLate) ? push : why;

/** How long it rested after the last refusal; 0 = there was none. */
const refusedMsOf = (before: Silence | undefined): number =>
  before === undefined || before.why instanceof GitLate ? 0 : before.restMs;

const isRefusedLogin = (error: unknown): error is GitFailed =>
  error instanceof GitFailed && REFUSED_LOGIN.test(error.message);

/** How long a remote rests after an error (ms). `lastMs`: after the refusal before, 0 = there was none. */
export function restAfter(
  error: unknown,
  tookMs: number,
  { pushes, lastMs }: { readonly pushes: boolean; readonly lastMs: number },
): number {
  if (error instanceof GitLate) return Math.min(tookMs, GIT.netMs) * GIT.silentTimes;
  if (pushes || !isRefusedLogin(error)) return 0;
  return Math.min(Math.max(2 * lastMs, GIT.refusedMs), GIT.refusedMostMs);
}

/** git empties its note of the last fetch once the remote answers, and fills it with what came. */
async function hasFetched(gitDir: string, since: number): Promise<boolean> {
  const note = await absentIs(null, stat(join(gitDir, 'FETCH_HEAD')));
  return note !== null && note.size > 0 && note.mtimeMs > since;
}
