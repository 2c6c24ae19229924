/** `town channel list|test|deliver`: how you are reached, and whether that works. All work with the town down. */
import { CHANNELS } from '../../../machines/channels/policy.ts';
import { times } from '../../../machines/kernel/span.ts';
import { Spool, type Spooled } from '../../../state/channels/spool.ts';
import { textOf } from '../../../state/files/disk.ts';
import { NoticeSlots } from '../../../state/alerts/notices.ts';
import { waitingForCommand } from '../../alerts/bell.ts';
import { deliverOnce } from '../../channels/deliver.ts';
import { channelOf, testMessage } from '../../channels/make.ts';
import { NO_REPLIES } from '../../channels/port.ts';
import { OVER, type Spent } from '../../channels/peace.ts';
import {
  CHANNEL_NAMES,
  channelsIn,
  switchOf,
  waysOf,
  type ChannelName,
  type ChannelSettings,
} from '../../channels/settings.ts';
import { systemClock } from '../../ports/clock.ts';
import { EXIT, Failure, type ExitCode } from '../../terminal/failure.ts';
import { clean, note, table } from '../../terminal/print.ts';
import type { Context } from '../context.ts';
import { owingOf } from '../asking/held-back.ts';
import { reachWithoutTown } from '../asking/reach.ts';
import { mustBeOperator } from '../naming/caller.ts';
import { quoteName } from '../naming/names.ts';

/** `waiting`: what goes out on it. */
function viewOf(channel: ChannelName, all: readonly Spooled[], waiting: readonly Spooled[], spent: Spent | null) {
  const receipts = all.flatMap(({ receipts }) => receipts[channel] ?? []).filter(({ said }) => said !== OVER);
  const failures = all.flatMap(({ failures }) => failures?.[channel] ?? []);
  const last = [...receipts, ...failures].toSorted((one, other) => one.at.localeCompare(other.at)).at(-1);
  return {
    channel,
    waiting: waiting.length,
    waits_until: spent === null ? null : new Date(spent.until).toISOString(),
    waits_for: spent?.key ?? null,
    delivered: receipts.filter(({ isDelivered }) => isDelivered).length,
    last_at: last?.at ?? null,
    said: last?.said ?? null,
  };
}

/** What is configured, also a command that no route names. */
const thereIn = (channels: ChannelSettings): readonly ChannelName[] =>
  CHANNEL_NAMES.filter((name) => channelsIn(channels).includes(name) || (name === 'command' && hasCommand(channels)));
const hasCommand = ({ command }: ChannelSettings): boolean => command.run !== null;
/** They need no configuration, and may be tried before a route names them. */
const AT_HAND: readonly ChannelName[] = ['bell', 'pane', 'mayor'];
const WITH_SECTION = CHANNEL_NAMES.filter((name) => name !== 'command' && !AT_HAND.includes(name));

const waitingText = ({ waiting, waits_until: until, waits_for: key }: ReturnType<typeof viewOf>): string =>
  until === null ? String(waiting) : `${String(waiting)} until ${until}: ${key ?? ''}`;

export async function list(context: Context): Promise<void> {
  const { root, channels } = await context.settings();
  const { all, owing } = await owingOf(context);
  const direct = waitingForCommand(await new NoticeSlots(root, await context.disk()).read());
  const views = thereIn(channels).map((name) => {
    const { waiting = [], spent = null } = owing.find(({ channel }) => channel === name) ?? {};
    const view = viewOf(name, all, waiting, spent);
    return name === 'command' && waysOf(channels).command !== null ? { ...view, waiting: direct } : view;
  });
  context.answer('channels', views, () =>
    views.length === 0
      ? `no channel is configured; write for example [ntfy] with a topic into town.toml (one of ${WITH_SECTION.join(', ')})`
      : table(
          ['CHANNEL', 'WAITING', 'DELIVERED', 'LAST', 'THE SERVER SAID'],
          views.map((one) => [
            one.channel,
            waitingText(one),
            String(one.delivered),
            one.last_at ?? 'never',
            clean(one.said ?? ''),
          ]),
        ),
  );
}

/** Sends what waits, where no town does. Exit 1 where some of it still waits. */
export async function deliver(context: Context): Promise<ExitCode> {
  await mustBeOperator(context, 'town channel deliver');
  const { root, channels, routes, mayAnswer, notify } = await context.settings();
  const disk = await context.disk();
  const reach = await reachWithoutTown(context);
  const unknown = { peopleAt: () => Promise.resolve(new Set<string>()), offer: () => Promise.resolve(null), reach };
  const { perHour, perHourInAll } = notify;
  const more = { perHour, perHourInAll, ...unknown, log: note, key: '', clock: systemClock };
  const waiting = await deliverOnce(root, { disk, channels, routes, mayAnswer, ...more });
  const text = waiting === null ? 'the town delivers by itself' : `${times(waiting, 'message')} left to deliver`;
  context.answer('channel-deliver', { waiting }, () => text);
  return waiting === null || waiting === 0 ? EXIT.done : EXIT.failed;
}

/** `list` counts it. The channel works, whether that is written down or not. */
async function keepTest(context: Context, channel: ChannelName, said: string): Promise<void> {
  const now = Date.now();
  const notice = { kind: 'test', text: 'a test' };
  const receipt = { at: new Date(now).toISOString(), said, isDelivered: true };
  const kept = new Spool(await context.disk()).addSent(`${now}-test-${channel}`, notice, channel, receipt);
  await kept.catch((error: unknown) => note(`it is not counted in \`town channel list\`: ${textOf(error)}`));
}

/** Where a person sees to a channel without a section. */
const WHERE: Partial<Record<ChannelName, string>> = {
  command: 'see [notify] command in town.toml',
  bell: 'attach first: town session attach <name>',
  pane: 'see town session list',
  mayor: 'see town doctor',
};

/** Sends one message now. Exit 1 with what the server said where it did not take it. */
export async function test(context: Context, name: string): Promise<ExitCode> {
  await mustBeOperator(context, 'town channel test');
  const { channels } = await context.settings();
  const configured = thereIn(channels);
  const channel = [...configured, ...AT_HAND].find((one) => one === name);
  if (channel === undefined) {
    const isKnown = (CHANNEL_NAMES as readonly string[]).includes(name);
    const next = configured.length === 0 ? 'none' : configured.join(', ');
    const what = isKnown
      ? `${name} is not configured; set ${switchOf(name)} in town.toml, then type: town reload`
      : `there is no channel ${quoteName(name)}`;
    throw new Failure(EXIT.usage, 'unknown_channel', `${what}; configured: ${next}`);
  }
  const began = performance.now();
  try {
    const made = channelOf(channel, channels, NO_REPLIES, await reachWithoutTown(context));
    const said = await made.send(testMessage(Date.now()), AbortSignal.timeout(made.limitMs ?? CHANNELS.sendMs));
    const ms = Math.round(performance.now() - began);
    await keepTest(context, channel, said);
    context.answer(
      'channel-test',
      { channel, delivered: true, said, ms },
      () => `${channel} took a test message: ${clean(said)}`,
    );
    return EXIT.done;
  } catch (error) {
    const text = `${channel} did not take a test message: ${clean(textOf(error))}; ${WHERE[channel] ?? `see [${channel}] in town.toml`}`;
    throw new Failure(EXIT.failed, 'undelivered', text);
  }
}
