/**
 * What of the messages that wait for a channel may go out now (machines/channels/peace.ts): looks at who is where, and at what was sent.
 * 1. A question waits while a person is in its pane, and a while longer: its end comes behind it, and then it need not be told.
 * 2. Where it is not known who is there, or what was sent, nothing waits.
 */
import { rank } from '../../machines/alerts/severity.ts';
import { CHANNELS } from '../../machines/channels/policy.ts';
import { isAsk } from '../../machines/channels/of-town.ts';
import {
  askedInPane,
  overBefore,
  staleWells,
  withinHours,
  type Hour,
  type Within,
} from '../../machines/channels/peace.ts';
import { severityOf } from '../../machines/channels/route.ts';
import type { Instant, Ms, WallMs } from '../../machines/protocol.ts';
import type { Spooled } from '../../state/channels/spool.ts';
import type { Clock } from '../ports/ports.ts';

export interface PeaceNeeds {
  /** What a channel has been sent; null = it cannot be read. Never rejects. */
  readonly history: (channel: string) => Promise<readonly Spooled[] | null>;
  readonly clock: Pick<Clock, 'now' | 'wall'>;
  /** Messages that a channel may send in an hour … */
  readonly perHour: number;
  /** … and all together: they reach one person. */
  readonly perHourInAll: number;
  /** By name. */
  readonly channels: ReadonlyMap<string, unknown>;
  /** Those of these sessions in whose panes a person is. Never rejects. */
  readonly peopleAt: (sessions: readonly string[]) => Promise<ReadonlySet<string>>;
}

interface Observation {
  readonly at: Instant;
  readonly used: Promise<ReadonlySet<string>>;
}

/** The receipt of what was not sent, since it was over. */
export const OVER = 'over before it was sent';

/** What came of an answer: its person waits for it, and it counts in no budget. */
export const isReply = ({ notice }: Spooled): boolean => notice.kind === 'answer';

/** Of equally grave ones the oldest. */
export const gravestFirst = (all: readonly Spooled[]): readonly Spooled[] =>
  all.toSorted(
    (one, other) => rank({ severity: severityOf(other.notice) }) - rank({ severity: severityOf(one.notice) }),
  );

export class Peace {
  readonly #needs: PeaceNeeds;
  readonly #observations = new Map<string, Observation>();
  /** When a person was last seen in the pane of a session. */
  readonly #seenAt = new Map<string, Instant>();
  /** When messages were sent, by channel; read from disk once. */
  readonly #sentAt = new Map<string, readonly WallMs[]>();

  constructor(needs: PeaceNeeds) {
    this.#needs = needs;
  }

  /** What of this goes out now. */
  async within(channel: string, due: readonly Spooled[]): Promise<Within<Spooled>> {
    // Asked first: a look at a pane costs the town more. Asked again: a critical question in the pane of a person opens no budget.
    const { all } = await this.#budget(channel, due);
    return this.#budget(channel, await this.#unseen(all));
  }

