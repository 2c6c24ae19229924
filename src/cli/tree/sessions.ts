/** The commands about sessions. */
import type { Command } from 'commander';
import type { AttachOptions, LogsOptions } from '../commands/session-pane.ts';
import type { StopOptions } from '../commands/session-stop.ts';
import type { AdoptOptions, KillOptions, StartOptions } from '../commands/sessions.ts';
import type { WatchOptions } from '../commands/watch.ts';
import { collect, command, count, group, plainly, type Act } from './shape.ts';

/** Lines of a pane that a person looks at. */
const LINES = 50;

/** What an operator does with one session day by day. */
function handles(session: Command, act: Act): void {
  const ends = async () => import('../commands/session-stop.ts');
  const pane = async () => import('../commands/session-pane.ts');
  command(session, 'stop <name>', 'end a session that the town started; its work is saved first, and it stays down', [
    'town session stop builder',
  ])
    .option('--force', 'also one whose name is protected')
    .option('--no-wait', 'return once it is on record, not once it has ended')
    .action((name: string, options: StopOptions) => act(async (c) => plainly((await ends()).stop(c, name, options))));
  command(session, 'restart <name>', 'end a session, its work saved first, and start it again as it was', [
    'town session restart builder',
  ])
    .option('--force', 'also one whose name is protected')
    .option('--no-wait', 'return once it is on record, not once it runs again')
    .action((name: string, options: StopOptions) =>
      act(async (c) => plainly((await ends()).restart(c, name, options))),
    );
  command(session, 'remove <name>', 'forget a session that does not run; its journal and its rescues stay', [
    'town session stop builder && town session remove builder',
  ]).action((name: string) => act(async (c) => plainly((await ends()).remove(c, name))));
  command(session, 'attach <name>', 'go to its pane in tmux; without a terminal, print the line that does', [
    'town session attach builder',
    'town session attach builder --print',
  ])
    .option('--print', 'print the tmux command only')
    .action((name: string, options: AttachOptions) => act(async (c) => (await pane()).attach(c, name, options)));
  command(session, 'logs <name>', 'what its pane shows and showed, also once it has ended', [
    'town session logs builder --lines 200',
    'town session logs builder -f',
  ])
    .option('--lines <n>', 'how many lines', count, LINES)
    .option('-f, --follow', 'go on, over restarts too, until it has ended')
    .action((name: string, options: LogsOptions) => act(async (c) => plainly((await pane()).logs(c, name, options))));
}

export function sessionCommands(program: Command, act: Act): void {
  const load = async () => import('../commands/sessions.ts');
  const session = group(program, 'session', 'sessions of agents');
  command(session, 'list', 'sessions the town knows, and all others in tmux').action(() =>
    act(async (c) => (await load()).list(c)),
  );
  command(session, 'status <name>', 'one session: does it live, and what is recorded').action((name: string) =>
    act(async (c) => (await load()).status(c, name)),
  );
  command(session, 'start <name> [command...]', 'start a session and own it; the command is the agent, or as before', [
    'town session start builder -- claude',
    'town session start builder',
    'town session start builder --dir ~/shop --restart permanent -- bash agent.sh',
  ])
    .option('--dir <dir>', 'where it runs; the present folder by default, without a command the one before')
    .option('--tag <tag>', 'a tag, such as worker; may be given again', collect, [])
    .option('--restart <policy>', 'permanent, transient (any end but a clean one; the default) or temporary')
    .action((name: string, words: string[], options: StartOptions) =>
      act(async (c) => plainly((await load()).start(c, name, words, options))),
    );
  handles(session, act);
  command(session, 'adopt <name>', 'watch a session that the town did not start; it is never restarted', [
    'town session adopt main --process claude',
  ])
    .option('--process <name>', "the agent's process in its pane")
    .option('--tag <tag>', 'a tag, such as worker; may be given again', collect, [])
    .action((name: string, options: AdoptOptions) => act(async (c) => plainly((await load()).adopt(c, name, options))));
  command(session, 'kill <name>', 'file a warrant; with --force without a hearing', [
    'town session kill builder',
    'town session kill builder --force --reason "wrong repository"',
  ])
    .option('--force', 'no hearing; its work is saved first all the same')
    .option('--reason <text>', 'why')
    .action((name: string, options: KillOptions) => act(async (c) => plainly((await load()).kill(c, name, options))));
  command(program, 'nudge <session> <text...>', 'type a remark to an agent, where nothing stands in the way', [
    'town nudge builder "check your inbox"',
  ]).action((name: string, words: string[]) =>
    act(async (c) => plainly((await import('../commands/nudge.ts')).nudge(c, name, words))),
  );
  command(program, 'watch', 'what looks like an agent in tmux, its state, what the town would do; touches nothing', [
    'town watch',
    'town watch --once | grep blocked',
  ])
    .option('--all', 'every pane')
    .option('--once', 'tell it once, as into a pipe; on a terminal it stays until Ctrl-C')
    .option('--interval <duration>', 'how often it looks again; 2s by default')
    .action((options: WatchOptions) => act(async (c) => (await import('../commands/watch.ts')).watch(c, options)));
}
