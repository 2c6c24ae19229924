/**
 * The `done_check` of a rig, run on one commit in a polecat's own worktree.
 * Only the command's own exit code passes or fails the work. A command that was not started, that its limit ended or that was killed, and
 * a worktree that stands elsewhere, say nothing of the work: the result is unknown.
 */
import { span } from '../../machines/kernel/span.ts';
import { commandText, endLeft, run, type Runs } from './runs.ts';
import { tellingLine, withOutput } from './telling.ts';

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

export interface Checked {
  readonly is: 'passed' | 'failed' | 'unknown';
  /** One line that says what happened; then the end of the output. */
  readonly text: string;
}

/** What a shell says of a program that it cannot start (126, 127), and of one that a signal ended (128 and its number, up to 64). */
const NOT_STARTED: ReadonlySet<number> = new Set([126, 127]);
const SIGNALLED = { above: 128, upTo: 192 } as const;

export async function checkDone(check: DoneCheck): Promise<Checked> {
  const { command, limitMs, dir, commit, head, env } = check;
  const before = await head();
  if (before !== commit) return elsewhere(commit, before);
  await endLeft(check);
  const line = `\`${commandText(command)}\``;
  const { is, exitCode, text, output } = await run(check, { words: command, dir, limitMs, env });
  const all = (first: string): string => withOutput(first, output);
  if (check.cancelled.aborted) return { is: 'unknown', text: `${line} was ended by a signal to its caller` };
  const after = await head();
  if (after !== commit) return elsewhere(commit, after);
  if (is === 'done') return { is: 'passed', text: all(`${line} passes on ${commit}`) };
  if (is === 'late') return { is: 'unknown', text: all(`${line} did not end within ${span(limitMs)}, and was ended`) };
  if (exitCode === null || NOT_STARTED.has(exitCode)) {
    const code = exitCode === null ? text : `exit code ${exitCode}: ${tellingLine(output)}`;
    return { is: 'unknown', text: all(`${line} could not be started, or was killed (${code})`) };
  }
  if (exitCode > SIGNALLED.above && exitCode <= SIGNALLED.upTo)
    return { is: 'unknown', text: all(`${line} was killed (signal ${exitCode - SIGNALLED.above})`) };
  const why = tellingLine(output) || 'it printed nothing';
  return { is: 'failed', text: all(`${line} fails with exit code ${exitCode}: ${why}`) };
}

const elsewhere = (commit: string, head: string | null): Checked => ({
  is: 'unknown',
  text: `its worktree is at ${head ?? 'no commit that git tells'}, and the work to check is ${commit}`,
});
