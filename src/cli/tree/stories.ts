/** The commands that tell what happened to the whole town, and those that are made from the tree of commands itself. */
import { Argument, type Command } from 'commander';
import { SHELLS } from '../shells/scripts.ts';
import { readOnly, type Does } from './shape.ts';

export function storyCommands(program: Command, does: Does): void {
  readOnly(program, 'timeline', 'print the journal, one line per event, the newest last', [
    'town timeline --since 8h',
    'town timeline --session builder | grep executed',
  ])
    .option('--session <name>', 'only events of this session')
    .option('--since <duration>', 'how far back, such as 8h or 2d; the whole journal by default')
    .action(does(() => import('../commands/timeline.ts'), 'timeline'));
  readOnly(program, 'report', 'what became of work, and of sessions, since you last looked; and what waits for you', [
    'town report',
    'town report --since 24h --json | jq .data.waiting',
  ])
    .option('--since <duration>', 'how far back, such as 90m, 8h or 2d; by default since your last look, else 8h')
    .action(does(() => import('../commands/report.ts'), 'report'))
    .option('--markdown', 'as Markdown, to send it on');
  readOnly(
    program,
    'costs [session...]',
    'tokens and cost of each conversation, as its program counts them, and their sum',
    ['town costs', 'town costs builder --since 8h', 'town costs --json | jq .data.sum'],
  )
    .option('--since <duration>', 'only what was taken so lately, such as 90m or 8h, by quarters of an hour')
    .action(does(() => import('../commands/costs.ts'), 'costs'));
  readOnly(program, 'completion', 'print a completion script for bash, zsh or fish', [
    'town completion bash > ~/.local/share/bash-completion/completions/town',
    'town completion zsh > ~/.zfunc/_town   # a folder of $fpath',
    'town completion fish > ~/.config/fish/completions/town.fish',
  ])
    // Offered by completions; the command itself says what is wrong with another one.
    .addArgument(new Argument('<shell>').choices(SHELLS).argParser((word: string) => word))
    .addArgument(new Argument('[kind]', 'what the scripts ask for behind a tab: names of this kind'))
    .action(does(() => import('../commands/completion.ts'), 'completion', program));
}
