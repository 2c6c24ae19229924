/** The commands about mail and alerts. */
import type { Command } from 'commander';
import { command, group, readOnly, type Does } from './shape.ts';

const FOR = ['--for <address>', 'owner of the mailbox; overseer (you) by default'] as const;

export function channelCommands(program: Command, does: Does): void {
  const load = () => import('../commands/channels.ts');
  const channel = group(
    program,
    'channel',
    'how you are reached: ntfy, Slack, Discord, Telegram, IRC, mail, a webhook, the desktop',
  );
  readOnly(channel, 'list', 'configured channels: what waits for each, and what its server said last').action(
    does(load, 'list'),
  );
  command(channel, 'test <name>', 'send a test message now, and print what the server said', [
    'town channel test ntfy',
    'town channel test bell   # or pane, command, desktop',
  ]).action(does(load, 'test'));
  command(channel, 'deliver', 'send waiting messages now, if no running town does it').action(does(load, 'deliver'));
}

export function wordCommands(program: Command, does: Does): void {
  const load = () => import('../commands/mail.ts');
  const mail = group(program, 'mail', 'messages between people, agents and the town');
  command(
    mail,
    'send <to>',
    'put a message into a mailbox; works with the town down; 300 of one agent within an hour',
    [
      'town mail send overseer --subject "need a decision" --body "which database?"',
      'town mail send channel/merges --subject "MERGED 12" --urgent',
    ],
  )
    .requiredOption('-s, --subject <text>', 'one line')
    .option('-m, --body <text>', 'the message')
    .option('--from <address>', 'author name; an agent always writes in its own')
    .option('--urgent', 'marked ! in the inbox; you are alerted while it is not read')
    .option('--needs-response', 'you are alerted where it has no response for an hour')
    .action(does(load, 'send'));
  readOnly(mail, 'inbox [address]', 'messages that wait', ['town mail inbox shop/witness --json'])
    .option(...FOR)
    .option('--all', 'archived ones too')
    .option('--limit <count>', 'at most so many, the newest; 200 by default')
    .action(does(load, 'inbox'));
  command(mail, 'read <id>', 'one message; it counts as read from then on')
    .option(...FOR)
    .action(does(load, 'read'));
  command(mail, 'archive [id]', 'put a message away for 14 days, or all that the options choose', [
    'town mail archive --from shop/nux --before 1d',
    'town mail archive --read   # messages that you have read',
  ])
    .option(...FOR)
    .option('--all', 'every message that is not archived')
    .option('--read', 'what was read')
    .option('--from <address>', 'what this sender wrote')
    .option('--subject <text>', 'those with this text in the subject')
    .option('--before <time>', 'those older than a date, or than a duration such as 7d')
    .action(does(load, 'archive'));
  readOnly(mail, 'check', 'is there unread mail? exit 1 when there is none', [
    'town mail check --inject   # in a start hook',
  ])
    .option('--inject', 'print it for the agent that starts, and count it as read')
    .option(...FOR)
    .action(does(() => import('../commands/handoff.ts'), 'check'));
  alertCommands(program, does);
}

function alertCommands(program: Command, does: Does): void {
  const questions = () => import('../commands/questions.ts');
  command(program, 'questions', 'list every question that waits for you, with its number and its options', [
    'town questions --answer   # then type, as in: 240317 yes',
  ])
    .option('--answer', 'then read answers, one a line: a number, an option, its text; an empty line ends it')
    .action(does(questions, 'listQuestions'));
  command(program, 'answer <number> <option> [text...]', 'choose one of the options of a question', [
    'town answer 417 seen',
    "town answer 240317 yes   # in a dialog on an agent's screen",
    'town answer 902 NUDGE "push what you have"',
    'town answer 393123 reply "the one in staging"   # to a letter of an agent',
    'town answer q317 yes     # the question of this number on your phone',
  ]).action(does(questions, 'answerQuestion'));
  askCommands(program, does);
  const alerts = group(program, 'alerts', 'alerts of the town, and what to type for each');
  readOnly(alerts, 'list', 'list open alerts, the oldest first').action(
    does(() => import('../commands/alerts.ts'), 'listAlerts'),
  );
  command(alerts, 'poll', "print the town's messages to the sessions of a tag, the oldest first", [
    'town alerts poll --for orchestrator --json',
    'town alerts poll --for orchestrator --after "$LAST" --json   # each once',
  ])
    .requiredOption('--for <tag>', 'the tag, such as orchestrator')
    .option('--after <id>', 'the last message that you handled; it and older ones are over')
    .action(does(() => import('../commands/alerts-poll.ts'), 'poll'));
  command(program, 'ack <what>', 'say that you have seen an alert, an escalation or a letter: it is not repeated', [
    'town ack 417          # the alert with this number in `town status`',
    'town ack builder      # the alert about this session',
    'town ack tw-4k2x9q    # the escalation with this id',
  ]).action(does(() => import('../commands/ack.ts'), 'ack'));
}

function askCommands(program: Command, does: Does): void {
  const load = () => import('../commands/ask.ts');
  const ask = group(program, 'ask', 'the questions of `town questions`, for programs');
  command(ask, 'list', 'list every question that waits for you').action(does(load, 'list'));
  command(ask, 'show <id>', 'show one question, with what it is about; exit 3 when it is over').action(
    does(load, 'show'),
  );
  command(
    ask,
    'answer <id> <option> [text...]',
    'choose an option; exit 3 when it is over, 5 when another stands there',
    ['town ask answer dialog-902417317240317 yes'],
  )
    .option('-f, --file <path>', 'the text stands in this file; - reads the standard input')
    .option('--by <caller>', 'who chose it, for the journal, such as a caller on a channel')
    .action(does(load, 'answer'));
}
