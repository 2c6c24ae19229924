/** The commands about sessions. */
import type { Command } from 'commander';
import type { AdoptOptions, KillOptions, StartOptions } from '../commands/sessions.ts';
import type { WatchOptions } from '../commands/watch.ts';
import { collect, command, group, plainly, type Act } from './shape.ts';

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
    'town session start builder --dir ~/shop --tag worker --restart permanent -- bash agent.sh',
  ])
    .option('--dir <dir>', 'where it runs; the present folder by default, without a command the one before')
    .option('--tag <tag>', 'a tag, such as worker; may be given again', collect, [])
    .option('--restart <policy>', 'permanent, transient (any end but a clean one; the default) or temporary')
    .action((name: string, words: string[], options: StartOptions) =>
      act(async (c) => plainly((await load()).start(c, name, words, options))),
    );
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
