/**
 * What a command of the person says of the work that it ran on, by how it ended: one answer for the test of a merge and a
 * `done_check`. Only its own exit code passes or fails the work. A command that was not started, that its limit ended or that was
 * killed says nothing of the work: the result is unknown. Some programs end with the number of their failures, which may be one of a
 * shell's codes: then their output says that number.
 */
import { span } from '../../machines/kernel/span.ts';
import type { RunEnded } from '../proc/marked-run.ts';
import type { Command } from './runs.ts';
import { commandText } from '../../machines/kernel/command-text.ts';
import { tellingLine, withOutput } from './telling.ts';

export interface Result {
  readonly is: 'passed' | 'failed' | 'unknown';
  /** One line that says what happened; then the end of the output. */
  readonly text: string;
}

/** What a shell says of a program that it cannot start (126, 127), and of one that a signal ended (128 and its number, up to 64). */
const NOT_STARTED: ReadonlySet<number> = new Set([126, 127]);
/** EX_TEMPFAIL of sysexits(3): the command itself says that it could not find out. */
const TRY_LATER = 75;
const SIGNALLED = { above: 128, upTo: 192 } as const;

/** As in `137 failing`, `137 tests failed`, `# fail 137`, `Failures: 137`; not as in `Command failed with exit code 137`. */
const saysFailures = (output: string, count: number): boolean =>
  new RegExp(
    String.raw`(?<!\b(?:code|status) )\b${String(count)} (?:\w+ )?fail|\bfail\w*:? +${String(count)}\b`,
    'i',
  ).test(output);

/** `on`: the work, in words. */
export function resultOf(
  { is, exitCode, text, output }: Pick<RunEnded, 'is' | 'exitCode' | 'text' | 'output'>,
  { words, limitMs }: Pick<Command, 'words' | 'limitMs'>,
  on: string,
): Result {
  const line = `\`${commandText(words)}\``;
  const result = (as: Result['is'], first: string): Result => ({ is: as, text: withOutput(first, output) });
  if (is === 'done') return result('passed', `${line} passes on ${on}`);
  if (is === 'late')
    return result('unknown', `${line} did not end within ${span(limitMs)} on ${on}, and Townwatch ended it`);
  const isCount = exitCode !== null && saysFailures(output, exitCode);
  if (exitCode === null || (NOT_STARTED.has(exitCode) && !isCount)) {
    const code = exitCode === null ? text : `exit code ${String(exitCode)}: ${tellingLine(output)}`;
    return result('unknown', `${line} could not be started on ${on}, or was killed (${code})`);
  }
  if (exitCode === TRY_LATER && !isCount)
    return result('unknown', `${line} says on ${on} that it could not find out (exit code 75): ${tellingLine(output)}`);
  if (exitCode > SIGNALLED.above && exitCode <= SIGNALLED.upTo && !isCount)
    return result('unknown', `${line} was killed on ${on} (signal ${String(exitCode - SIGNALLED.above)})`);
  const why = tellingLine(output) || 'it printed nothing';
  return result('failed', `${line} fails with exit code ${String(exitCode)} on ${on}: ${why}`);
}
