/** How a command is made: its line of help, its other names, its words and its examples. */
import { InvalidArgumentError, type Command } from 'commander';
import type { Context } from '../context.ts';
import { aliasesOf } from './aliases.ts';
import { wordsOf } from './glossary.ts';

/** Runs one action and keeps its exit code; a result that is no number = 0. */
export type Act = (work: (context: Context) => Promise<unknown>) => Promise<void>;

/** The parameters that commander hands to the action: those behind the context and the `First` words. */
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

/** The arguments of a usage: of `send <to> [words...]` a text, and a list of texts. */
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

const pathOf = (command: Command): string =>
  command.parent === null ? '' : `${pathOf(command.parent)} ${command.name()}`.trim();

function withAliases(made: Command): void {
  const aliases = aliasesOf(pathOf(made));
  if (aliases.length > 0) made.addHelpText('after', `\nAlso: ${aliases.map((alias) => `town ${alias}`).join(' · ')}`);
}

/** A new command below `parent`. */
export function command<const Usage extends string>(
  parent: Command,
  usage: Usage,
  summary: string,
  examples: readonly string[] = [],
): Made<Usage> {
  const made = parent.command(usage).description(summary).summary(summary);
  withAliases(made);
  made.addHelpText('after', () => wordsOf(made, [...aliasesOf(pathOf(made)), ...examples]));
  if (examples.length > 0) {
    made.addHelpText('after', `\nExamples:\n${examples.map((line) => `  $ ${line}`).join('\n')}`);
  }
  return made;
}

const readers = new WeakSet<Command>();

/** As `command`: one that changes nothing in the root, and so runs in a root of Gas Town too (C-12). */
export function readOnly<const Usage extends string>(...of: Parameters<typeof command<Usage>>): Made<Usage> {
  const made = command(...of);
  readers.add(made);
  return made;
}

/** False of each command that is not marked. */
export const readsOnly = (made: Command): boolean => readers.has(made);

/** A group of commands, such as `town dog …`. */
export function group(parent: Command, name: string, summary: string): Command {
  const made = parent.command(name).description(summary).summary(summary).helpCommand(false);
  withAliases(made);
  return made.addHelpText('after', () => wordsOf(made, aliasesOf(pathOf(made))));
}

/** Collects the values of an option that may be given more than once. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

export function count(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write a whole number from 1 to 999999.');
}

const MAX_PORT = 65_535;

/** A TCP port; 0 = any that is free. */
export function port(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= MAX_PORT) return Number(text);
  throw new InvalidArgumentError(`Write a port of 1 to ${String(MAX_PORT)}, or 0 for any that is free.`);
}

/** The priority of a bead: `1` or, as `bd` writes it, `P1`. */
export function priority(text: string): number {
  const digit = /^P?([0-4])$/.exec(text)?.[1];
  if (digit !== undefined) return Number(digit);
  throw new InvalidArgumentError('Write 0, the most urgent, to 4.');
}

/** `--set key=value`, for commands that start something or show the configuration. */
export function withSet<Of extends Command>(made: Of): Of {
  return made.option(
    '--set <key=value>',
    'set a configuration key for this once, such as dance.pool_size=3',
    collect,
    [],
  );
}
