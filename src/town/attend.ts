/** What goes on beside the loop of a town until it stops: it listens, tidies, and tells what waited. */
import type { HandsNeeds } from '../host/hands-needs.ts';
import { watchNeighbours } from '../host/neighbours.ts';
import type { Channels } from './channels.ts';
import { compact } from './compact.ts';
import type { Drops } from '../tickle/drops.ts';
import type { Hooks } from './hooks.ts';
import { listen } from './listen.ts';
import type { watchedPrograms } from './programs.ts';

/** What a town does now and then beside its loop. */
const keepUp = (needs: HandsNeeds, stop: AbortSignal): Promise<unknown> =>
  Promise.all([compact(needs, stop), watchNeighbours(needs, stop)]);

interface Attending extends Pick<HandsNeeds, 'hold'> {
  readonly hooks: Hooks;
  readonly programs: Pick<ReturnType<typeof watchedPrograms>, 'watch'>;
  readonly ringLate: (stop: AbortSignal) => Promise<void>;
  readonly channels: Pick<Channels, 'attend'>;
  readonly drops: Pick<Drops, 'attend' | 'wake'>;
}

export async function attendAll(
  needs: HandsNeeds,
  { hold, hooks, programs, ringLate, channels, drops }: Attending,
  stop: AbortSignal,
): Promise<void> {
  const { settings, host, announce } = needs;
  const log = (text: string): void => host.logger.warn(text);
  const dropped = (): void => drops.wake();
  const { root, hands: policy } = settings;
  const listens = listen({ root, policy, announce, dropped, disk: host.disk, log, stop });
  const holds = hold.attend(host.clock, settings.process.holdEveryMs, stop);
  const served = [hooks.server.attend(stop), programs.watch(stop), channels.attend(stop), drops.attend(stop)];
  await Promise.all([keepUp(needs, stop), ringLate(stop), listens, holds, ...served]);
}
