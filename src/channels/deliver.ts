/** Delivers a root's spool, as the process of its channels does, and once without a town: one process of a root at a time. */
import type { MayAnswer } from '../../machines/channels/answers.ts';
import { CHANNELS } from '../../machines/channels/policy.ts';
import type { Route } from '../../machines/channels/route.ts';
import { Spool } from '../../state/channels/spool.ts';
import type { Disk } from '../../state/files/disk.ts';
import { FILES } from '../../state/files/layout.ts';
import { lockFile } from '../../state/process/lock.ts';
import { systemClock } from '../ports/clock.ts';
import { Delivery, type DeliveryNeeds } from './delivery.ts';
import { channelOf } from './make.ts';
import { channelsIn, type ChannelSettings } from './settings.ts';

export interface Delivers extends Pick<DeliveryNeeds, 'perHour' | 'isAt' | 'log'> {
  readonly disk: Disk;
  readonly channels: ChannelSettings;
  readonly routes: readonly Route[];
  readonly mayAnswer: readonly MayAnswer[];
  /** What the secrets of messages are made from; empty = no message offers an answer. */
  readonly key: string;
}

const localMinute = (): number => {
  const now = new Date();
  return 60 * now.getHours() + now.getMinutes();
};

export function deliveryOf({ disk, channels, routes, mayAnswer, key, ...more }: Delivers): Delivery {
  const replying = { rules: key === '' ? [] : mayAnswer, key };
  return new Delivery({
    ...more,
    spool: new Spool(disk),
    clock: systemClock,
    channels: new Map(channelsIn(channels).map((name) => [name, channelOf(name, channels, replying)])),
    routes,
    minute: localMinute,
  });
}

/** How many messages wait afterwards; null = another process delivers. `root`: absolute. */
export async function deliverOnce(root: string, delivers: Delivers): Promise<number | null> {
  const lock = await lockFile({ root, disk: delivers.disk }, FILES.channelsLock);
  if (lock === null) return null;
  const stop = new AbortController();
  try {
    const spool = new Spool(delivers.disk);
    const until = systemClock.now() + CHANNELS.deliverMs;
    const running = deliveryOf(delivers).run(stop.signal);
    let waiting = await spool.waiting();
    while (waiting.length > 0 && systemClock.now() < until) {
      await systemClock.sleep(CHANNELS.deliveredEveryMs, stop.signal);
      waiting = await spool.waiting();
    }
    stop.abort();
    await running;
    return waiting.length;
  } finally {
    lock.release();
  }
}
