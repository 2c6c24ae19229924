/** The channels, from their configuration. A server that says "yes" in other words than its own has taken nothing. */
import { channelOfCaller, MENTION } from '../../machines/channels/answers.ts';
import { CHANNELS } from '../../machines/channels/policy.ts';
import { textOf } from '../../state/files/disk.ts';
import { orNull } from '../../state/files/or-null.ts';
import { desktop } from './desktop.ts';
import { harmlessText, plainText, type Message } from './message.ts';
import { ntfy, ntfyEar } from './ntfy.ts';
import { bell, command, mayor, pane } from './local.ts';
import { NO_REACH, NO_REPLIES, Undelivered, type Channel, type Ear, type Reach, type Replying } from './port.ts';
import { irc } from './irc.ts';
import { ircEar, type Crew } from './irc-ear.ts';
import { mustBe, secretOf } from './secrets.ts';
import { smtp } from './smtp.ts';
import { channelsIn, type ChannelName, type ChannelSettings, type Secret } from './settings.ts';
import { telegram, telegramEar } from './telegram.ts';
import { objectIn, post, provedBy } from './web.ts';

/** Signed as `HMAC-SHA256(secret, "<timestamp>.<body>")`, so that a receiver tells ours from others and old ones from new. */
export function signatureOf(secret: string, timestamp: string, body: string): string {
  const { createHmac } = process.getBuiltinModule('node:crypto');
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}

const webhook = ({ url, secret }: ChannelSettings['webhook']): Channel => ({
  send: async (message, signal) => {
    const body = JSON.stringify({ schema: 'message/1', ...message });
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const key = secretOf(secret, '[webhook] secret');
    const signed = key === null ? {} : { 'x-town-signature': signatureOf(key, timestamp, body) };
    const headers = { 'x-town-timestamp': timestamp, 'x-town-id': message.id, ...signed };
    const to = mustBe(secretOf(url, '[webhook] url'), '[webhook] url');
    return (await post({ url: to, body, headers }, signal)).said;
  },
});

/** `&`, `<` and `>` steer Slack's text: a message mentions no channel and hides no link. */
const forSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const slack = ({ url }: ChannelSettings['slack']): Channel => ({
  send: async (message, signal) => {
    const to = mustBe(secretOf(url, '[slack] url'), '[slack] url');
    const body = JSON.stringify({ text: forSlack(`*${message.title}*\n${plainText(message)}`) });
    const reply = await post({ url: to, body }, signal);
    return provedBy(reply, reply.text.trim() === 'ok');
  },
});

