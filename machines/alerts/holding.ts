/** What the owner of alerts holds of each episode. */
import type {
  Acked,
  Checked,
  Declared,
  Episode,
  Instant,
  OrderBody,
  OrderId,
  SavedRecord,
  WallMs,
} from '../protocol.ts';
import type { AlertsPolicy } from './policy.ts';

export type Notice = Extract<OrderBody, { readonly type: 'notify' }>['what'];

/** At its end the mayor's letters are put away. */
export type Owed = Notice | 'putAway';

/** An episode that is open, or whose end was not told yet. */
export interface Held {
  readonly record: Episode;
  /** The record is as it was read from the disk. */
  readonly isAsRead: boolean;
  readonly acked: Acked | null;
  /** What is on its way, by each of these orders: the person's notice, and the mayor's letter; null = nothing is. */
  readonly telling: { readonly what: Owed; readonly orders: readonly OrderId[] } | null;
  /** Orders whose issuers wait until a person is notified. */
  readonly waiting: readonly OrderId[];
  /** The mark of the file that the alert is about. */
  readonly mark?: string | undefined;
  /** Those that this one alert stands for; absent = it is one of its own, or an earlier process knew them. */
  readonly members?: readonly Checked[] | undefined;
}

/** The notice on its way that a later one waits for: none waits until letters of an episode that is over are put away. */
export const noticeOf = (held: Held | undefined): Held['telling'] =>
  held?.telling?.what === 'putAway' ? null : (held?.telling ?? null);

export const isOpen = ({ record }: Held): boolean => record.ended_at === null;

export interface AlertsState {
  readonly policy: AlertsPolicy;
  /** What to type for an episode; null = it is news. */
  readonly asks: (episode: string, session: string | null) => readonly string[] | null;
  readonly kindOf: (episode: string) => Pick<Declared, 'isForMayor' | 'climbs'> | undefined;
  readonly held: Readonly<Record<string, Held>>;
  /** Episodes with a reported end, of this process: since when. */
  readonly over: Readonly<Record<string, WallMs>>;
  /** The disk was read: what is held is all that there is. */
  readonly isRead: boolean;
  /** Makes the ids of notices differ. */
  readonly notices: number;
  readonly wakeAt: Instant | null;
}

declare module '../protocol/facts.ts' {
  interface Durable {
    /** null = the episode is over: its record goes, and its acknowledgement too. */
    readonly alert: Episode | null;
    readonly ack: { readonly at: WallMs };
  }
}
/** What of it is durable: nothing, before it is known what stands there. */
export function recordsOf({ held, over, isRead }: AlertsState): readonly SavedRecord[] {
  if (!isRead) return [];
  const changed = Object.values(held).filter(({ isAsRead }) => !isAsRead);
  const gone = Object.entries(over).filter(([episode]) => !(episode in held));
  return [
    ...changed.map(({ record }): SavedRecord => ({ kind: 'alert', id: record.episode, value: record })),
    ...gone.flatMap(([id, at]): SavedRecord[] => [
      { kind: 'ack', id, value: { at } },
      { kind: 'alert', id, value: null },
    ]),
  ];
}
