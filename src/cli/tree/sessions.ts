/** The commands about sessions. */
import type { Command } from 'commander';
import { collect, command, count, group, readOnly, type Does } from './shape.ts';

/** Lines of a pane that a person looks at. */
const LINES = 50;

/** The commands for one session that an operator uses day by day. */
function handles(session: Command, does: Does): void {
  const ends = () => import('../commands/session-stop.ts');
  const pane = () => import('../commands/session-pane.ts');
  command(session, 'stop <name>', 'end a session that the town started, its work saved first; it stays down', [
    'town session stop builder',
  ])
    .option('--force', 'also a session with a protected name')
    .option('--no-wait', 'return once the order is on record; do not wait for its end')
    .action(does(ends, 'stop'));
  command(session, 'restart <name>', 'end a session, its work saved first, and start it again with the same command', [
    'town session restart builder',
    'town session restart builder --fresh',
  ])
    .option('--force', 'also a session with a protected name')
    .option('--fresh', 'begin another conversation; the last one stays with its program, and `session status` names it')
    .option('--no-wait', 'return once the order is on record; do not wait until it runs')
    .action(does(ends, 'restart'));
  command(session, 'remove <name>', 'forget a session that does not run; its journal and its rescues stay', [
    'town session stop builder && town session remove builder',
  ]).action(does(ends, 'remove'));
  readOnly(session, 'attach [name]', 'open its pane in tmux; without a terminal, print the tmux command', [
    'town session attach builder',
    'town session attach --next-asking',
    'town session attach builder | cat   # only prints the tmux command',
  ])
    .option('--next-asking', 'the next session whose agent asks you something')
    .option('--client <tty>', 'switch this client of tmux to it; needs no terminal')
    .action(does(pane, 'attach'));
  readOnly(session, 'logs [name]', 'print what a session shows, also after its end; without a name, every session', [
    'town session logs --lines 5',
    'town session logs builder --lines 200',
    'town session logs builder -f',
  ])
    .option('-n, --lines <n>', 'how many lines', count, LINES)
    .option('--since <duration>', 'only what panes showed within this time, such as 8h')
    .option('-f, --follow', 'print new lines as they come, over restarts, until it has ended')
    .action(does(pane, 'logs'));
}

export function sessionCommands(program: Command, does: Does): void {
  const load = () => import('../commands/sessions.ts');
  const session = group(program, 'session', 'sessions of agents');
  readOnly(session, 'list', 'list the sessions of the town, and all others in tmux').action(does(load, 'list'));
  readOnly(session, 'status <name>', 'show one session: whether it lives, and its record').action(does(load, 'status'));
  command(
    session,
    'start <name> [command...]',
    'start an agent in a session of its own; without a command, with that of town.toml or of its last start',
    [
      'town session start builder -- claude',
      'town session start builder',
      'town session start builder --dir ~/shop --restart permanent -- bash agent.sh',
      'export API_KEY=… && town session start builder --env API_KEY -- claude',
    ],
  )
    .option(
      '--dir <dir>',
      'working folder; default: the current one, or without a command the one of town.toml or of the last start',
    )
    .option('--tag <tag>', 'a tag, such as worker (repeatable)', collect, [])
    .option('--env <name>', 'name of a variable that the agent gets with your value (repeatable)', collect, [])
    .option('--restart <policy>', 'permanent, temporary, or transient: after any end but a clean one (the default)')
    .option('--preset <name>', 'the command of [presets.<name>] in town.toml; words behind -- are added to it')
    .option('--no-wait', 'return at once; by default the command watches its first second, and exits 1 if it ends')
    .action(does(load, 'start'));
  handles(session, does);
  command(session, 'adopt <name>', 'supervise a session that the town did not start; the town never restarts it', [
    'town session adopt main --process claude',
    "town session adopt '$3' --as office",
    'town session adopt claude:1a2b3c4d --as fixer',
  ])
    .option('--as <name>', 'its name in the town; needed where tmux shows $3, %5 or a name with blanks')
    .option('--process <name>', "name of the agent's process in its pane")
    .option('--tag <tag>', 'a tag, such as worker (repeatable)', collect, [])
    .action(does(load, 'adopt'));
  command(session, 'kill <name>', 'file a warrant against a session; with --force end it without a hearing', [
    'town session kill builder',
    'town session kill builder --force --reason "wrong repository"',
  ])
    .option('--force', 'no hearing; the town still saves its work first')
    .option('--reason <text>', 'why it must end')
    .action(does(load, 'kill'));
  wordCommands(program, does);
  readOnly(
    program,
    'watch',
    'list panes in tmux that look like agents, their states, and what the town would do; touches nothing',
    ['town watch', 'town watch --once | grep blocked'],
  )
    .option('--all', 'list every pane')
    .option('--once', 'print the list once; on a terminal it otherwise stays until Ctrl-C')
    .option('--interval <duration>', 'time between two looks; 2s by default')
    .action(does(() => import('../commands/watch.ts'), 'watch'));
}

/** Words that the town types to an agent. */
function wordCommands(program: Command, does: Does): void {
  command(program, 'nudge <session> <text...>', 'type words to an agent, unless something is in the way', [
    'town nudge builder "check your inbox"',
    'town nudge builder --raw /compact',
  ])
    .option(
      '--raw',
      'type the text as it is, such as a command of its program; without it the text begins with "Nudge:"',
    )
    .action(does(() => import('../commands/nudge.ts'), 'nudge'));
  command(program, 'send [session] [text...]', 'give an agent work: it is typed once the agent is at rest', [
    'town send builder "fix the failing test"',
    'town send builder --file task.md --wait',
    'town send --tag worker "rebase onto main"',
    'town send --list',
  ])
    .option('--all', "to every session but the town's own agents, each its own piece")
    .option('--tag <tag>', 'to every session with this tag')
    .option('--request <id>', 'an id of your own: sent again with it, the work is typed once')
    .option('-f, --file <path>', 'the work stands in this file; - reads the standard input')
    .option('--wait', 'return once it was typed')
    .option('--list', 'the work that waits, and for what')
    .option('--cancel <id>', 'take back work that waits')
    .action(does(() => import('../commands/send.ts'), 'send'));
}
