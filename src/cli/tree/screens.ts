/** The commands about screens: what the packs say of one, and why. */
import type { Command } from 'commander';
import { group, readOnly, type Does } from './shape.ts';

export function screenCommands(program: Command, does: Does): void {
  rulesCommands(program, does);
  readOnly(
    program,
    'explain <session>',
    'draw the screen of a session, with the rule that decides its state; touches nothing',
    ['town explain builder', 'town explain main --pane %4 --json | jq .data.rule'],
  )
    .option('--pane <id>', 'one of its panes, such as %4; by default the pane with the agent')
    .action(does(() => import('../commands/explain.ts'), 'explain'));
  readOnly(program, 'record <session>', "print a session's screen without names and tokens, to judge it again later", [
    'town record builder > screen.txt',
    'town record builder --out dialog.txt --state blocked',
  ])
    .option('--out <file>', 'write it to a file that does not exist yet')
    .option('--state <state>', 'the true state, if the rules are wrong, such as blocked')
    .option('--pane <id>', 'one of its panes, such as %4; by default the pane with the agent')
    .action(does(() => import('../commands/record.ts'), 'record'));
}

function rulesCommands(program: Command, does: Does): void {
  const load = () => import('../commands/rules.ts');
  const rules = group(program, 'rules', "the packs, which read an agent's state off its screen");
  readOnly(
    rules,
    'test <file>',
    'judge a captured screen, - for stdin: its state, and whether text may be typed there',
    [
      'town rules test screen.txt --agent claude --size 120x40 --cursor 2,36',
      'tmux capture-pane -pet builder | town rules test - --agent codex',
    ],
  )
    .option('--agent <name>', 'program of the screen, as in `town rules list`; a recorded screen names its own')
    .option('--size <WxH>', 'columns and rows of the terminal, such as 120x40')
    .option('--cursor <x,y>', 'position of the cursor, from 0,0 at the top left')
    .option('--alternate', 'the program draws on the alternate screen')
    .option('--title <text>', 'title that the program gives its terminal')
    .option('--line-mode', 'the terminal gathers lines itself, the program reads whole ones')
    .action(does(load, 'test'));
  readOnly(rules, 'list', 'list the packs: shipped ones, and your own in packs/ of the root, which win').action(
    does(load, 'list'),
  );
  readOnly(
    rules,
    'check [file...]',
    'read your own packs, all by default, and report every mistake; exit 2 when there is one',
    ['town rules check ~/town/packs/claude.toml'],
  ).action(does(load, 'check'));
}
