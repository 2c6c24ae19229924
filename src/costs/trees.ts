/**
 * Whether anything changed in the worktree of an agent: its commit, and the names, sizes and times of files that differ from it. That
 * is one `git status` and a look at each of those files, and reads no content: a file that is written again with the same words counts
 * as changed, so the mistake that is left is to say nothing. Asked once a minute, and only of agents that repeat a call.
 */
import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import type { Incarnation, Instant } from '../../machines/protocol.ts';
import { orNull } from '../../state/files/or-null.ts';
import { worktreeOf } from '../git/find.ts';
import { gitAt } from '../git/git.ts';
import { parseStatus } from '../git/status.ts';
import type { Clock } from '../ports/ports.ts';
import type { ProcessTable } from '../proc/processes.ts';
import { COSTS } from './policy.ts';

export interface TreesDeps {
  readonly processes: Pick<ProcessTable, 'cwdOf'>;
  readonly clock: Pick<Clock, 'now'>;
}

interface Known {
  readonly sign: string | null;
  readonly at: Instant;
}

export class Trees {
  readonly #deps: TreesDeps;
  /** By the uuid of a life. */
  #known: ReadonlyMap<string, Known> = new Map();

  constructor(deps: TreesDeps) {
    this.#deps = deps;
  }

  /** Changes with what is in its worktree; null = not known, or it was not looked at. */
  of(uuid: string): string | null {
    return this.#known.get(uuid)?.sign ?? null;
  }

  /** Looks at these, where it is time for that, and forgets all others. Never rejects. */
  async look(lives: readonly Incarnation[]): Promise<void> {
    const next = new Map<string, Known>();
    for (const { uuid, agent } of lives) {
      const at = this.#deps.clock.now();
      const before = this.#known.get(uuid);
      const isDue = before === undefined || at - before.at >= COSTS.gitEveryMs;
      const cwd = isDue ? orNull(() => this.#deps.processes.cwdOf(agent)) : null;
      next.set(uuid, isDue ? { sign: cwd && (await treeSign(cwd).catch(() => null)), at } : before);
    }
    this.#known = next;
  }
}

const STATUS = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=all'];

/** null = no worktree, or more changes than can be compared. Rejects where git gives no answer. */
export async function treeSign(folder: string): Promise<string | null> {
  const top = await worktreeOf(folder);
  if (top === null) return null;
  const signal = AbortSignal.timeout(COSTS.gitMs);
  const git = gitAt({ top, policy: { gitMs: COSTS.gitMs }, signal, onlyReads: true });
  const text = await git.runAtMost(STATUS, COSTS.maxStatusBytes);
  if (text === null) return null;
  const { head, changed, untracked } = parseStatus(text);
  const sign = createHash('sha1').update(`${head ?? ''}\n${text}`);
  for (const name of [...changed, ...untracked]) {
    const seen = await lstat(`${top}/${name}`, { bigint: true }).catch(() => null);
    sign.update(`${name}\n${seen === null ? '' : `${seen.ino} ${seen.size} ${seen.mtimeNs}`}\n`);
  }
  return sign.digest('base64');
}
