/**
 * Whether an agent may draw otherwise because the town's client is on its tmux server. tmux tells a program that asks for "its"
 * client of the one used last anywhere while no terminal shows its session, and that can be ours. Of the known programs only
 * Claude Code then draws otherwise (seen with 2.1.330): told of a control-mode client, it leaves out its fullscreen renderer.
 */
import type { Proc } from '../../machines/protocol.ts';
import type { ProcessTable } from '../proc/processes.ts';

/**
 * An agent with one of these needs no question: tmux sets the first in every pane, the others are a person's choice.
 */
const ANSWERS = ['TERM_PROGRAM', 'CLAUDE_CODE_NO_FLICKER', 'CLAUDE_CODE_DISABLE_ALTERNATE_SCREEN'];

/** Of an agent that draws no alternate screen. Throws when its environment is unknown. */
export function isOurDoing(
  processes: Pick<ProcessTable, 'variableOf'>,
  { kind, proc }: { readonly kind: string | null; readonly proc: Proc | null },
): boolean {
  if (kind !== 'claude' || proc === null) return false;
  const has = (name: string): boolean => (processes.variableOf(proc, name) ?? '') !== '';
  // Most have the first of these: one look at each.
  return !ANSWERS.some(has) && has('TMUX');
}
