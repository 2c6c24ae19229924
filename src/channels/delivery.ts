/**
 * Delivers what is in the spool: one loop for each channel, so that a slow one delays no other.
 * 1. A channel sends one message at a time. After a failure the next try is the only one, after a wait that doubles.
 * 2. A message counts as sent once its receipt is on disk. Killed between the two, it is sent once more, under the same id.
 * 3. Many that wait for one channel are one message that counts them.
 */
import { CHANNELS } from '../../machines/channels/policy.ts';
import { routeOf, type Route, type Routed } from '../../machines/channels/route.ts';
import { backoffMs } from '../../machines/kernel/schedule.ts';
import type { Instant } from '../../machines/protocol.ts';
import type { Spool, Spooled } from '../../state/channels/spool.ts';
import { textOf } from '../../state/files/disk.ts';
import type { Clock } from '../ports/ports.ts';
import { messageFor } from './message.ts';
import { Undelivered, type Channel } from './port.ts';

/** A channel that could not deliver what waits for it. */
export interface Trouble {
  readonly channel: string;
  readonly why: string;
  readonly forMs: number;
}

export interface DeliveryNeeds {
  readonly spool: Spool;
  readonly clock: Clock;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly routes: readonly Route[];
  /** Minutes since midnight, where the person lives. */
  readonly minute: () => number;
  readonly log: (text: string) => void;
}

interface Failing {
  readonly since: Instant;
  readonly tries: number;
  readonly why: string;
}

export class Delivery {
  readonly #needs: DeliveryNeeds;
  readonly #failing = new Map<string, Failing>();
  #woken = Promise.withResolvers<undefined>();

  constructor(needs: DeliveryNeeds) {
    this.#needs = needs;
  }

  /** There may be something new. */
  wake(): void {
    this.#woken.resolve(undefined);
    this.#woken = Promise.withResolvers();
  }

  troubles(): readonly Trouble[] {
    const now = this.#needs.clock.now();
    return [...this.#failing].map(([channel, { since, why }]) => ({ channel, why, forMs: now - since }));
  }

  /** Until `stop`. */
  async run(stop: AbortSignal): Promise<void> {
    const loops = [...this.#needs.channels].map(([name, channel]) => this.#loop(name, channel, stop));
    await Promise.all([...loops, this.#tidy(stop)]);
  }

  async #loop(name: string, channel: Channel, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const woken = this.#woken.promise;
      const waitMs = await this.#next(name, channel, stop).catch((error: unknown) => {
        this.#needs.log(`the spool could not be read or written: ${textOf(error)}`);
        return CHANNELS.lookEveryMs;
      });
      if (waitMs === null) continue;
      const isFailing = this.#failing.has(name);
      await pausedFor(this.#needs.clock, waitMs, isFailing ? null : woken, stop);
    }
  }

  /** Sends what waits; the time to wait then, null = none. */
  async #next(name: string, channel: Channel, stop: AbortSignal): Promise<number | null> {
    const { spool, clock, log } = this.#needs;
    const all = (await this.#owed(await spool.waiting())).filter(
      ({ one, to, waits }) => to.includes(name) && !waits && one.receipts[name] === undefined,
    );
    if (all.length === 0) {
      this.#failing.delete(name);
      return CHANNELS.lookEveryMs;
    }
    const batch = (all.length > CHANNELS.apart ? all : all.slice(0, 1)).map(({ one }) => one);
    try {
      const limit = AbortSignal.any([stop, AbortSignal.timeout(CHANNELS.sendMs)]);
      await this.#receive(batch, name, { said: await channel.send(messageFor(batch), limit), isDelivered: true });
      this.#failing.delete(name);
      return null;
    } catch (error) {
      if (stop.aborted) return 0;
      const why = textOf(error);
      log(`${name}: ${why}`);
      const { since, tries } = this.#failing.get(name) ?? { since: clock.now(), tries: 0 };
      this.#failing.set(name, { since, tries: tries + 1, why });
      const isFinal = error instanceof Undelivered && error.isFinal;
      const over = isFinal ? batch : batch.filter(({ at }) => clock.wall() - Date.parse(at) > CHANNELS.expiresMs);
      await this.#receive(over, name, { said: why, isDelivered: false });
      const asked = error instanceof Undelivered ? (error.retryMs ?? 0) : 0;
      const usual = backoffMs(tries + 1, CHANNELS.backoffMs, CHANNELS.maxBackoffMs);
      return Math.min(Math.max(asked, usual), CHANNELS.maxBackoffMs);
    }
  }

  async #receive(
    batch: readonly Spooled[],
    channel: string,
    how: { readonly said: string; readonly isDelivered: boolean },
  ): Promise<void> {
    const at = new Date(this.#needs.clock.wall()).toISOString();
    for (const { id } of batch) await this.#needs.spool.receive(id, channel, { at, ...how });
  }

  /** Moves what all have away, so that it is looked at no more. */
  async #owed(all: readonly Spooled[]): Promise<readonly (Routed & { readonly one: Spooled })[]> {
    const { spool, routes, channels, minute } = this.#needs;
    const owed = all.map((one) => ({ one, ...routeOf(one.notice, routes, [...channels.keys()], minute()) }));
    for (const { one, to } of owed) if (to.every((name) => one.receipts[name] !== undefined)) await spool.finish(one);
    return owed;
  }

  async #tidy(stop: AbortSignal): Promise<void> {
    const { spool, clock } = this.#needs;
    while (!stop.aborted) {
      await spool.forget(clock.wall() - CHANNELS.keptMs).catch(() => undefined); // what is old is forgotten the next time
      await clock.sleep(CHANNELS.expiresMs, stop);
    }
  }
}

/** Also ends when it is woken, where it may be. */
async function pausedFor(clock: Clock, ms: number, woken: Promise<undefined> | null, stop: AbortSignal): Promise<void> {
  const over = new AbortController();
  const slept = clock.sleep(ms, AbortSignal.any([stop, over.signal]));
  await (woken === null ? slept : Promise.race([slept, woken]));
  over.abort();
}
