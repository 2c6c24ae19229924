/** The keys of channels, and of `[[route]]`. A secret may stand in a variable, or in a file of its own: `{ file = "…" }`. */
import {
  bool,
  duration,
  hours,
  int,
  list,
  one,
  pattern,
  secret,
  secretUrl,
  tag,
  text,
  url,
  type Kind,
} from './kinds.ts';
import { ENCRYPTIONS } from '../channels/settings.ts';
import { SEVERITIES } from '../../machines/alerts/severity.ts';
import { ANSWERS, CHANNELS } from '../../machines/channels/policy.ts';

export type ChannelRow = readonly [key: string, kind: Kind, reason: string];

/** By section, which is also the channel's name. */
export const CHANNEL_ROWS: Readonly<Record<string, readonly ChannelRow[]>> = {
  ntfy: [
    ['url', url, 'the ntfy server'],
    ['topic', text, 'what needs you is sent to this topic; set = the channel is on'],
    ['reply_topic', text, 'the buttons of a question publish their answers on this topic; see [[may_answer]]'],
    ['token', secret, 'access token, where the topics ask for one'],
  ],
  webhook: [
    ['url', secretUrl, 'what needs you is posted there as JSON; set = the channel is on'],
    ['secret', secret, 'signs each request with HMAC-SHA256'],
  ],
  slack: [['url', secretUrl, 'incoming webhook, of Slack or a server like it; set = the channel is on']],
  discord: [['url', secretUrl, 'webhook, of Discord or a server like it; set = the channel is on']],
  telegram: [
    ['url', url, "the bots' server"],
    ['chat', text, 'what needs you is sent to this chat; set = the channel is on'],
    ['token', secret, 'token of the bot'],
  ],
  irc: [
    ['server', text, 'host of an IRC server; set = the channel is on'],
    ['port', int(1, 65_535), 'its port; 6697 is the usual one with TLS, 6667 without'],
    ['nick', text, 'the name that the town has there'],
    ['channel', text, 'what needs you is said in this channel, such as #town'],
    ['tls', bool, 'whether the connection is encrypted, and the certificate of the server is checked'],
    ['password', secret, 'of the server, where it asks for one'],
    ['sasl', text, 'the account of its services by which the town logs in, with sasl_password or certificate'],
    ['sasl_password', secret, 'of that account (SASL PLAIN)'],
    ['certificate', secret, 'certificate and key of the town in one PEM file; with it the account needs no password'],
  ],
  smtp: [
    ['server', text, 'host of a mail server; set = the channel is on'],
    ['port', int(1, 65_535), 'its port; 587 is the usual one with starttls, 465 with tls'],
    ['encryption', one(...ENCRYPTIONS), 'how the connection begins; only none is ever unencrypted'],
    ['user', text, 'whose account the mail is sent by, where the server asks for one'],
    ['password', secret, 'of that account'],
    ['from', text, 'the address that the mail comes from'],
    ['to', text, 'the address that gets it'],
  ],
  desktop: [['enabled', bool, 'whether notify-send, or an attached terminal, shows what needs you']],
};

/** Of each `[[route]]` entry. */
export const ROUTE_ROWS: readonly (readonly [key: string, kind: Kind, byDefault: unknown, reason: string])[] = [
  ['severity', one(...SEVERITIES), 'low', 'it takes what is at least so grave'],
  ['tag', tag, null, 'it takes what is about sessions with this tag; unset = anything'],
  ['to', list, [], 'the channels that get it; also bell, pane, mayor and command, which have no section'],
  ['quiet', hours, null, 'local time, such as 22:00-07:00, in which only what is critical goes out; the rest waits'],
  [
    'digest',
    duration(CHANNELS.lookEveryMs, CHANNELS.maxDigestMs),
    null,
    'what is not critical waits so long at most, and goes out as one message; unset = each by itself',
  ],
];

/** Of each `[[may_answer]]` entry. */
export const MAY_ANSWER_ROWS: typeof ROUTE_ROWS = [
  ['from', text, null, 'who answers: ntfy, telegram:<user id> or irc:<account>'],
  [
    'kinds',
    list,
    [],
    'what: permission and question (of agents), alert, letter, case, escalation, gate; mention = work for an agent',
  ],
  [
    'options',
    list,
    [],
    'the words of options that may be chosen, such as yes and no; * = each that is offered, without execute, trust and always',
  ],
  ['tag', tag, null, 'only what sessions with this tag ask; unset = any session'],
];

const rowsPattern: Kind = { ...pattern, example: String.raw`tool: Bash\nfolder: /home/me/app\nnpm test` };
/** Of each `[[asks.rule]]` entry. */
export const ASK_RULE_ROWS: typeof ROUTE_ROWS = [
  ['agent', text, null, 'the session whose questions it answers, or a glob of names'],
  [
    'pattern',
    rowsPattern,
    null,
    'a regular expression that fits all rows of the question, as `town ask show` shows them',
  ],
  ['option', text, null, 'the word of the option that it chooses, such as yes'],
  ['per_day', int(1, 1_000), ANSWERS.rulePerDay, 'questions that it answers in 24 hours'],
];
