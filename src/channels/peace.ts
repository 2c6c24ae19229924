/**
 * What of the messages that wait for a channel may go out now (machines/channels/peace.ts): looks at who is where, and at what was sent.
 * 1. A question waits while a person is in its pane, and a while longer: its end comes behind it, and then it need not be told.
 * 2. Where it is not known who is there, or what was sent, nothing waits.
 */
import { CHANNELS } from '../../machines/channels/policy.ts';
import { askedInPane, budgetOf, overBefore, type Budget } from '../../machines/channels/peace.ts';
import type { Instant, WallMs } from '../../machines/protocol.ts';
import type { Spooled } from '../../state/channels/spool.ts';
import type { Clock } from '../ports/ports.ts';

export interface PeaceNeeds {
  /** What a channel has been sent; null = it cannot be read. Never rejects. */
  readonly history: (channel: string) => Promise<readonly Spooled[] | null>;
  readonly clock: Pick<Clock, 'now' | 'wall'>;
  /** Messages that a channel may send in an hour. */
  readonly perHour: number;
  /** Whether a person is in the pane of this session. Never rejects. */
  readonly isAt: (session: string) => Promise<boolean>;
}

interface Sight {
  readonly at: Instant;
  readonly is: Promise<boolean>;
}

/** The receipt of what was not sent, since it was over. */
export const OVER = 'over before it was sent';

/** What came of an answer: its person waits for it, and it counts in no budget. */
export const isReply = ({ notice }: Spooled): boolean => notice.kind === 'answer';

export class Peace {
  readonly #needs: PeaceNeeds;
  readonly #sights = new Map<string, Sight>();
  /** When a person was last seen in the pane of a session. */
  readonly #seenAt = new Map<string, Instant>();
  /** When messages were sent, by channel; read from disk once. */
  readonly #sentAt = new Map<string, WallMs[]>();

  constructor(needs: PeaceNeeds) {
    this.#needs = needs;
  }

  /** Those that are told where no person sees them anyway. */
  async unseen(waiting: readonly Spooled[]): Promise<readonly Spooled[]> {
    const are = await Promise.all(
      waiting.map(async ({ notice }) => {
        const session = askedInPane(notice);
        return session === null || !(await this.#wasAt(session));
      }),
    );
    return waiting.filter((_, at) => are[at]);
  }

  async #wasAt(session: string): Promise<boolean> {
    const now = this.#needs.clock.now();
    const before = this.#sights.get(session);
    const sight =
      before !== undefined && now - before.at < CHANNELS.sightMs ? before : { at: now, is: this.#needs.isAt(session) };
    this.#sights.set(session, sight);
    if (await sight.is) this.#seenAt.set(session, sight.at);
    return now - (this.#seenAt.get(session) ?? -Infinity) < CHANNELS.awayMs;
  }

  /** Those that need not be told any more. `isUnsure`: the person may have it. */
  async over(
    channel: string,
    waiting: readonly Spooled[],
    isUnsure: (one: Spooled) => boolean,
  ): Promise<readonly Spooled[]> {
    if (overBefore(waiting, () => true).size === 0) return [];
    const history = await this.#needs.history(channel);
    if (history === null) return [];
    const told = new Set<unknown>(waiting.filter(isUnsure).map(({ notice }) => notice['episode']));
    const sent = history.filter(({ receipts }) => receipts[channel]?.isDelivered === true);
    for (const { notice } of sent.toSorted((one, other) => one.at.localeCompare(other.at)))
      if (notice.kind === 'recovered') told.delete(notice['episode']);
      else told.add(notice['episode']);
    const ids = overBefore(waiting, (episode) => told.has(episode));
    return waiting.filter((one) => ids.has(one.id) && !isUnsure(one));
  }

  async budget(channel: string, waiting: readonly Spooled[]): Promise<Budget> {
    const now = this.#needs.clock.wall();
    const known = this.#sentAt.get(channel) ?? (await this.#read(channel));
    const sentAt = known.filter((at) => at > now - CHANNELS.budgetMs);
    this.#sentAt.set(channel, sentAt);
    const { perHour } = this.#needs;
    return budgetOf(sentAt, { perHour, waiting: waiting.map(({ notice }) => notice), now });
  }

  sent(channel: string, batch: readonly Spooled[]): void {
    if (!batch.every(isReply)) this.#sentAt.get(channel)?.push(this.#needs.clock.wall());
  }

  /** Those that were sent as one have the same time. Unknown = none: then the budget counts from now. */
  async #read(channel: string): Promise<WallMs[]> {
    const sent = (await this.#needs.history(channel)) ?? [];
    const times = sent
      .filter((one) => !isReply(one))
      .flatMap(({ receipts }) => {
        const { isDelivered = false, at = '' } = receipts[channel] ?? {};
        return isDelivered ? [Date.parse(at)] : [];
      });
    return [...new Set(times)];
  }
}
