/** The commands about screens: what the packs say of one, and why. */
import type { Command } from 'commander';
import type { TestOptions } from '../commands/rules.ts';
import { command, group, plainly, type Act } from './shape.ts';

export function screenCommands(program: Command, act: Act): void {
  rulesCommands(program, act);
}

function rulesCommands(program: Command, act: Act): void {
  const load = async () => import('../commands/rules.ts');
  const rules = group(program, 'rules', "the packs: what tells an agent's state from its screen");
  command(
    rules,
    'test <file>',
    'judge a captured screen, - for stdin: its state, and whether text may be typed there',
    [
      'town rules test screen.txt --agent claude --size 120x40 --cursor 2,36',
      'tmux capture-pane -p -e -t builder | town rules test - --agent codex --json | jq .data.state',
    ],
  )
    .option('--agent <name>', 'whose screen it is, as in `town rules list`; a recorded screen tells it itself')
    .option('--size <WxH>', 'columns and rows of the terminal, such as 120x40')
    .option('--cursor <x,y>', 'where the cursor stands, from 0,0 at the top left')
    .option('--alternate', 'the program draws on the alternate screen')
    .option('--title <text>', 'what the program calls its terminal')
    .option('--line-mode', 'the terminal gathers lines itself, the program reads whole ones')
    .action((file: string, options: TestOptions) => act(async (c) => plainly((await load()).test(c, file, options))));
  command(rules, 'list', 'the packs there are: shipped ones, and yours in packs/ of the root, which win').action(() =>
    act(async (c) => plainly((await load()).list(c))),
  );
  command(
    rules,
    'check [file...]',
    'read packs of yours, all by default, and report every mistake; exit 2 when there is one',
    ['town rules check ~/town/packs/claude.toml'],
  ).action((files: string[]) => act(async (c) => plainly((await load()).check(c, files))));
}
