/** The commands about sessions. */
import type { Command } from 'commander';
import { collect, command, count, group, type Does } from './shape.ts';

/** Lines of a pane that a person looks at. */
const LINES = 50;

/** What an operator does with one session day by day. */
function handles(session: Command, does: Does): void {
  const ends = () => import('../commands/session-stop.ts');
  const pane = () => import('../commands/session-pane.ts');
  command(session, 'stop <name>', 'end a session that the town started; its work is saved first, and it stays down', [
    'town session stop builder',
  ])
    .option('--force', 'also one with a protected name')
    .option('--no-wait', 'return once it is on record, not once it has ended')
    .action(does(ends, 'stop'));
  command(session, 'restart <name>', 'end a session, its work saved first, and start it again as it was', [
    'town session restart builder',
  ])
    .option('--force', 'also one with a protected name')
    .option('--no-wait', 'return once it is on record, not once it runs again')
    .action(does(ends, 'restart'));
  command(session, 'remove <name>', 'forget a session that does not run; its journal and its rescues stay', [
    'town session stop builder && town session remove builder',
  ]).action(does(ends, 'remove'));
  command(session, 'attach <name>', 'go to its pane in tmux; without a terminal, print the line that does', [
    'town session attach builder',
    'town session attach builder | cat   # only prints the tmux command',
  ]).action(does(pane, 'attach'));
  command(session, 'logs <name>', 'the text of its pane, now and before, also after its end', [
    'town session logs builder --lines 200',
    'town session logs builder -f',
  ])
    .option('--lines <n>', 'how many lines', count, LINES)
    .option('-f, --follow', 'go on, over restarts too, until it has ended')
    .action(does(pane, 'logs'));
}

export function sessionCommands(program: Command, does: Does): void {
  const load = () => import('../commands/sessions.ts');
  const session = group(program, 'session', 'sessions of agents');
  command(session, 'list', 'sessions the town knows, and all others in tmux').action(does(load, 'list'));
  command(session, 'status <name>', 'one session: whether it lives, and its record').action(does(load, 'status'));
  command(
    session,
    'start <name> [command...]',
    'start a session and own it; the command is the agent; without one, the command of its last start',
    [
      'town session start builder -- claude',
      'town session start builder',
      'town session start builder --dir ~/shop --restart permanent -- bash agent.sh',
      'export API_KEY=… && town session start builder --env API_KEY -- claude',
    ],
  )
    .option('--dir <dir>', 'its folder; by default the present one, without a command the earlier one')
    .option('--tag <tag>', 'a tag, such as worker; may be given again', collect, [])
    .option('--env <name>', 'a variable that it gets, by its name alone; may be given again', collect, [])
    .option('--restart <policy>', 'permanent, transient (any end but a clean one; the default) or temporary')
    .option('--no-wait', 'return once it is started; else its first second is looked at, and exit 1 says how it ended')
    .action(does(load, 'start'));
  handles(session, does);
  command(session, 'adopt <name>', 'watch a session that the town did not start; it is never restarted', [
    'town session adopt main --process claude',
    "town session adopt '$3' --as office",
  ])
    .option('--as <name>', 'its name in the town; needed if tmux has it under $3, %5 or a name with blanks')
    .option('--process <name>', "the agent's process in its pane")
    .option('--tag <tag>', 'a tag, such as worker; may be given again', collect, [])
    .action(does(load, 'adopt'));
  command(session, 'kill <name>', 'file a warrant; with --force without a hearing', [
    'town session kill builder',
    'town session kill builder --force --reason "wrong repository"',
  ])
    .option('--force', 'no hearing; its work is saved first all the same')
    .option('--reason <text>', 'why')
    .action(does(load, 'kill'));
  command(program, 'nudge <session> <text...>', 'type a remark to an agent, if nothing is in the way', [
    'town nudge builder "check your inbox"',
    'town nudge builder --raw /compact',
  ])
    .option('--raw', 'as it is, so that it can be a command of its program; else it begins with "Nudge:"')
    .action(does(() => import('../commands/nudge.ts'), 'nudge'));
  command(
    program,
    'watch',
    'panes in tmux that look like agents, their states, and what the town would do; touches nothing',
    ['town watch', 'town watch --once | grep blocked'],
  )
    .option('--all', 'every pane')
    .option('--once', 'print it once, as into a pipe; on a terminal it stays until Ctrl-C')
    .option('--interval <duration>', 'how often it looks again; 2s by default')
    .action(does(() => import('../commands/watch.ts'), 'watch'));
}
