/** Notices and channels for tests. */
import type { Ask, Said } from '../../machines/channels/answers.ts';
import type { Told } from '../../machines/alerts/slots.ts';
import type { Message } from '../../src/channels/message.ts';
import { CHANNEL_DEFAULTS, type ChannelSettings } from '../../src/channels/settings.ts';

export const told = (text: string, more: object = {}): Told => ({
  schema: 'notice/1',
  kind: 'alert',
  text,
  severity: 'high',
  session: 'builder',
  question: true,
  type: ['town answer 12 yes'],
  ...more,
});

/** A message as a channel gets it. */
export const message = (some: Partial<Message> = {}): Message => ({
  id: 'a',
  at: '',
  kind: 'alert',
  severity: 'high',
  session: 'builder',
  count: 1,
  title: 't',
  text: 'x',
  type: [],
  ask: null,
  ...some,
});

type Some = { readonly [Name in keyof ChannelSettings]?: Partial<ChannelSettings[Name]> };

export const channelsWith = (some: Some): ChannelSettings => ({
  ntfy: { ...CHANNEL_DEFAULTS.ntfy, ...some.ntfy },
  webhook: { ...CHANNEL_DEFAULTS.webhook, ...some.webhook },
  slack: { ...CHANNEL_DEFAULTS.slack, ...some.slack },
  discord: { ...CHANNEL_DEFAULTS.discord, ...some.discord },
  telegram: { ...CHANNEL_DEFAULTS.telegram, ...some.telegram },
  irc: { ...CHANNEL_DEFAULTS.irc, ...some.irc },
  smtp: { ...CHANNEL_DEFAULTS.smtp, ...some.smtp },
  desktop: { ...CHANNEL_DEFAULTS.desktop, ...some.desktop },
  command: { ...CHANNEL_DEFAULTS.command, ...some.command },
  bell: { ...CHANNEL_DEFAULTS.bell, ...some.bell },
  pane: { ...CHANNEL_DEFAULTS.pane, ...some.pane },
  mayor: { ...CHANNEL_DEFAULTS.mayor, ...some.mayor },
});

export const ask = (some: Partial<Ask> = {}): Ask => ({
  number: 3,
  at: 0,
  session: 'builder',
  life: 'life',
  dialog: 'dialog-1',
  question: 'Do you want to proceed?',
  kind: 'permission',
  tags: [],
  options: [
    { word: 'yes', label: 'Yes' },
    { word: 'no', label: 'No' },
  ],
  isOver: false,
  answer: null,
  ...some,
});

export const said = (some: Partial<Said> = {}): Said => ({
  id: 'r1',
  from: 'ntfy',
  number: 3,
  word: 'yes',
  text: '',
  ...some,
});

/** For towns that offer nothing. */
export const noOffers = { offer: () => Promise.resolve(null), mayOffer: () => false, end: () => Promise.resolve() };
