/** The commands that tell what happened to the whole town, and those that are made from the tree of commands itself. */
import { Argument, type Command } from 'commander';
import type { TimelineOptions } from '../commands/timeline.ts';
import { SHELLS } from '../shells/scripts.ts';
import { command, plainly, type Act } from './shape.ts';

export function storyCommands(program: Command, act: Act): void {
  command(program, 'timeline', 'the journal, one line an event, newest last', [
    'town timeline --since 8h',
    'town timeline --session builder | grep executed',
  ])
    .option('--session <name>', 'about this session only')
    .option('--since <duration>', 'how far back, such as 8h or 2d; the whole journal by default')
    .action((options: TimelineOptions) =>
      act(async (c) => plainly((await import('../commands/timeline.ts')).timeline(c, options))),
    );
  command(program, 'report', 'the digest: asked, pardoned, executed, restarted, lost, and what waits for you', [
    'town report',
    'town report --since 24h --json | jq .data.waiting',
  ])
    .option('--since <duration>', 'how far back, such as 90m, 8h or 2d; by default [report] since, which is 8h')
    .action((options: { since?: string }) =>
      act(async (c) => plainly((await import('../commands/report.ts')).report(c, options))),
    );
  command(program, 'completion', 'a completion script: bash, zsh or fish', [
    'town completion bash > ~/.local/share/bash-completion/completions/town',
    'town completion zsh > ~/.zfunc/_town   # a folder of $fpath',
    'town completion fish > ~/.config/fish/completions/town.fish',
  ])
    // Offered by completions; the command itself says what is wrong with another one.
    .addArgument(new Argument('<shell>').choices(SHELLS).argParser((word: string) => word))
    .action((shell: string) =>
      act(async (c) => plainly((await import('../commands/completion.ts')).completion(c, shell, program))),
    );
}
