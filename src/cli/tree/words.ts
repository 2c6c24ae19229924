/** The commands about mail and alerts. */
import type { Command } from 'commander';
import type { CheckOptions } from '../commands/handoff.ts';
import type { BoxOptions, SendOptions } from '../commands/mail.ts';
import { command, group, plainly, type Act } from './shape.ts';

const FOR = ['--for <address>', 'whose mail; overseer (you) by default'] as const;

export function wordCommands(program: Command, act: Act): void {
  const load = async () => import('../commands/mail.ts');
  const mail = group(program, 'mail', 'messages between people, agents and the town');
  command(mail, 'send <to>', 'put a message into a mailbox; works with the town down', [
    'town mail send overseer --subject "need a decision" --body "which database?"',
    'town mail send channel/merges --subject "MERGED 12" --urgent',
  ])
    .requiredOption('-s, --subject <text>', 'one line')
    .option('-m, --body <text>', 'the message')
    .option('--from <address>', 'in whose name; an agent always writes in its own')
    .option('--urgent', 'marked ! in the inbox, and told to [notify] command as urgent')
    .option('--needs-response', 'needs_response is true in the message; nobody is reminded of it')
    .action((to: string, options: SendOptions) => act(async (c) => plainly((await load()).send(c, to, options))));
  command(mail, 'inbox [address]', 'messages that wait', ['town mail inbox shop/witness --json'])
    .option(...FOR)
    .option('--all', 'archived ones too')
    .action((address: string | undefined, { for: whose = address, ...options }: BoxOptions) =>
      act(async (c) => plainly((await load()).inbox(c, whose === undefined ? options : { ...options, for: whose }))),
    );
  command(mail, 'read <id>', 'one message; it counts as read from then on')
    .option(...FOR)
    .action((id: string, options: BoxOptions) => act(async (c) => plainly((await load()).read(c, id, options))));
  command(mail, 'archive <id>', 'put a message away')
    .option(...FOR)
    .action((id: string, options: BoxOptions) => act(async (c) => plainly((await load()).archive(c, id, options))));
  command(mail, 'check', 'is there unread mail? exit 1 when there is none', [
    'town mail check --inject   # in a start hook',
  ])
    .option('--inject', 'print it for the agent that starts, and count it as read')
    .option(...FOR)
    .action((options: CheckOptions) => act(async (c) => (await import('../commands/handoff.ts')).check(c, options)));
  const alerts = group(program, 'alerts', 'what the town tells you, and what to type for it').alias('alert');
  command(alerts, 'list', 'open alerts, the longest first: what asks you something, what is only news').action(() =>
    act(async (c) => plainly((await load()).listAlerts(c))),
  );
  command(alerts, 'ack <alert>', 'take note: it stays open and is not told again', [
    'town alerts ack 417   # by its number in the list',
    'town alerts ack builder   # the one about this session',
  ]).action((alert: string) => act(async (c) => plainly((await load()).ackAlert(c, alert))));
}
