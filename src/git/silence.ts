/**
 * Remotes that did not answer in time. A rig's lock is held while its remote is asked, and each further question would hold it as long: a
 * remote that was silent is not asked again for a multiple of what that took. What was fetched last counts meanwhile.
 */
import { join } from 'node:path';
import { textOf } from './files.ts';
import { GitLate, type GitFailed } from './failure.ts';
import { GIT } from './policy.ts';

interface Silence {
  /** By the clock of this process (ms). */
  readonly until: number;
  readonly why: GitFailed;
}

const silent = new Map<string, Silence>();

/** Calls a remote of a repository, whose shared folder is `gitDir`. Rejects at once, with the words of then, while that is silent. */
export async function unlessSilent<T>(gitDir: string, remote: string, call: () => Promise<T>): Promise<T> {
  // Other settings lead elsewhere, or by another way.
  const key = [gitDir, remote, (await textOf(join(gitDir, 'config'))) ?? ''].join('\0');
  const before = silent.get(key);
  const began = performance.now();
  if (before !== undefined && began < before.until) throw before.why;
  silent.delete(key);
  try {
    return await call();
  } catch (error) {
    const now = performance.now();
    const restMs = Math.min(now - began, GIT.netMs) * GIT.silentTimes;
    if (error instanceof GitLate) silent.set(key, { until: now + restMs, why: error });
    throw error;
  }
}
