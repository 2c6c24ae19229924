/** What the owner of alerts holds of each episode. */
import type { Acked, Checked, Episode, OrderBody, OrderId } from '../protocol.ts';

export type Notice = Extract<OrderBody, { readonly type: 'notify' }>['what'];

/** An episode that is open, or whose end was not told yet. */
export interface Held {
  readonly record: Episode;
  /** It is as it was found on the disk. */
  readonly isAsRead: boolean;
  readonly acked: Acked | null;
  /** The notice that is on its way; null = none is. */
  readonly telling: { readonly id: OrderId; readonly what: Notice } | null;
  /** Orders whose givers wait until a person is notified. */
  readonly waiting: readonly OrderId[];
  /** Of the file that it is about. */
  readonly mark?: string | undefined;
  /** Those that this one alert stands for; absent = it is one of its own, or an earlier process knew them. */
  readonly members?: readonly Checked[] | undefined;
}
