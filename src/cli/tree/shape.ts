/** How a command is made: its line of help, its examples, and the options that all commands have. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { EXIT, Failure } from '../../terminal/failure.ts';
import type { Context } from '../context.ts';
import { wordsOf } from './glossary.ts';

/** Runs one action and keeps its exit code; a result that is no number = 0. */
export type Act = (work: (context: Context) => Promise<unknown>) => Promise<void>;

/** What commander is to hand the action of such a function: what it takes behind the context and the `First` words. */
type Handed<Deed, First extends readonly unknown[]> = Deed extends (
  context: Context,
  ...words: [...First, ...infer Given]
) => Promise<number> | Promise<void>
  ? (...given: Given) => Promise<void>
  : unknown;

/** An action that loads a file of commands and calls one of its functions; the number that this comes to is its exit code. */
export type Does = <File, Name extends keyof File, First extends readonly unknown[]>(
  load: () => Promise<File>,
  name: Name,
  ...first: First
) => Handed<File[Name], First>;

export const doing = (act: Act): Does =>
  ((load: () => Promise<Record<string, (...words: unknown[]) => unknown>>, name: string, ...first: unknown[]) =>
    (...given: unknown[]) =>
      act(async (context) => (await load())[name]?.(context, ...first, ...given))) as Does;

/** What is handed to the action of such a usage: of `send <to> [words...]` a text, and a list of them. */
type Given<Usage extends string> = Usage extends `${infer Word} ${infer Words}`
  ? [...Given<Word>, ...Given<Words>]
  : Usage extends `${'<' | '['}${string}...${'>' | ']'}`
    ? [string[]]
    : Usage extends `<${string}>`
      ? [string]
      : Usage extends `[${string}]`
        ? [string | undefined]
        : [];

/** A command whose action takes what its usage says, and then its options, which nothing checks. */
interface Made<Usage extends string> extends Command {
  action(does: (...given: [...Given<Usage>, never]) => Promise<void>): this;
}

/** A new command below `parent`, with the options that all have. */
export function command<const Usage extends string>(
  parent: Command,
  usage: Usage,
  summary: string,
  examples: readonly string[] = [],
): Made<Usage> {
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
export function withSet<Of extends Command>(made: Of): Of {
  return made.option('--set <key=value>', 'a configuration key for this once, such as dance.pool_size=3', collect, []);
}

/** Commands that take free text, by the group whose verbs that text is not meant to be. */
const FREE_TEXT = new WeakMap<Command, Command>();

/** The first word of `made` is free text: a verb of `of` in its place is refused, and names the command that was meant. */
export function refuseVerbs<Of extends Command>(made: Of, of: Command): Of {
  FREE_TEXT.set(made, of);
  made.hook('preAction', (_, action) => {
    const refusal = verbTyped(action);
    if (refusal !== null) throw refusal;
  });
  return made;
}

/** null = the text of this command is no verb of its group, or it takes none. */
export function verbTyped(command: Command): Failure | null {
  const of = FREE_TEXT.get(command);
  const word = command.args[0]?.trim().toLowerCase() ?? '';
  const verb = of?.commands.find((one) => one.name() === word);
  if (of === undefined || verb === undefined) return null;
  const [typed, meant] = [`town ${command.name()}`, `town ${of.name()} ${word}`];
  const text = `\`${typed}\` takes a text, and "${word}" alone is a verb; type \`${meant}\`, or say more than that word`;
  return new Failure(EXIT.usage, 'verb_as_text', text);
}
