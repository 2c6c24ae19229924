/** The commands about what no table decides. */
import type { Command } from 'commander';
import { command, group, plainly, type Act } from './shape.ts';

export function triageCommands(program: Command, act: Act): void {
  const load = async () => import('../commands/triage.ts');
  const triage = group(program, 'triage', 'what somebody has to decide: no rule of the town does');
  command(triage, 'list', 'what waits for a decision, and the options')
    .option('--all', 'decided ones too')
    .action((options: { all?: boolean }) => act(async (c) => plainly((await load()).list(c, options))));
  command(triage, 'show <id>', 'one of them, whole').action((id: string) =>
    act(async (c) => plainly((await load()).show(c, id))),
  );
  command(triage, 'resolve <id> <option>', 'choose one of its options; the town carries it out', [
    'town triage resolve tw-triage-1 NUDGE --note "push what you have"',
    'town triage resolve tw-triage-2 DISCARD',
  ])
    .option('--note <text>', 'words for whom it concerns')
    .action((id: string, option: string, options: { note?: string }) =>
      act(async (c) => plainly((await load()).resolve(c, id, option, options))),
    );
  command(triage, 'run', 'one cycle now: carry out what was chosen, ask the reasoner, else tell a person').action(() =>
    act(async (c) => plainly((await load()).run(c))),
  );
  command(triage, 'done', 'the last word of a reasoner').action(() =>
    act(async (c) => plainly((await load()).done(c))),
  );
  command(program, 'mcp', 'the tools of a role, for a program that speaks MCP', ['town mcp --role triage'])
    .requiredOption('--role <role>', 'triage')
    .action((options: { role: string }) =>
      act(async (c) => plainly((await import('../commands/mcp.ts')).mcp(c, options))),
    );
}
