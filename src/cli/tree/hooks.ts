/** The commands about hooks that a person installs in the settings of an agent program. */
import type { Command } from 'commander';
import { command, group, readOnly, type Does } from './shape.ts';

const PROJECT = "settings.local.json of this project's folder, instead of your settings for all projects";

export function hooksCommands(program: Command, does: Does): void {
  const load = () => import('../commands/hooks.ts');
  const hooks = group(program, 'hooks', 'hear adopted Claude Code sessions by hooks in your own settings');
  command(hooks, 'install <agent>', "write hooks into the agent program's settings; what is there stays", [
    'town hooks install claude --dry-run',
    'town hooks install claude',
    'town hooks install claude --project ~/shop',
  ])
    .option('--dry-run', 'print what would change, and write nothing')
    .option('--project <dir>', PROJECT)
    .action(does(load, 'install'));
  command(hooks, 'uninstall <agent>', 'remove what install wrote, and nothing else')
    .option('--dry-run', 'print what would change, and write nothing')
    .option('--project <dir>', PROJECT)
    .action(does(load, 'uninstall'));
  readOnly(
    hooks,
    'status [agent]',
    'which settings have hooks, what the town heard, and which sessions need none',
  ).action(does(() => import('../commands/hooks-status.ts'), 'status'));
}
