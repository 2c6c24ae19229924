/**
 * The `done_check` of a rig, run on one commit in a polecat's own worktree. A worktree that stands elsewhere says nothing of the work:
 * the result is unknown. So it is where files differ from the commit, before or after the run: the command ran on these too. Untracked
 * files count before the run alone: what the command itself writes may stay.
 */
import { endLeft, run, type Runs } from './runs.ts';
import { commandText } from '../../machines/kernel/command-text.ts';
import { resultOf, type Result } from './result.ts';

export interface DoneCheck extends Runs {
  readonly command: readonly string[];
  readonly limitMs: number;
  /** The polecat's worktree. */
  readonly dir: string;
  readonly commit: string;
  /** A look at it. */
  readonly look: () => Promise<Standing>;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * `head`: the commit that is checked out; null = none, or unknown. `dirt`: how its files differ from that, as words for "it …"; null = not.
 * `changes`: the same, without its untracked files.
 */
export type Standing = Readonly<Record<'head' | 'dirt' | 'changes', string | null>>;

export async function checkDone(check: DoneCheck): Promise<Result> {
  const { command: words, limitMs, dir, commit, look, env } = check;
  const now = await look();
  const before = otherThan(commit, now.head, now.dirt);
  if (before !== null) return before;
  await endLeft(check);
  const ended = await run(check, { words, dir, limitMs, env });
  if (check.cancelled.aborted)
    return { is: 'unknown', text: `\`${commandText(words)}\` was ended by a signal to its caller` };
  const { head, changes } = await look();
  return otherThan(commit, head, changes) ?? resultOf(ended, { words, limitMs }, commit);
}

/** null = the worktree is this commit, and nothing else. */
function otherThan(commit: string, head: string | null, dirt: string | null): Result | null {
  const is = 'unknown';
  if (head !== commit)
    return { is, text: `its worktree is at ${head ?? 'no commit that git tells'}, and the work to check is ${commit}` };
  return dirt === null
    ? null
    : { is, text: `its worktree ${dirt}, and the work to check is the commit ${commit} alone` };
}
