/** Notices and channels for tests. */
import type { Told } from '../../machines/alerts/slots.ts';
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

type Some = { readonly [Name in keyof ChannelSettings]?: Partial<ChannelSettings[Name]> };

export const channelsWith = (some: Some): ChannelSettings => ({
  ntfy: { ...CHANNEL_DEFAULTS.ntfy, ...some.ntfy },
  webhook: { ...CHANNEL_DEFAULTS.webhook, ...some.webhook },
  slack: { ...CHANNEL_DEFAULTS.slack, ...some.slack },
  discord: { ...CHANNEL_DEFAULTS.discord, ...some.discord },
  telegram: { ...CHANNEL_DEFAULTS.telegram, ...some.telegram },
  irc: { ...CHANNEL_DEFAULTS.irc, ...some.irc },
  desktop: { ...CHANNEL_DEFAULTS.desktop, ...some.desktop },
});
