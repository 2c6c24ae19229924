/**
 * Sends the messages that wait in a root's spool over the channels of town.toml. The channels' process of a running town does
 * it, and `town channel deliver` once without a town. A lock allows one process of a root at a time: two would send twice.
 */
import type { MayAnswer } from '../../machines/channels/answers.ts';
import { CHANNELS } from '../../machines/channels/policy.ts';
import type { Route } from '../../machines/channels/route.ts';
import { Spool } from '../../state/channels/spool.ts';
import type { Disk } from '../../state/files/disk.ts';
import { FILES } from '../../state/files/layout.ts';
import { lockFile } from '../../state/process/lock.ts';
import { Delivery, type DeliveryNeeds } from './delivery.ts';
import { channelOf } from './make.ts';
import type { Reach } from './port.ts';
import { channelsIn, type ChannelSettings } from './settings.ts';

export interface Delivers extends Pick<
  DeliveryNeeds,
  'perHour' | 'perHourInAll' | 'peopleAt' | 'offer' | 'log' | 'clock'
> {
  readonly disk: Disk;
  readonly channels: ChannelSettings;
  readonly routes: readonly Route[];
  readonly mayAnswer: readonly MayAnswer[];
  /** What the secrets of messages are made from; empty = no message offers an answer. */
  readonly key: string;
  readonly reach: Reach;
}

const localMinute = (): number => {
  const now = new Date();
  return 60 * now.getHours() + now.getMinutes();
};

export function deliveryOf({ disk, channels, routes, mayAnswer, key, reach, ...more }: Delivers): Delivery {
  const replying = { rules: key === '' ? [] : mayAnswer, key };
  return new Delivery({
    ...more,
    mayAnswer: replying.rules,
    spool: new Spool(disk),
    channels: new Map(channelsIn(channels).map((name) => [name, channelOf(name, channels, replying, reach)])),
    routes,
    minute: localMinute,
  });
}

/**
 * How many messages wait afterwards; null = another process delivers. `root`: absolute. What is being sent when the time is over ends
 * first: cut off, it would have no receipt, and the next process would send it again.
 */
export async function deliverOnce(root: string, delivers: Delivers): Promise<number | null> {
  const { disk, clock } = delivers;
  const lock = await lockFile({ root, disk }, FILES.channelsLock);
  if (lock === null) return null;
  const spool = new Spool(disk);
  const stop = new AbortController();
  const running = deliveryOf(delivers).run(stop.signal);
  try {
    const until = clock.now() + CHANNELS.deliverMs;
    while ((await spool.waiting()).length > 0 && clock.now() < until)
      await clock.sleep(CHANNELS.deliveredEveryMs, stop.signal);
  } finally {
    stop.abort();
    await running.finally(() => lock.release());
  }
  return (await spool.waiting()).length;
}
