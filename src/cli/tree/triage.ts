/** The commands about what no table decides. */
import type { Command } from 'commander';
import { command, group, port, readOnly, type Does } from './shape.ts';

export function triageCommands(program: Command, does: Does): void {
  const load = () => import('../commands/triage.ts');
  const triage = group(program, 'triage', 'cases that no rule of the town decides');
  command(triage, 'list', 'list the cases that wait for a decision, and their options')
    .option('--all', 'decided ones too')
    .action(does(load, 'list'));
  command(triage, 'show <id>', 'show one case in full').action(does(load, 'show'));
  command(triage, 'resolve <id> <option>', 'choose one of its options; the town carries it out', [
    'town triage resolve tw-triage-1 NUDGE --note "push what you have"',
    'town triage resolve tw-triage-2 DISCARD',
  ])
    .option('--note <text>', 'a text for the agent or person concerned')
    .option('--all', 'COMMIT_AND_PUSH: also files that look like secrets, large files and many files')
    .action(does(load, 'resolve'));
  command(triage, 'run', 'run one cycle now: carry out choices, ask the reasoner, else alert a person').action(
    does(load, 'run'),
  );
  command(triage, 'done', 'end a run of triage; only its reasoner calls this').action(does(load, 'done'));
  command(program, 'mcp', 'serve the tools of the town, or of a role, to a program that speaks MCP', [
    'claude mcp add town -- town mcp --stdio',
    'town mcp --http --role operator',
    'town mcp --role triage',
  ])
    .option('--stdio', 'over stdin and stdout, the default')
    .option('--http', 'over HTTP on 127.0.0.1, for many programs; each proves who it is by its token')
    .option('--port <n>', 'with --http: the port; 7391 by default, 0 takes any that is free', port)
    .option('--role <role>', 'triage: of a reasoner; operator: also the questions that wait for you')
    .action(does(() => import('../commands/mcp.ts'), 'mcp'));
  readOnly(program, 'skill', 'print the skill file that explains to a model how to work under a town', [
    'town skill > ~/.claude/skills/town/SKILL.md',
  ]).action(does(() => import('../commands/skill.ts'), 'skill'));
}
