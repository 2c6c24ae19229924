/** Channels: which there are, and what the process that serves them is told. */
import { keyOf, rulingFor, signatureOf } from '../../../machines/channels/rules.ts';
import { FITS } from '../../../src/config/fits.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { dayOf } from '../../../src/channels/all-well.ts';
import { channelsIn } from '../../../src/channels/settings.ts';
import { onlyNamed } from '../../../src/screen/dialog.ts';
import { probe, type Probes } from './probe.ts';

const served = ({ channels, routes, mayAnswer, notify }: Settings): unknown => ({
  perHour: [notify.perHour, notify.perHourInAll],
  routes,
  mayAnswer,
  channels: channelsIn(channels).map((name) => channels[name]),
});

const NINE = new Date(2026, 0, 1, 9).getTime();
const on = (key: string, beside: readonly string[] = []) =>
  probe(
    'https://example.org/x',
    served,
    beside.map((one) => `${key}.${one}`),
  );
const there = { ntfy: { topic: 'a' }, slack: { url: 'https://example.org' } };
const route = { to: ['ntfy'] };
const answers = { ntfy: { topic: 'a', reply_topic: 'b' }, telegram: { chat: '1' } };
const may = { from: 'ntfy', kinds: ['permission'], options: ['yes'] };
const others = { from: 'telegram:7', kinds: ['question'], options: ['no'], tag: 'worker' };
const other = { severity: 'high', tag: 'worker', to: ['slack'], quiet: '22:00-07:00', digest: '2h' } as const;

const askRule = { agent: 'builder', pattern: 'npm test', option: 'yes', per_day: 1 };
const otherRule = { agent: 'other', pattern: 'npm publish', option: 'no', per_day: 2 };
/** How the only question there is would be answered, once one was answered so today. */
const ruled = ({ askRules }: Settings): unknown => {
  const options = [
    { word: 'yes', label: 'Allow once' },
    { word: 'no', label: 'Reject' },
  ];
  const rule = askRules[0] && keyOf(askRules[0]);
  const answer = { by: signatureOf(1), rule, reply: 'r', word: 'yes', at: NINE, outcome: null };
  const before = {
    number: 1,
    at: NINE,
    session: 'builder',
    life: 'l',
    dialog: 'd',
    question: 'q',
    tags: [],
    options: [],
  };
  const asks = [{ ...before, kind: 'permission' as const, isOver: false, answer }];
  const asking = {
    session: 'builder',
    life: 'l2',
    dialog: 'd2',
    way: 'request',
    whole: ['npm test'],
    options,
  } as const;
  const found = rulingFor(askRules, asking, FITS, { asks, now: NINE, isUsed: false, isCopy: false });
  return found && { option: found.option.word, why: found.why };
};

const ALWAYS = { label: 'Allow always', word: 'always', does: 'more' };

export const channels: Probes = {
  'asks.offer': probe('always', ({ asks }) => onlyNamed({ offers: [ALWAYS], withheld: [] }, asks.offer)),
  'ntfy.topic': on('ntfy'),
  'ntfy.url': on('ntfy', ['topic=a']),
  'ntfy.reply_topic': on('ntfy', ['topic=a']),
  'ntfy.token': on('ntfy', ['topic=a']),
  'webhook.url': on('webhook'),
  'webhook.secret': on('webhook', ['url=http://localhost/']),
  'slack.url': on('slack'),
  'discord.url': on('discord'),
  'telegram.chat': on('telegram'),
  'telegram.url': on('telegram', ['chat=1']),
  'telegram.token': on('telegram', ['chat=1']),
  'irc.server': on('irc'),
  'irc.port': probe('7000', served, ['irc.server=localhost']),
  'irc.nick': on('irc', ['server=localhost']),
  'irc.channel': on('irc', ['server=localhost']),
  'irc.tls': probe('false', served, ['irc.server=localhost']),
  'irc.password': on('irc', ['server=localhost']),
  'irc.sasl': on('irc', ['server=localhost']),
  'irc.sasl_password': on('irc', ['server=localhost']),
  'irc.certificate': on('irc', ['server=localhost']),
  'smtp.server': on('smtp'),
  'smtp.port': probe('465', served, ['smtp.server=localhost']),
  'smtp.encryption': probe('tls', served, ['smtp.server=localhost']),
  'smtp.user': on('smtp', ['server=localhost']),
  'smtp.password': on('smtp', ['server=localhost']),
  'smtp.from': on('smtp', ['server=localhost']),
  'smtp.to': on('smtp', ['server=localhost']),
  'desktop.enabled': probe('true', served),
  'notify.per_hour': probe('3', served),
  'notify.per_hour_in_all': probe('3', served),
  'notify.all_well': probe('08:00-10:00', ({ notify }) => notify.allWell !== null && dayOf(notify.allWell, NINE)),
  ...Object.fromEntries(
    Object.entries(other).map(([key, value]) => [
      `route.*.${key}`,
      probe(
        [
          { ...there, route: [route] },
          { ...there, route: [{ ...route, [key]: value }] },
        ] as const,
        served,
      ),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(others).map(([key, value]) => [
      `may_answer.*.${key}`,
      probe(
        [
          { ...answers, may_answer: [may] },
          { ...answers, may_answer: [{ ...may, [key]: value }] },
        ] as const,
        served,
      ),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(otherRule).map(([key, value]) => [
      `asks.rule.*.${key}`,
      probe([{ asks: { rule: [askRule] } }, { asks: { rule: [{ ...askRule, [key]: value }] } }] as const, ruled),
    ]),
  ),
};
