/** The commands that give out work: a whole plan, or a bead at once. */
import type { Command } from 'commander';
import { command, type Does } from './shape.ts';

export function planCommands(program: Command, does: Does): void {
  command(program, 'plan <file>', 'make beads of the tasks in a Markdown file, as `- [ ] title`; - is stdin', [
    'town plan night.md --rig shop --dry-run',
    'town plan night.md --rig shop',
  ])
    .requiredOption('--rig <rig>', 'the repository that it is about')
    .option('--dry-run', 'show what would be made, and write nothing')
    .action(does(() => import('../commands/plan.ts'), 'plan'));
  const what = 'give beads to new polecats at once: of a rig, or to one of that name';
  command(program, 'sling <bead...>', what, ['town sling tw-4k2x9q tw-7f3k9q shop', 'town sling tw-4k2x9q shop/nux'])
    .usage('[options] <bead...> <rig | rig/polecat>')
    .action(does(() => import('../commands/sling.ts'), 'sling'));
}