/** Discord reads Markdown, but not in a block of code: there no link hides where it leads, and a command stands as it is. */
const forDiscord = (text: string): string =>
  `\`\`\`\n${text.replace(/`(?=`)/g, '`\u200b').slice(0, DISCORD_TEXT)}\n\`\`\``;
/** Characters; Discord takes 2,000 in all, with our title and the fences. */
const DISCORD_TEXT = 1_900;

const discord = ({ url }: ChannelSettings['discord']): Channel => ({
  send: async (message, signal) => {
    const to = mustBe(secretOf(url, '[discord] url'), '[discord] url');
    const content = `**${message.title}**\n${forDiscord(plainText(message))}`;
    // Discord looks for no person and no role in the words.
    const body = JSON.stringify({ content, allowed_mentions: { parse: [] } });
    const reply = await post({ url: to, body }, signal);
    return provedBy(reply, reply.status === 204 || typeof objectIn(reply)['id'] === 'string');
  },
});

const MAKERS: Readonly<Record<ChannelName, (of: ChannelSettings, replying: Replying, reach: Reach) => Channel>> = {
  ntfy: (of, replying) => ntfy(of.ntfy, replying),
  webhook: (of) => webhook(of.webhook),
  slack: (of) => slack(of.slack),
  discord: (of) => discord(of.discord),
  telegram: (of, replying) => telegram(of.telegram, replying),
  irc: (of, replying) => irc(of.irc, replying),
  smtp: (of) => smtp(of.smtp),
  desktop: (_of, _replying, reach) => desktop(reach),
  command: (of) => command(of.command),
  bell: (_of, _replying, reach) => bell(reach),
  pane: (_of, _replying, reach) => pane(reach),
  mayor: (_of, _replying, reach) => mayor(reach),
};

/** What must stand in no sentence, though a server repeats it. */
const SECRETS = ['token', 'secret', 'password', 'saslPassword'];
/** Who knows their address may send there. */
const SECRET_ADDRESSES: readonly string[] = ['slack', 'discord', 'webhook'];

/** An address, and its path alone; the longer first. */
function addressIn(text: string): string[] {
  const url = orNull(() => new URL(text));
  return url === null || url.pathname === '/' ? [text] : [text, `${url.pathname}${url.search}`, url.pathname];
}

function hidden(text: string, used: ReadonlySet<string>): string {
  let harmless = text;
  for (const secret of used) harmless = harmless.replaceAll(secret, '(a secret)');
  return harmlessText(harmless, CHANNELS.maxSaid);
}

/** The secrets of a channel, as they are at this moment. */
function secretsIn(name: ChannelName, settings: object): ReadonlySet<string> {
  const isAddress = SECRET_ADDRESSES.includes(name);
  const all = Object.entries(settings as Record<string, unknown>).flatMap(([key, value]) => {
    const isSecretAddress = isAddress && key === 'url';
    if (!SECRETS.includes(key) && !isSecretAddress) return [];
    const secret = orNull(() => secretOf(value as Secret | null, key)) ?? '';
    return isSecretAddress ? addressIn(secret) : [secret];
  });
  return new Set(all.filter((secret) => secret !== ''));
}

/** Its sentences hold none of its secrets. */
async function discreetly<T>(name: ChannelName, settings: object, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { isFinal, isUnsure, retryMs, isWaiting } = error instanceof Undelivered ? error : new Undelivered('');
    const text = hidden(textOf(error), secretsIn(name, settings));
    throw new Undelivered(text, { isFinal, isUnsure, retryMs, isWaiting });
  }
}

export function channelOf(
  name: ChannelName,
  channels: ChannelSettings,
  replying: Replying = NO_REPLIES,
  reach: Reach = NO_REACH,
): Channel {
  const channel = MAKERS[name](channels, replying, reach);
  const settings = channels[name];
  const send: Channel['send'] = async (message, signal) =>
    hidden(await channel.send(message, signal), secretsIn(name, settings));
  return { ...channel, send: (message, signal) => discreetly(name, settings, () => send(message, signal)) };
}

/** The channels on which a person may answer, by name. */
export function earsOf(
  channels: ChannelSettings,
  rules: Replying['rules'],
  nicks: Crew['nicks'] = [],
): ReadonlyMap<string, Ear> {
  const accounts = (of: Replying['rules']): string[] =>
    of.flatMap(({ from }) => (channelOfCaller(from) === 'irc' ? [from.slice('irc:'.length)] : []));
  const givers = accounts(rules.filter(({ kinds }) => kinds.includes(MENTION)));
  const all: Partial<Record<ChannelName, Ear>> = {
    ...(channels.ntfy.replyTopic !== null && { ntfy: ntfyEar(channels.ntfy) }),
    telegram: telegramEar(channels.telegram),
    irc: ircEar(channels.irc, accounts(rules), { nicks, givers }),
  };
  const named = channelsIn(channels).flatMap((name): [ChannelName, Ear][] => {
    const ear = all[name];
    const isAllowed = rules.some(({ from }) => channelOfCaller(from) === name) || (name === 'irc' && nicks.length > 0);
    if (ear === undefined || !isAllowed) return [];
    return [[name, { ...ear, listen: (how) => discreetly(name, channels[name], () => ear.listen(how)) }]];
  });
  return new Map(named);
}

/** A message by which a person tries a channel. */
export const testMessage = (now: number): Message => ({
  id: `test-${String(now)}`,
  at: new Date(now).toISOString(),
  kind: 'test',
  severity: 'low',
  session: null,
  count: 1,
  title: 'town: a test',
  text: 'This channel works. What needs you will come here.',
  type: ['town status'],
  ask: null,
});
