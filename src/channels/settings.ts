/** The configuration of channels: what each needs, and which of them there are. Pure, and small enough for the guard. */
import type { Route } from '../../machines/channels/route.ts';

interface Server {
  readonly url: string;
}

/** A text, or the first line of a file. */
export type Secret = string | { readonly file: string };

export interface ChannelSettings {
  readonly ntfy: Server & {
    readonly topic: string | null;
    /** Where its buttons publish answers. */
    readonly replyTopic: string | null;
    readonly token: Secret | null;
  };
  readonly webhook: { readonly url: Secret | null; readonly secret: Secret | null };
  readonly slack: { readonly url: Secret | null };
  readonly discord: { readonly url: Secret | null };
  readonly telegram: Server & {
    readonly chat: string | null;
    readonly token: Secret | null;
  };
  readonly irc: {
    readonly server: string | null;
    readonly port: number;
    readonly nick: string;
    readonly channel: string | null;
    readonly tls: boolean;
    readonly password: Secret | null;
    /** The account by which it logs in: by its password (SASL PLAIN) … */
    readonly sasl: string | null;
    readonly saslPassword: Secret | null;
    /** … or by this certificate of the town's with its key, as PEM (SASL EXTERNAL). */
    readonly certificate: Secret | null;
  };
  readonly smtp: {
    readonly server: string | null;
    readonly port: number;
    readonly encryption: Encryption;
    readonly user: string | null;
    readonly password: Secret | null;
    readonly from: string | null;
    readonly to: string | null;
  };
  readonly desktop: { readonly enabled: boolean };
  /** `[notify] command`. Until a route names it, it gets each notice at once, by itself (src/alerts/bell.ts). */
  readonly command: Routed & { readonly run: readonly string[] | null; readonly limitMs: number };
  readonly bell: Routed;
  readonly pane: Routed;
  readonly mayor: Routed;
}

/** Has no section of its own: the route that names it makes it be there. */
interface Routed {
  readonly isRouted: boolean;
}

/** How a connection to a mail server begins. `none` is for a server on this machine. */
export const ENCRYPTIONS = ['starttls', 'tls', 'none'] as const;
export type Encryption = (typeof ENCRYPTIONS)[number];

/** A name that a user of IRC may have. */
export const IRC_NICK = /^[A-Za-z[\]\\`_^{|}][\w[\]\\`^{|}-]{0,29}$/;

/** One plain address of mail: a library would read a list, and a line of the head, out of anything else. */
export const MAIL_ADDRESS = /^[^\s<>,;:"()]+@[^\s<>,;:"()]+$/;

export const CHANNEL_DEFAULTS: ChannelSettings = {
  ntfy: { url: 'https://ntfy.sh', topic: null, replyTopic: null, token: null },
  webhook: { url: null, secret: null },
  slack: { url: null },
  discord: { url: null },
  telegram: { url: 'https://api.telegram.org', chat: null, token: null },
  irc: {
    server: null,
    port: 6697,
    nick: 'townwatch',
    channel: null,
    tls: true,
    password: null,
    sasl: null,
    saslPassword: null,
    certificate: null,
  },
  smtp: {
    server: null,
    port: 587,
    encryption: 'starttls',
    user: null,
    password: null,
    from: null,
    to: null,
  },
  desktop: { enabled: false },
  command: { isRouted: false, run: null, limitMs: 0 },
  bell: { isRouted: false },
  pane: { isRouted: false },
  mayor: { isRouted: false },
};

export type ChannelName = keyof ChannelSettings;

/** The keys that each needs. The first makes it be there. */
const NEEDED: {
  readonly [Name in ChannelName]: readonly [keyof ChannelSettings[Name], ...(keyof ChannelSettings[Name])[]];
} = {
  ntfy: ['topic'],
  webhook: ['url'],
  slack: ['url'],
  discord: ['url'],
  telegram: ['chat', 'token'],
  irc: ['server', 'channel'],
  smtp: ['server', 'from', 'to'],
  desktop: ['enabled'],
  command: ['isRouted', 'run'],
  bell: ['isRouted'],
  pane: ['isRouted'],
  mayor: ['isRouted'],
};
export const switchOf = (name: string): string =>
  name === 'command' ? 'notify.command' : `${name}.${NEEDED[name as ChannelName][0]}`;

export const CHANNEL_NAMES = Object.keys(NEEDED) as readonly ChannelName[];

const valueOf = (channels: ChannelSettings, name: ChannelName, key: string): unknown =>
  (channels[name] as Readonly<Record<string, unknown>>)[key];

/** The keys that it needs and that are not set. */
export const lackedBy = (channels: ChannelSettings, name: ChannelName): readonly string[] =>
  NEEDED[name].filter((key) => valueOf(channels, name, key) === null);

/** The channels that are configured, by name. */
export const channelsIn = (channels: ChannelSettings): readonly ChannelName[] =>
  CHANNEL_NAMES.filter((name) => ![null, false].includes(valueOf(channels, name, NEEDED[name][0]) as null | false));

/** The channels without a section, as these routes have them. */
export function routedChannels(
  routes: readonly Pick<Route, 'to'>[],
  run: readonly string[] | null,
  limitMs: number,
): Pick<ChannelSettings, 'command' | 'bell' | 'pane' | 'mayor'> {
  const isRouted = (name: ChannelName): boolean => routes.some(({ to }) => to.includes(name));
  return {
    command: { isRouted: run !== null && isRouted('command'), run, limitMs },
    bell: { isRouted: isRouted('bell') },
    pane: { isRouted: isRouted('pane') },
    mayor: { isRouted: isRouted('mayor') },
  };
}

/** By which ways a notice goes to a person at once: the command by itself, null = not; and the spool of the channels. */
export const waysOf = (
  channels: ChannelSettings,
): { readonly command: readonly string[] | null; readonly channels: boolean } => ({
  command: channels.command.isRouted ? null : channels.command.run,
  channels: channelsIn(channels).length > 0,
});