  /** Those that are told where no person sees them anyway. */
  async #unseen(waiting: readonly Spooled[]): Promise<readonly Spooled[]> {
    const asked = waiting.map(({ notice }) => askedInPane(notice));
    const used = await this.#used(new Set(asked.filter((session) => session !== null)));
    return waiting.filter((_, at) => !used.has(asked[at] ?? ''));
  }

  /** Those in whose panes a person is or was just now: one look for all that were not looked at lately. */
  async #used(sessions: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const now = this.#needs.clock.now();
    const due = [...sessions].filter(
      (one) => now - (this.#observations.get(one)?.at ?? -Infinity) >= CHANNELS.observationMs,
    );
    const look = due.length === 0 ? null : { at: now, used: this.#needs.peopleAt(due) };
    if (look !== null) for (const session of due) this.#observations.set(session, look);
    for (const session of sessions) {
      const observation = this.#observations.get(session);
      if ((await observation?.used)?.has(session) === true) this.#seenAt.set(session, observation?.at ?? now);
    }
    return new Set([...sessions].filter((one) => now - (this.#seenAt.get(one) ?? -Infinity) < CHANNELS.awayMs));
  }

  /** Those that need not be told any more. `isUnsure`: the person may have it. */
  async over(
    channel: string,
    waiting: readonly Spooled[],
    isUnsure: (one: Spooled) => boolean,
  ): Promise<readonly Spooled[]> {
    const came = waiting.map(({ id, notice, at }) => ({ id, notice, at: Date.parse(at) }));
    const stale = staleWells(came, this.#needs.clock.wall());
    const isStale = (one: Spooled): boolean => stale.has(one.id) && !isUnsure(one);
    if (overBefore(waiting, () => true).size === 0) return waiting.filter(isStale);
    const history = await this.#needs.history(channel);
    if (history === null) return waiting.filter(isStale);
    const told = new Set<unknown>(waiting.filter(isUnsure).map(({ notice }) => notice['episode']));
    const sent = history.filter(({ receipts }) => receipts[channel]?.isDelivered === true);
    for (const { notice } of sent.toSorted((one, other) => one.at.localeCompare(other.at)))
      if (notice.kind === 'recovered') told.delete(notice['episode']);
      else told.add(notice['episode']);
    const ids = overBefore(waiting, (episode) => told.has(episode));
    return waiting.filter((one) => isStale(one) || (ids.has(one.id) && !isUnsure(one)));
  }

  async #budget(channel: string, due: readonly Spooled[]): Promise<Within<Spooled>> {
    const { clock, perHour, perHourInAll, channels } = this.#needs;
    const now = clock.wall();
    const all: WallMs[] = [];
    for (const name of channels.keys()) all.push(...(await this.#sentLately(name, now)));
    const own = await this.#sentLately(channel, now);
    const hours = hoursOf({ own, all }, { perHour, perHourInAll });
    return withinHours(due, { hours, isAsk: asks, isLate: lateAt(now), now });
  }

  async #sentLately(channel: string, now: WallMs): Promise<readonly WallMs[]> {
    const known = this.#sentAt.get(channel) ?? (await this.#read(channel));
    const sentAt = known.filter((at) => at > now - CHANNELS.budgetMs);
    this.#sentAt.set(channel, sentAt);
    return sentAt;
  }

  /** Counts one message; what it returns takes that back, where it was not sent. */
  count(channel: string, batch: readonly Spooled[]): () => void {
    if (batch.length === 0 || batch.every(isReply)) return () => undefined;
    const at = this.#needs.clock.wall();
    const before = this.#sentAt.get(channel) ?? [];
    this.#sentAt.set(channel, [...before, at]);
    return () => {
      const times = this.#sentAt.get(channel) ?? [];
      this.#sentAt.set(channel, times.toSpliced(times.lastIndexOf(at), 1));
    };
  }

  /** Those that were sent as one have the same time. Unknown = none: then the budget counts from now. */
  async #read(channel: string): Promise<readonly WallMs[]> {
    return sentTimes(channel, (await this.#needs.history(channel)) ?? []);
  }
}

const asks = ({ notice }: Spooled): boolean => isAsk(notice);

interface Times {
  /** Of one channel … */
  readonly own: readonly WallMs[];
  /** … and of all. */
  readonly all: readonly WallMs[];
}
const hoursOf = (
  { own, all }: Times,
  { perHour, perHourInAll }: Pick<PeaceNeeds, 'perHour' | 'perHourInAll'>,
): readonly [Hour, Hour] => [
  { sentAt: own, perHour },
  { sentAt: all, perHour: perHourInAll },
];

const lateAt =
  (now: WallMs) =>
  ({ at }: Spooled): boolean =>
    now - Date.parse(at) >= CHANNELS.budgetMs;

/** What a person sent by hand to try the channel counts as little as a reply. */
function sentTimes(channel: string, sent: readonly Spooled[]): readonly WallMs[] {
  const times = sent
    .filter((one) => !isReply(one) && one.notice.kind !== 'test')
    .flatMap(({ receipts }) => {
      const { isDelivered = false, at = '' } = receipts[channel] ?? {};
      return isDelivered ? [Date.parse(at)] : [];
    });
  return [...new Set(times)];
}

export interface Spent {
  readonly until: WallMs;
  readonly key: 'notify.per_hour' | 'notify.per_hour_in_all';
}

/** Until when messages wait for the budget of an hour, and for which; null = for none. `sent`: what all channels were sent. */
export function budgetSpent(
  channel: string,
  waiting: readonly Spooled[],
  needs: Pick<PeaceNeeds, 'perHour' | 'perHourInAll'> & {
    readonly sent: readonly Spooled[];
    readonly channels: readonly string[];
    readonly now: WallMs;
  },
): Spent | null {
  const { sent, channels, now } = needs;
  const counted = waiting.filter((one) => !isReply(one));
  const all = channels.flatMap((name) => sentTimes(name, sent));
  const hours = hoursOf({ own: sentTimes(channel, sent), all }, needs);
  const isLate = lateAt(now);
  const waitOf = (some: readonly Hour[]): Ms => withinHours(counted, { hours: some, isAsk: asks, isLate, now }).waitMs;
  const waitMs = waitOf(hours);
  if (counted.length === 0 || waitMs === 0) return null;
  return { until: now + waitMs, key: waitOf([hours[0]]) === waitMs ? 'notify.per_hour' : 'notify.per_hour_in_all' };
}
