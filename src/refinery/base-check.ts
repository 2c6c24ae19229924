/**
 * A `done_check` on main alone, after it failed on a polecat's work: where main fails in the same way, main is broken, or what the
 * command needs is away, and the result says nothing of the work. It runs in a worktree of its own, which it takes away.
 */
import { join } from 'node:path';
import type { RunEnded } from '../proc/marked-run.ts';
import { excuses } from './red-main.ts';
import { resultOf, type Result } from './result.ts';
import { run, type Command, type Runs } from './runs.ts';
import { failuresIn } from './telling.ts';
import { checkOut, removeTree, type Grounds } from './tree.ts';

/** The folder of all base worktrees of a rig. `root` is absolute. */
export const basesFolder = (root: string, rig: string): string => join(root, rig, 'bases');

export interface Base extends Grounds {
  readonly commit: string;
  /** Of main, for people. */
  readonly branch: string;
}

/** The result in place of the failure `ended`; null = the failure is the work's own, as far as main tells. Rejects where git fails. */
export async function failsAlike(
  runs: Runs,
  { words, limitMs, env }: Omit<Command, 'dir'>,
  base: Base,
  ended: Pick<RunEnded, 'output'>,
): Promise<Result | null> {
  const { rig, folder, commit, branch } = base;
  try {
    await checkOut(base, commit);
    const there = await run(runs, { words, limitMs, dir: folder, env: { ...env, TOWN_COMMIT: commit } });
    const { is, text } = resultOf(there, { words, limitMs }, `${branch} alone`);
    const fails = failuresIn(there.output);
    if (is !== 'failed' || fails === null || !excuses({ fails }, { fails: failuresIn(ended.output) })) return null;
    return { is: 'unknown', text: `it fails on ${branch}, too, in the same way: ${text}` };
  } finally {
    await removeTree(rig, folder);
  }
}
