/** The process of the channels over the real ports. */
import { ChannelsProcess } from '../channels/child.ts';
import { channelsCommand } from '../guard/launch.ts';
import type { HandsNeeds } from '../host/hands-needs.ts';

export function channelsOf({ settings, host, announce }: HandsNeeds): ChannelsProcess {
  const log = (text: string): void => host.logger.warn(text);
  return new ChannelsProcess({ settings, command: channelsCommand(), clock: host.clock, announce, log });
}
