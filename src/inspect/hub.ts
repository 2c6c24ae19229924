/**
 * Where feed, guests and viewers meet. Owns the viewers and the pace of their news. A fault in here ends the inspector,
 * never a step of the town: `observe` does not throw.
 */
import type { WebSocket } from 'ws';
import type { InspectionEvent } from 'xstate';
import type { InspectPolicy } from './policy.ts';
import type { Clock } from '../ports/ports.ts';
import { Feed } from './feed.ts';
import { Guests } from './guests.ts';
import { Viewer } from './viewer.ts';

export interface HubNeeds {
  readonly policy: InspectPolicy;
  readonly clock: Pick<Clock, 'now' | 'wall'>;
  readonly complain: (text: string) => void;
}

export class Hub {
  readonly #needs: HubNeeds;
  readonly #feed: Feed;
  readonly #guests: Guests;
  readonly #viewers = new Set<Viewer>();
  readonly #pings: NodeJS.Timeout;
  #batch: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(needs: HubNeeds) {
    const { policy, clock } = needs;
    this.#needs = needs;
    this.#guests = new Guests(policy);
    this.#feed = new Feed({
      policy,
      wall: () => clock.wall(),
      stirred: () => this.#stir(),
      tell: (text) => this.#tell(text),
      isWatched: () => this.#viewers.size > 0,
    });
    this.#pings = setInterval(() => {
      for (const viewer of this.#viewers) viewer.ping();
    }, policy.pingEveryMs).unref();
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  observe(e: InspectionEvent): void {
    if (!this.#isClosed) this.#safely(() => this.#feed.observe(e));
  }

  /** A new connection: it gets the present state, and then each event. */
  join(socket: WebSocket): void {
    if (this.#isClosed) {
      socket.terminate();
      return;
    }
    const { policy, clock, complain } = this.#needs;
    let place: number | null = null;
    let hasComplained = false;
    const viewer = new Viewer(socket, {
      policy,
      complain,
      now: () => clock.now(),
      said: (text) => {
        try {
          place ??= this.#guests.enter();
          this.#tell(this.#guests.take(place, text), viewer);
        } catch (error) {
          if (!hasComplained) complain(`inspector: a frame of a guest was ignored: ${String(error)}`);
          hasComplained = true;
        }
      },
      gone: () => {
        this.#viewers.delete(viewer);
        if (place !== null) this.#guests.leave(place);
      },
    });
    this.#safely(() => {
      this.#feed.flush();
      viewer.greet([...this.#feed.greeting(), ...this.#guests.greeting()]);
      this.#viewers.add(viewer);
    });
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#pings);
    if (this.#batch !== null) clearTimeout(this.#batch);
    for (const viewer of this.#viewers) viewer.end();
  }

  #stir(): void {
    this.#batch ??= setTimeout(() => {
      this.#batch = null;
      this.#safely(() => this.#feed.flush());
    }, this.#needs.policy.batchMs).unref();
  }

  #tell(text: string, but?: Viewer): void {
    for (const viewer of this.#viewers) if (viewer !== but) viewer.tell(text);
  }

  #safely(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#needs.complain(`inspector: it is closed, since it failed: ${String(error)}`);
      this.close();
    }
  }
}
