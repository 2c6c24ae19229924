/**
 * What leaves a person in peace: a question in a pane where that person is, what was over before it was told, and more messages than a
 * channel may send in an hour. Nothing is lost by it: what is held back is told later, or stands in `town questions`. Pure.
 */
import type { Told } from '../alerts/slots.ts';
import { NEEDS_INPUT } from '../alerts/things.ts';
import { aboutOf, type Ms, type WallMs } from '../protocol.ts';
import { CHANNELS } from './policy.ts';
import { severityOf } from './route.ts';

/** The one episode that this notice begins or ends; null = it is about none, or about several. */
export function episodeOf({ episode, together }: Told): string | null {
  return typeof episode === 'string' && together === undefined ? episode : null;
}

/** The session whose pane shows what the notice asks; null = no pane shows it. */
export function askedInPane(notice: Told): string | null {
  const { kind, session } = notice;
  const episode = episodeOf(notice);
  const isAsked = kind === 'alert' && episode !== null && aboutOf(episode).kind === NEEDS_INPUT.kind;
  return isAsked && typeof session === 'string' ? session : null;
}

interface Waiting {
  readonly id: string;
  readonly notice: Told;
}

/**
 * Ids of what need not be told any more: alerts whose end waits behind them, and those ends whose beginning was not told either.
 * `waiting`: the oldest first. `wasTold`: whether the person has heard of the episode on this channel.
 */
export function overBefore(waiting: readonly Waiting[], wasTold: (episode: string) => boolean): ReadonlySet<string> {
  const begun = new Map<string, string[]>();
  const over = new Set<string>();
  for (const { id, notice } of waiting) {
    const episode = episodeOf(notice);
    if (episode === null) continue;
    const ids = begun.get(episode) ?? [];
    if (notice.kind === 'alert') begun.set(episode, [...ids, id]);
    if (notice.kind !== 'recovered' || ids.length === 0) continue;
    for (const one of wasTold(episode) ? ids : [...ids, id]) over.add(one);
    begun.delete(episode);
  }
  return over;
}

/** Ids of "nothing needs you" that is no news any more: something came after it, or it was held up since it was so. */
export function staleWells(waiting: readonly (Waiting & { readonly at: WallMs })[], now: WallMs): ReadonlySet<string> {
  const isWell = ({ notice }: Waiting): boolean => notice.kind === 'well';
  const newest = Math.max(...waiting.filter((one) => !isWell(one)).map(({ at }) => at));
  const isStale = (at: WallMs): boolean => newest >= at || Math.abs(now - at) > CHANNELS.listEveryMs;
  return new Set(waiting.filter((one) => isWell(one) && isStale(one.at)).map(({ id }) => id));
}

/** Each that is sent, by its id, with the earlier alerts that it repeats and itself last: those are sent in its words. */
export function withRepeated<One extends Waiting>(waiting: readonly One[]): ReadonlyMap<string, readonly One[]> {
  const all = Map.groupBy(waiting, ({ id, notice }) => (notice.kind === 'alert' ? (episodeOf(notice) ?? id) : id));
  return new Map([...all.values()].map((repeated) => [repeated.at(-1)?.id ?? '', repeated]));
}

interface Budget {
  /** So many messages may go out now. */
  readonly room: number;
  /** When the next may, where there is no room. */
  readonly waitMs: Ms;
}

/** `sentAt`: messages that it counts. What is critical goes out beyond the budget too, a few minutes apart. */
function budgetOf(
  sentAt: readonly WallMs[],
  { perHour, waiting, now }: { readonly perHour: number; readonly waiting: readonly Told[]; readonly now: WallMs },
): Budget {
  // A clock that went back holds nothing up.
  const recent = sentAt.filter((at) => at > now - CHANNELS.budgetMs && at <= now).toSorted((one, other) => one - other);
  const room = perHour - recent.length;
  if (room > 0) return { room, waitMs: 0 };
  const freeAt = (recent.at(-perHour) ?? now) + CHANNELS.budgetMs;
  const isCritical = waiting.some((notice) => severityOf(notice) === 'critical');
  const urgentAt = (recent.at(-1) ?? now) + CHANNELS.urgentMs;
  return { room: 0, waitMs: Math.max(0, (isCritical ? Math.min(freeAt, urgentAt) : freeAt) - now) };
}

/** Where several budgets count: the narrowest of them. */
const narrowest = (budgets: readonly Budget[]): Budget => ({
  room: Math.min(...budgets.map(({ room }) => room)),
  waitMs: Math.max(...budgets.map(({ waitMs }) => waitMs)),
});

/** Of a budget so many are kept for what asks: half of a small one. */
export const reserveOf = (perHour: number): number => Math.min(CHANNELS.reserve, Math.floor(perHour / 2));

/** One budget of an hour. */
export interface Hour {
  readonly sentAt: readonly WallMs[];
  readonly perHour: number;
}

export interface Within<One> {
  /** What may go out now: all that is due, or what asks alone, by the reserve; empty = nothing. */
  readonly all: readonly One[];
  /** So many messages may go out now … */
  readonly room: number;
  /** … and so many where they are questions; 0 = what is critical goes out beyond the budget, with all that waits. */
  readonly askRoom: number;
  /** When the next of what is held back may go out; 0 = nothing is. */
  readonly waitMs: Ms;
}

/** What the budgets are asked about. */
interface Terms<One> {
  /** Each that counts. */
  readonly hours: readonly Hour[];
  readonly isAsk: (one: One) => boolean;
  /** It waits so long that it may use what is kept for questions: many of those hold up no news for ever. */
  readonly isLate: (one: One) => boolean;
  readonly now: WallMs;
}

/** What of this the budgets let out. What is critical goes out with a question too. */
export function withinHours<One extends Pick<Waiting, 'notice'>>(
  due: readonly One[],
  { hours, isAsk, isLate, now }: Terms<One>,
): Within<One> {
  const budget = (some: readonly One[], keptOf: (perHour: number) => number): Budget => {
    const waiting = some.map(({ notice }) => notice);
    return narrowest(
      hours.map(({ sentAt, perHour }) => budgetOf(sentAt, { perHour: perHour - keptOf(perHour), waiting, now })),
    );
  };
  const ofAll = budget(due, due.some(isLate) ? () => 0 : reserveOf);
  const isUrgent = (one: One): boolean => isAsk(one) || severityOf(one.notice) === 'critical';
  const asks = due.some(isAsk) ? due.filter(isUrgent) : [];
  const ofAsks = budget(asks, () => 0);
  if (ofAll.room > 0) return { all: due, room: ofAll.room, askRoom: ofAsks.room, waitMs: 0 };
  if (ofAsks.room > 0 && asks.length > 0)
    return {
      all: asks,
      room: ofAsks.room,
      askRoom: ofAsks.room,
      waitMs: asks.length === due.length ? 0 : ofAll.waitMs,
    };
  if (ofAll.waitMs === 0) return { all: due, room: 0, askRoom: 0, waitMs: 0 };
  const waitMs = asks.length > 0 ? Math.min(ofAll.waitMs, ofAsks.waitMs) : ofAll.waitMs;
  return { all: [], room: 0, askRoom: 0, waitMs };
}
