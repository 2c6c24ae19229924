/** The tree of commands as plain words, for completions and the manual. Hidden options stay out. */
import type { Command } from 'commander';
import { namedBy, type Named } from './operands.ts';

export interface Word {
  readonly text: string;
  readonly summary: string;
}
export interface Switch extends Word {
  /** A value follows the switch. */
  readonly hasValue: boolean;
  /** The switch as its help shows it: `--since <duration>`. */
  readonly usage: string;
}
export interface Place {
  /** Words from the program on, without it: `dog pool`. */
  readonly path: readonly string[];
  readonly summary: string;
  /** `file [options] <session>`. */
  readonly usage: string;
  readonly commands: readonly Word[];
  /** The choices for its first argument; empty = any text. */
  readonly choices: readonly Word[];
  /** What its first argument names; null = nothing that the town knows. */
  readonly names: Named | null;
  readonly switches: readonly Switch[];
}

/** Every command and group, the program itself first, in the order of its help. */
export function placesOf(command: Command, path: readonly string[] = []): Place[] {
  const help = command.createHelp();
  const inner = help.visibleCommands(command);
  const switches = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].flatMap((option) =>
    [option.short, option.long].flatMap((text) =>
      text === undefined
        ? []
        : [{ text, summary: option.description, hasValue: option.required || option.optional, usage: option.flags }],
    ),
  );
  const place: Place = {
    path,
    summary: path.length === 0 ? '' : command.summary(),
    usage: command.usage(),
    commands: inner.map((one) => ({ text: one.name(), summary: one.summary() })),
    choices: (command.registeredArguments[0]?.argChoices ?? []).map((text) => ({ text, summary: command.summary() })),
    names: namedBy(path, command.registeredArguments[0]?.name() ?? ''),
    switches,
  };
  return [place, ...inner.flatMap((one) => placesOf(one, [...path, one.name()]))];
}
