/** How a command is made: its line of help, its examples, and the options that all commands have. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Context } from '../context.ts';
import { wordsOf } from './glossary.ts';

/** Runs one action and keeps its exit code; nothing = 0. */
export type Act = (work: (context: Context) => Promise<number | undefined>) => Promise<void>;

/** A new command below `parent`, with the options that all have. */
export function command(parent: Command, usage: string, summary: string, examples: readonly string[] = []): Command {
  const made = parent.command(usage).description(summary).summary(summary);
  // Taken out of the words before; they stand here for the help.
  made.addOption(new Option('--root <dir>', 'the town (else $TOWN_ROOT, $GT_ROOT, the nearest town.toml, ~/town)'));
  made.addOption(new Option('--json', 'one object for programs: { "schema": "<name>/1", "data": … }'));
  made.addHelpText('after', () => wordsOf(made, examples));
  if (examples.length > 0) {
    made.addHelpText('after', `\nExamples:\n${examples.map((line) => `  $ ${line}`).join('\n')}`);
  }
  return made;
}

/** A group of commands, such as `town dog …`. */
export function group(parent: Command, name: string, summary: string): Command {
  const made = parent.command(name).description(summary).summary(summary).helpCommand(false);
  return made.addHelpText('after', () => wordsOf(made, []));
}

/** For options that may be given more than once. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

export function count(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write a whole number from 1 to 999999.');
}

/** How urgent a bead is: `1` or, as `bd` writes it, `P1`. */
export function priority(text: string): number {
  const digit = /^P?([0-4])$/.exec(text)?.[1];
  if (digit !== undefined) return Number(digit);
  throw new InvalidArgumentError('Write 0, the most urgent, to 4.');
}

/** `--set key=value`, for commands that start something or show the configuration. */
export function withSet(made: Command): Command {
  return made.option('--set <key=value>', 'a configuration key for this once, such as dance.pool_size=3', collect, []);
}

/** An action without an exit code of its own. */
export async function plainly(work: Promise<void>): Promise<undefined> {
  await work;
  return undefined;
}
