/**
 * The `done_check` of a rig, run on one commit in a polecat's own worktree. A worktree that stands elsewhere says nothing of the work:
 * the result is unknown.
 */
import { commandText, endLeft, run, type Runs } from './runs.ts';
import { resultOf, type Result } from './result.ts';

export interface DoneCheck extends Runs {
  readonly command: readonly string[];
  readonly limitMs: number;
  /** The polecat's worktree. */
  readonly dir: string;
  readonly commit: string;
  /** The commit that is checked out there; null = none, or unknown. */
  readonly head: () => Promise<string | null>;
  readonly env: Readonly<Record<string, string>>;
}

export async function checkDone(check: DoneCheck): Promise<Result> {
  const { command: words, limitMs, dir, commit, head, env } = check;
  const before = await head();
  if (before !== commit) return elsewhere(commit, before);
  await endLeft(check);
  const ended = await run(check, { words, dir, limitMs, env });
  if (check.cancelled.aborted)
    return { is: 'unknown', text: `\`${commandText(words)}\` was ended by a signal to its caller` };
  const after = await head();
  return after === commit ? resultOf(ended, { words, limitMs }, commit) : elsewhere(commit, after);
}

const elsewhere = (commit: string, head: string | null): Result => ({
  is: 'unknown',
  text: `its worktree is at ${head ?? 'no commit that git tells'}, and the work to check is ${commit}`,
});
