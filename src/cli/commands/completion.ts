/** `town completion`: a script for a shell, made from the very tree of commands that is running. */
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { quoteName } from '../naming/names.ts';
import { scriptFor, SHELLS } from '../shells/scripts.ts';
import { placesOf } from '../shells/words.ts';

export async function completion(context: Context, program: Command, name: string, kind?: string): Promise<void> {
  if (name === 'names') return (await import('./completion-names.ts')).names(context, kind);
  const shell = SHELLS.find((one) => one === name);
  if (shell === undefined) {
    const text = `${quoteName(name)} is no shell that can be completed for; write \`town completion ${SHELLS.join('`, `')}\``;
    throw new Failure(EXIT.usage, 'unknown_shell', text);
  }
  const script = scriptFor(shell, placesOf(program));
  context.answerPlain('completion', { shell, script }, script.trimEnd());
}
