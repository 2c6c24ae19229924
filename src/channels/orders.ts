/** What the town and its process of the channels say to each other, a line of JSON each. */
import type { MayAnswer, Nick } from '../../machines/channels/answers.ts';
import type { Route } from '../../machines/channels/route.ts';
import type { OfferedAsk } from './asks.ts';

import type { TownRequest, Page, Trouble } from './port.ts';
import type { ChannelSettings } from './settings.ts';

/** By stdin: no other user reads it there. */
export interface ChannelOrders {
  /** Absolute. */
  readonly root: string;
  readonly channels: ChannelSettings;
  readonly routes: readonly Route[];
  /** Messages that a channel may send in an hour. */
  readonly perHour: number;
  /** The same on all channels together. */
  readonly perHourInAll: number;
  readonly mayAnswer: readonly MayAnswer[];
  /** What the secrets of messages are made from. */
  readonly key: string;
  /** Agents in the channel of IRC. */
  readonly nicks: readonly Nick[];
}

export interface Beat {
  readonly troubles: readonly Trouble[];
  /** Nothing fails, and nothing waits that was not tried. */
  readonly isGood: boolean;
  /** It hears replies on each channel where it is to. */
  readonly isHearing: boolean;
  /** What it holds of memory. */
  readonly bytes: number;
}

/** What the process asks the town: in which of these sessions' panes a person is, what a notice offers (`Asks.offerOfTown`), or a request. */
export interface Wanted {
  readonly want: { readonly id: number } & (
    | { readonly look: readonly string[] }
    | { readonly offer: string }
    | { readonly request: TownRequest }
  );
}
export interface Given {
  readonly given: { readonly id: number; readonly is: readonly string[] | OfferedAsk | Done | null };
}

/** What came of a request. */
export type Done = { readonly said: string } | { readonly error: string; readonly isWaiting: boolean };

/** A line for an agent in the channel of IRC, and what came of it. */
export interface Paging {
  readonly page: Page & { readonly id: number };
}
export interface Paged {
  readonly paged: PageEnd & { readonly id: number };
}
export interface PageEnd {
  /** null = it stands there. */
  readonly error: string | null;
  /** With an error: it may stand there all the same. */
  readonly isUnsure: boolean;
}

/** The town has put the reply of this id on record. */
export interface Recorded {
  readonly recorded: string;
}
