/** Messages that wait for the budget of an hour, by channel. */
import { CHANNELS } from '../../../machines/channels/policy.ts';
import { routeOf } from '../../../machines/channels/route.ts';
import type { WallMs } from '../../../machines/protocol.ts';
import { Spool, type Spooled } from '../../../state/channels/spool.ts';
import { budgetSpent, type Spent } from '../../channels/peace.ts';
import { channelsIn, type ChannelName } from '../../channels/settings.ts';
import type { Context } from '../context.ts';

/** What one channel owes. */
export interface Owing {
  readonly channel: ChannelName;
  readonly waiting: readonly Spooled[];
  /** null = none of it waits for a budget. */
  readonly spent: Spent | null;
}

/** `all`: what channels were sent, without what is older than `since`. Rejects as the disk does. */
export async function owingOf(
  context: Context,
  since: WallMs = 0,
): Promise<{ readonly all: readonly Spooled[]; readonly owing: readonly Owing[] }> {
  const { channels, routes, notify } = await context.settings();
  const spool = new Spool(await context.disk());
  const waiting = await spool.waiting();
  const all = await spool.sent(since);
  const names = channelsIn(channels);
  const budget = { ...notify, sent: all, channels: names, now: Date.now() };
  const owing = names.map((channel) => {
    const owed = waiting.filter(
      ({ notice, receipts }) =>
        receipts[channel] === undefined && routeOf(notice, routes, names, 0).to.includes(channel),
    );
    return { channel, waiting: owed, spent: budgetSpent(channel, owed, budget) };
  });
  return { all, owing };
}

/** Of `town status`: a channel whose budget is spent, so many messages that wait for it, and until when (ISO). */
export interface HeldBack {
  readonly channel: string;
  readonly waiting: number;
  readonly until: string;
  readonly because: string;
}

/** Empty where it cannot be read, which is an alert of its own. Never rejects. */
export async function heldBack(context: Context): Promise<readonly HeldBack[]> {
  // What is older was given up, or counts in no hour.
  const since = Date.now() - CHANNELS.expiresMs - CHANNELS.budgetMs;
  const { owing } = await owingOf(context, since).catch(() => ({ owing: [] }));
  return owing.flatMap(({ channel, waiting, spent }) =>
    spent === null
      ? []
      : [{ channel, waiting: waiting.length, until: new Date(spent.until).toISOString(), because: spent.key }],
  );
}
